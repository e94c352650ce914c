package solver

// certify returns what solution.certify needs, and notes which rows are at a bound.
func (s *single) certify(exact bool) (square float64, sum objective) {
	if exact {
		s.fromAlpha()
	}
	s.overRows(func(chunk, lo, hi int) {
		s.objectives[chunk] = s.objective(lo, hi, exact)
	})
	for _, o := range s.objectives {
		sum.add(o)
	}
	return s.square(exact), sum
}

// fromAlpha computes the weights from alpha alone, and brings the slots to what they are.
func (s *single) fromAlpha() {
	s.byPieces(func(of pieces) {
		clear(s.exactU[s.bounds[of.from]:s.bounds[of.to]])
		for i := range s.rows {
			if r := &s.rows[i]; r.alpha != 0 {
				prefetchInOrder(s, s.exactU, i, of)
				s.within(i, of).add64(s.exactU, r.alpha*float64(r.scale))
			}
		}
	})
	s.overColumns(func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			c := s.p.colScale(j)
			s.exactU[j] = float64(s.exactU[j]*c) * c
			s.slots[j].U = float32(s.exactU[j])
		}
	})
	clear(s.bias)
	for i := range s.rows {
		r := &s.rows[i]
		s.bias[r.threshold] += float64(r.alpha * float64(r.y))
	}
	for k := range s.bias {
		s.bias[k] *= s.biasSquare
	}
}

// square returns ‖w‖²: of the slots, or exactly, and of what has none.
func (s *single) square(exact bool) float64 {
	s.overColumns(func(chunk, lo, hi int) {
		var sum float64
		for j := lo; j < hi; j++ {
			u := float64(s.slots[j].U)
			if exact {
				u = s.exactU[j]
			}
			sum += s.p.squareOf(j, u)
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
	for _, bias := range s.bias {
		if s.biasSquare > 0 {
			sum += float64(bias*bias) / s.biasSquare
		}
	}
	return sum
}

// objective adds up what some rows are to the objectives, and notes which of them are
// at a bound.
func (s *single) objective(lo, hi int, exact bool) (sum objective) {
	for i := lo; i < hi; i++ {
		r := &s.rows[i]
		if r.cost == 0 {
			continue
		}
		var dot float64
		if exact {
			prefetchInOrder(s, s.exactU, i, s.all())
			dot = s.head(i).dot64(s.exactU)
		} else {
			prefetchInOrder(s, s.slots, i, s.all())
			dot = float64(s.head(i).dot(s.slots))
		}
		own, offset := s.own(int32(i), dot), s.p.offset(i)
		sum.addRow(s.loss, r.alpha, r.rest, r.cost, own, offset)
		r.atBound = s.loss.atBound(r.alpha, r.cost, own+offset)
	}
	return sum
}

// own returns y_i·wᵀx_i, given the sum over its shared columns.
func (s *single) own(i int32, dot float64) float64 {
	r := &s.rows[i]
	return float64(dot*float64(r.scale)) + float64(r.alpha*r.own) + float64(float64(r.y)*s.bias[r.threshold])
}
