package solver

import "math"

// shrinker leaves rows out of an epoch whose alpha sits at a bound with a
// gradient beyond the last epoch's extremes (Hsieh et al. 2008, section 3.2).
type shrinker struct {
	enabled    bool
	active     int     // the first so many of Solver.order
	upper, low float64 // last epoch's largest and smallest projected gradient
}

// reset takes every row in again.
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

// hingeEpoch is one outer iteration of Algorithm 3 of Hsieh et al. (2008) for
// both hinge losses.
func (s *Solver) hingeEpoch(shrink *shrinker) pass {
	var seen pass
	squared := s.opts.Loss == SquaredHinge
	largest, smallest := math.Inf(-1), math.Inf(1)
	for k := 0; k < shrink.active; {
		i := s.order[k]
		r := &s.rows[i]
		a := s.alpha[i]
		diagonal, bound := 0.0, r.cost
		if squared {
			diagonal, bound = 1/(2*r.cost), math.Inf(1)
		}
		f := s.margin(int(i), r)
		seen.visited++
		slack := 1 - f
		under, over := max(0, slack), max(0, -slack)
		ofLoss, ofGap := r.cost*under, (r.cost-a)*under
		if squared {
			miss := under - float64(a*diagonal)
			ofLoss, ofGap = r.cost*under*under, r.cost*miss*miss
		}
		seen.primal += float64(ofLoss) + float64(a*f)/2
		seen.gap += float64(ofGap) + float64(a*over)

		g := float64(a*diagonal) - slack // gradient of the dual in alpha_i
		projected := g
		switch {
		case a == 0:
			if shrink.enabled && g > shrink.upper {
				shrink.active--
				s.order[k], s.order[shrink.active] = s.order[shrink.active], i
				continue
			}
			projected = min(g, 0)
		case a == bound:
			if shrink.enabled && g < shrink.low {
				shrink.active--
				s.order[k], s.order[shrink.active] = s.order[shrink.active], i
				continue
			}
			projected = max(g, 0)
		}
		largest, smallest = max(largest, projected), min(smallest, projected)
		if math.Abs(projected) > 1e-12 {
			next := bound // without curvature the step runs to the bound
			if q := r.norm + diagonal; q > 0 {
				next = min(max(a-g/q, 0), bound)
			}
			s.alpha[i] = next
			s.step(int(i), r, next-a)
		}
		k++
	}
	seen.violation = largest - smallest
	if shrink.active == 0 {
		seen.violation = 0
	}
	shrink.next(largest, smallest)
	return seen
}
