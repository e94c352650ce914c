package solver

import "github.com/seed-167f963f/nbsvm/kernels"

// The order of an epoch is known in advance, so what the next rows need is prefetched
// while this one computes: what is known of them, then their ids, then, by these, their
// slots. The slots of the most frequent features stay in the cache by themselves.
const (
	rowsAhead   = 8
	idsAhead    = 4
	slotsAhead  = 2
	cachedSlots = 1 << 16
)

// prefetch asks for what the rows behind the k-th of the order need on a side.
func (s *single) prefetch(order []int32, k, side int) {
	if len(s.slots) <= cachedSlots {
		return
	}
	if next := k + rowsAhead; next < len(order) {
		kernels.Prefetch(&s.spans[order[next]])
		if side != right {
			kernels.Prefetch(&s.rows[order[next]])
		}
	}
	if next := k + idsAhead; next < len(order) {
		s.side(int(order[next]), side).prefetch()
	}
	if next := k + slotsAhead; next < len(order) {
		kernels.PrefetchEntries(s.slots, s.side(int(order[next]), side).idx, cachedSlots)
	}
}

// prefetchUninitialised is prefetch for rows that are not initialised, whose spans are found on the way.
func (s *single) prefetchUninitialised(order []int32, k int) {
	if len(s.slots) <= cachedSlots {
		return
	}
	if next := k + rowsAhead; next < len(order) {
		kernels.Prefetch(&s.x.Indptr[order[next]])
		kernels.Prefetch(&s.rows[order[next]])
	}
	if next := k + idsAhead; next < len(order) {
		rowOf(s.x, int(order[next])).prefetch()
	}
	if next := k + slotsAhead; next < len(order) {
		i := int(order[next])
		s.findSpan(i)
		s.prefetchRow(i)
		s.prefetchScales(i)
	}
}

// prefetchScales asks for the scales of row i's own columns, which as a rule are
// neighbours.
func (s *single) prefetchScales(i int) {
	if idx := s.tail(i).idx; len(idx) > 0 && s.p.ColScale != nil {
		scales := s.p.ColScale[idx[0]:]
		kernels.PrefetchAll(scales[:min(len(idx), len(scales))])
	}
}

// prefetchRow asks for the slots of row i.
func (s *single) prefetchRow(i int) {
	kernels.PrefetchEntries(s.slots, s.head(i).idx, cachedSlots)
}

// prefetchInOrder is prefetch for passes over rows as they lie. That they lie one behind the other is
// not enough for the CPU to have their ids in time: such passes took twice as long.
func (s *single) prefetchInOrder(i int) {
	if s.prefetchIDs(i, both) && i+slotsAhead < len(s.rows) {
		s.prefetchRow(i + slotsAhead)
	}
}

// prefetchExact is prefetchInOrder for passes over what rows have in exactU on a side.
func (s *single) prefetchExact(i, side int) {
	if s.prefetchIDs(i, side) && i+slotsAhead < len(s.rows) {
		kernels.PrefetchEntries(s.exactU, s.side(i+slotsAhead, side).idx, cachedSlots)
	}
}

// prefetchIDs asks for the ids that such a pass comes to next, and says whether the table is
// so large that it should ask for entries as well.
func (s *single) prefetchIDs(i, side int) bool {
	if len(s.slots) <= cachedSlots {
		return false
	}
	if next := i + idsAhead; next < len(s.rows) {
		s.side(next, side).prefetch()
	}
	return true
}

// prefetchTail is prefetchInOrder for passes over what rows have in columns of their own.
func (s *single) prefetchTail(i int) {
	if next := i + idsAhead; next < len(s.rows) {
		if idx := s.tail(next).idx; len(idx) > 0 {
			kernels.PrefetchAll(idx)
		}
	}
}
