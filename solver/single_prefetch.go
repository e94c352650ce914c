package solver

import "github.com/seed-167f963f/nbsvm/internal/kernels"

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

// prefetchInOrder is prefetch for passes over rows as they lie and what a table has for them on a side. That rows
// lie one behind the other is not enough for the CPU to have their ids in time: such passes took twice as long.
func prefetchInOrder[T kernels.Slot | float64](s *single, table []T, i, side int) {
	if len(table) <= cachedSlots {
		return
	}
	if next := i + idsAhead; next < len(s.rows) {
		s.side(next, side).prefetch()
	}
	if next := i + slotsAhead; next < len(s.rows) {
		kernels.PrefetchEntries(table, s.side(next, side).idx, cachedSlots)
	}
}
