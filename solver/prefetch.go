package solver

import "github.com/seed-167f963f/nbsvm/kernels"

// The order of an epoch is known in advance, so what the next rows need is asked for
// while this one computes: what is known of them, then their ids, then, by these, their
// slots. The slots of the most frequent features stay in the cache by themselves.
const (
	rowsAhead  = 8
	idsAhead   = 4
	slotsAhead = 2
	hotSlots   = 1 << 16
)

// prefetch asks for what the rows behind the k-th of the order need on a side.
func (s *Solver) prefetch(order []int32, k, side int) {
	if len(s.slots) <= hotSlots {
		return
	}
	if next := k + rowsAhead; next < len(order) {
		kernels.Prefetch(&s.places[order[next]])
		if side != right {
			kernels.Prefetch(&s.rows[order[next]])
		}
	}
	if next := k + idsAhead; next < len(order) {
		idx, _ := s.side(int(order[next]), side)
		kernels.PrefetchIDs(idx)
	}
	if next := k + slotsAhead; next < len(order) {
		idx, _ := s.side(int(order[next]), side)
		kernels.PrefetchSlots(s.slots, idx, hotSlots)
	}
}

// approach is prefetch for rows that are met, whose places are found on the way.
func (s *Solver) approach(order []int32, k int) {
	if len(s.slots) <= hotSlots {
		return
	}
	if next := k + rowsAhead; next < len(order) {
		kernels.Prefetch(&s.x.Indptr[order[next]])
		kernels.Prefetch(&s.rows[order[next]])
	}
	if next := k + idsAhead; next < len(order) {
		idx, _ := s.x.Row(int(order[next]))
		kernels.PrefetchIDs(idx)
	}
	if next := k + slotsAhead; next < len(order) {
		i := int(order[next])
		s.place(i)
		s.prefetchRow(i)
	}
}

// prefetchRow asks for the slots of row i, in passes over rows as they lie.
func (s *Solver) prefetchRow(i int) {
	if len(s.slots) > hotSlots && i < len(s.rows) {
		idx, _ := s.head(i)
		kernels.PrefetchSlots(s.slots, idx, hotSlots)
	}
}

// prefetch64 asks for what row i needs of fold on a side, in such passes.
func (s *Solver) prefetch64(i, side int) {
	if len(s.fold) > hotSlots && i < len(s.rows) {
		idx, _ := s.side(i, side)
		kernels.Prefetch64(s.fold, idx, hotSlots)
	}
}
