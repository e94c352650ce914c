package solver

import (
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/kernels"
)

// prepare lays out slots, rows and the starting alpha.
func (s *Solver) prepare() {
	s.overColumns(func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			c := s.p.colScale(j)
			s.slots[j] = kernels.Slot{S: float32(c * c)}
		}
	})
	s.bias, s.biasSquare = 0, s.opts.Bias*s.opts.Bias
	s.order = s.order[:0]
	for i := range s.rows {
		s.prepareRow(i)
	}
	// One thread meets rows in its first epoch, when they are in the cache anyway.
	s.meeting = s.opts.Threads < 2 && s.p.Alpha == nil && s.opts.Resume == nil
	if !s.meeting {
		inChunks(s.opts.Threads, len(s.order), chunkRows, func(_, lo, hi int) {
			for k := lo; k < hi; k++ {
				s.approach(s.order[:hi], k)
				s.meet(int(s.order[k]))
			}
		})
		s.placed = true
	}
	if s.opts.Resume != nil {
		return // the rest is in the state
	}
	s.setBatch(s.batchOf())
	if s.p.Alpha != nil {
		s.fromAlpha()
	}
}

// prepareRow gives a row its side, its cost and the alpha that it starts from. What
// takes its ids is left to meet.
func (s *Solver) prepareRow(i int) {
	r := &s.rows[i]
	*r = row{y: -1, cost: s.p.cost(i)}
	if s.p.Positive[i] {
		r.y = 1
	}
	if r.cost == 0 {
		s.meet(i)
		return
	}
	s.order = append(s.order, int32(i))
	r.alpha = s.opts.Loss.start(&s.p, i, r.cost)
	r.rest = r.cost - r.alpha
	r.fresh = s.p.Alpha == nil && s.opts.Resume == nil
}

// place finds where a row lies in the matrix, once.
func (s *Solver) place(i int) {
	if s.placed {
		return
	}
	idx, _ := s.x.Row(i)
	head, _ := slices.BinarySearch(idx, uint32(len(s.slots)))
	cut, _ := slices.BinarySearch(idx[:head], uint32(s.middle))
	s.places[i] = place{s.x.Indptr[i], int32(head), int32(cut)}
}

// meet computes what does not change of a row.
func (s *Solver) meet(i int) {
	r := &s.rows[i]
	if r.met {
		return
	}
	r.met = true
	s.place(i)
	squares, own := s.headSquares(i), s.p.squares(s.tail(i))
	scale := 1.0
	switch {
	case s.p.UnitRows:
		scale = inverseRoot(squares + own) // a_i cancels
	case s.p.RowScale != nil:
		scale = s.p.RowScale[i]
	}
	r.scale = r.y * float32(scale)
	square := float64(r.scale) * float64(r.scale)
	r.own = float64(own * square)
	r.norm = float64(squares*square) + r.own + s.biasSquare
}

// inverseRoot is 1/√x, and 0 for 0.
func inverseRoot(x float64) float64 {
	if x <= 0 {
		return 0
	}
	return 1 / math.Sqrt(x)
}

// headSquares is Σ X_ij²·s_j² over shared columns.
func (s *Solver) headSquares(i int) float64 {
	idx, val := s.head(i)
	if val == nil {
		return float64(kernels.SumScales(s.slots, idx))
	}
	var sum float64
	for k, j := range idx {
		v := float64(val[k])
		sum += float64(float64(v*v) * float64(s.slots[j].S))
	}
	return sum
}
