package distributed

import "github.com/seed-167f963f/nbsvm/internal/kernels"

// objectives are P of the weights that all know, and D of alpha; exactly, both are of w(alpha).
func (s *Simulation) objectives() (primal, dual float64) {
	var table []float64
	bias := s.bias
	if s.o.Exact {
		table, bias = s.ofAlpha()
	}
	var square, losses, conj, cross float64
	for j := range s.u {
		c, u := float64(s.p.ColScale[j]), float64(s.u[j])
		if table != nil {
			u = table[j]
		}
		if c != 0 {
			square += float64(float64(u/c) * float64(u/c))
		}
	}
	for k := range s.workers {
		for _, i := range s.workers[k].rows {
			r := &s.rows[i]
			idx, val := s.split(int(i))
			var dot float64
			if table != nil {
				dot = kernels.Dot64(table, idx, val)
			} else {
				dot = float64(kernels.DotSlots(s.slots, idx, val))
			}
			margin := float64(dot*float64(r.scale)) + float64(r.alpha*r.own) + float64(float64(r.y)*bias)
			losses += s.p.Loss.Value(margin, s.p.Cost)
			conj += s.p.Loss.Conjugate(r.alpha, s.p.Cost)
			cross += float64(r.alpha * margin)
			square += float64(float64(r.alpha*r.alpha) * r.own)
		}
	}
	if b := s.p.Bias; b > 0 {
		square += float64(float64(bias/b) * float64(bias/b))
	}
	if table != nil {
		half := float64(square / 2)
		return half + losses, -half - conj
	}
	half := float64(square / 2)
	return half + losses, half - cross - conj // see package solver, When it stops
}

// ofAlpha is w(alpha)·s in double precision, and the bias's part of decisions.
func (s *Simulation) ofAlpha() (table []float64, bias float64) {
	table = make([]float64, len(s.u))
	for k := range s.workers {
		for _, i := range s.workers[k].rows {
			r := &s.rows[i]
			idx, val := s.split(int(i))
			kernels.Axpy64(table, idx, val, r.alpha*float64(r.scale))
			bias += float64(float64(r.alpha*float64(r.y)) * s.p.Bias * s.p.Bias)
		}
	}
	for j := range table {
		c := float64(s.p.ColScale[j])
		table[j] *= float64(c * c)
	}
	return table, bias
}
