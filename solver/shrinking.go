package solver

import (
	"math"
	"slices"
)

// patience is how many visits in a row must find alpha at a bound, with a
// gradient that pushes beyond it, for a row to be left out. LIBLINEAR's thresholds
// alone hardly shrink rows of unit length: on 72 languages, one against the rest,
// patience and unsettled bring the visits to a gap of 1e-2 from 5.8 per row to 2.2.
const patience = 2

// shrinker leaves rows out of an epoch whose alpha sits at a bound, either for
// patience visits or with a gradient beyond the last epoch's extremes (Hsieh et
// al. 2008, section 3.2). Whether a row was left out wrongly shows in the next epoch
// over all rows, or when the gap is certified.
type shrinker struct {
	enabled    bool
	active     int     // the first so many of single.order
	upper, low float64 // last epoch's largest and smallest projected gradient
	gone       []int32 // positions in the order of the rows that this epoch found to leave out
}

// reset makes the first n rows active again.
func (h *shrinker) reset(n int) {
	h.active = n
	h.upper, h.low = math.Inf(1), math.Inf(-1)
}

// next sets the bounds that the coming epoch shrinks by.
func (h *shrinker) next(largest, smallest float64) {
	h.upper, h.low = largest, smallest
	if h.upper <= 0 {
		h.upper = math.Inf(1)
	}
	if h.low >= 0 {
		h.low = math.Inf(-1)
	}
}

// leavesOut says whether a row is to be left out of the next epochs, by what a visit
// found.
func (h *shrinker) leavesOut(r *row, v *visit) bool {
	if !v.pushed {
		r.calm = 0
		return false
	}
	r.calm = min(r.calm+1, patience)
	return h.enabled && (r.calm >= patience || r.alpha == 0 && v.gradient > h.upper || r.alpha != 0 && v.gradient < h.low)
}

// remove moves the rows that the epoch found to leave out to the end of the order.
func (h *shrinker) remove(order []int32) {
	for _, k := range slices.Backward(h.gone) {
		h.active--
		order[k], order[h.active] = order[h.active], order[k]
	}
	h.gone = h.gone[:0]
}

// unsettled moves the rows that the last certificate found at rest at a bound to
// the end of the order, and returns the number of the others.
func (s *single) unsettled() int {
	if !s.shrinks() {
		return len(s.order)
	}
	slices.Sort(s.order)
	n := 0
	for k, i := range s.order {
		if !s.rows[i].settled {
			s.order[n], s.order[k] = i, s.order[n]
			n++
		}
	}
	return n
}
