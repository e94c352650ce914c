package solver

// inDoubleBelow is the tolerance below which a gap is certified in double precision.
// Above it, sums of float32 slots serve, whose rounding moves a gap by some 1e-7 of P.
const inDoubleBelow = 1e-5

// objective is what the objectives are made of besides ½‖w‖²: sums over rows.
type objective struct {
	losses float64 // Σ C_i·loss
	conj   float64 // Σ conj(alpha_i)
	cross  float64 // Σ alpha_i·margin_i, which is w(alpha)ᵀw
}

func (o *objective) add(p objective) {
	o.losses += p.losses
	o.conj += p.conj
	o.cross += p.cross
}

// certify computes primal and dual objective, and notes which rows are at rest.
//
// P is that of the weights w in the slots, which differ from w(alpha) by the rounding e
// of their steps. So ‖w(alpha)‖² = 2·w(alpha)ᵀw − ‖w‖² + ‖e‖², and as w(alpha)ᵀw is
// Σ alpha_i·margin_i, one pass gives D but for ½‖e‖², which is of second order in the
// rounding: 1e-12 of P where slots are off by 1e-6. Exactly, the slots are brought to
// what alpha says first, which takes another pass, and sums are in double precision.
func (s *Solver) certify(exact bool) (primal, dual float64) {
	if exact {
		s.fromAlpha()
	}
	half := float64(s.square(exact) / 2)
	s.overRows(func(chunk, lo, hi int) {
		s.objectives[chunk] = s.objective(lo, hi, exact)
	})
	var sum objective
	for _, o := range s.objectives {
		sum.add(o)
	}
	return half + sum.losses, half - sum.cross - sum.conj
}

// fromAlpha computes the weights from alpha alone, and brings the slots to what they are.
func (s *Solver) fromAlpha() {
	s.bySides(func(side int) {
		lo, hi := s.columns(side)
		clear(s.fold[lo:hi])
		for i := range s.rows {
			if r := &s.rows[i]; r.alpha != 0 {
				s.along64(i, side)
				s.addFold(i, side, r.alpha*float64(r.scale))
			}
		}
	})
	s.overColumns(func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			c := s.p.colScale(j)
			s.fold[j] = float64(s.fold[j]*c) * c
			s.slots[j].U = float32(s.fold[j])
		}
	})
	var bias float64
	for i := range s.rows {
		r := &s.rows[i]
		bias += float64(r.alpha * float64(r.y))
	}
	s.bias = bias * s.biasSquare
}

// square is ‖w‖²: of the slots, or exactly, and of what has none.
func (s *Solver) square(exact bool) float64 {
	s.overColumns(func(chunk, lo, hi int) {
		var sum float64
		for j := lo; j < hi; j++ {
			u := float64(s.slots[j].U)
			if exact {
				u = s.fold[j]
			}
			if c := s.p.colScale(j); c != 0 {
				w := u / c
				sum += float64(w * w)
			}
		}
		s.partial[chunk] = sum
	})
	var sum float64
	for _, part := range s.partial {
		sum += part
	}
	for i := range s.rows {
		r := &s.rows[i]
		sum += float64(float64(r.alpha*r.alpha) * r.own)
	}
	if s.biasSquare > 0 {
		sum += float64(s.bias*s.bias) / s.biasSquare
	}
	return sum
}

// objective adds up what some rows are to the objectives, and notes which of them are
// at rest.
func (s *Solver) objective(lo, hi int, exact bool) (sum objective) {
	for i := lo; i < hi; i++ {
		r := &s.rows[i]
		if r.cost == 0 {
			continue
		}
		var dot float64
		if exact {
			s.along64(i, both)
			dot = s.foldDot(i)
		} else {
			s.along(i)
			dot = float64(s.sum(i, both))
		}
		margin := s.margin(int32(i), dot)
		sum.losses += s.opts.Loss.of(margin, r.cost)
		sum.conj += s.opts.Loss.conj(r.alpha, r.rest, r.cost)
		sum.cross += float64(r.alpha * margin)
		if s.opts.Loss == Logistic {
			continue
		}
		diagonal, bound := s.opts.Loss.box(r.cost)
		r.settled = pushedOut(r.alpha, bound, float64(r.alpha*diagonal)-(1-margin))
	}
	return sum
}

// margin is y_i·wᵀx_i, given the sum over its shared columns.
func (s *Solver) margin(i int32, dot float64) float64 {
	r := &s.rows[i]
	return float64(dot*float64(r.scale)) + float64(r.alpha*r.own) + float64(float64(r.y)*s.bias)
}
