package solver

import (
	"math"
	"slices"
)

// Two documents that are nearly the same, a review and its copy with a few words
// changed, have nearly one margin, and one alpha between them that should all be on one
// side. Coordinate descent moves it over at a small steady pace, for dozens of epochs in
// which the dual hardly grows, and meanwhile all margins that the two touch are off by
// enough to keep the gap of the hinge losses wide. So every other epoch the problem of
// those rows alone that have moved most is solved as a whole. On IMDB's uni- and bigrams
// that makes 20 epochs of 63 for hinge at C 1, and 25 of 229 at C 10.
const (
	blockFrom    = 6  // epoch
	blockEvery   = 2  // epochs
	blockLeast   = 16 // rows
	blockMost    = 128
	blockPart    = 50   // all pairs of a block are at most this part of the rows that are active
	blockSweeps  = 100  // over a block, at most
	blockPrecise = 1e-4 // how far margins of a block may be from where they should be
)

// block is a small problem: some rows, all others staying as they are.
type block struct {
	rows     []int32
	moved    []float64 // how far they have, in terms of the weights; descending
	start    []float64 // alpha
	gradient []float64 // on the side of alpha ≥ 0
	products []float64 // x_i·x_k, and D_i on the diagonal
}

// solveBlock finds the best alpha of those rows of the order that have moved most, and
// says how many updates that is worth.
func (s *single) solveBlock(order []int32) (visits int64) {
	b := &s.block
	b.choose(s.rows, order)
	n := len(b.rows)
	b.start, b.gradient = slices.Grow(b.start[:0], n)[:n], slices.Grow(b.gradient[:0], n)[:n]
	b.products = slices.Grow(b.products[:0], n*n)[:n*n]
	for _, i := range b.rows {
		s.clearExact(i)
	}
	for a, i := range b.rows {
		r := &s.rows[i]
		diagonal, _ := s.loss.box(r.cost)
		b.start[a] = r.alpha
		margin := s.own(i, float64(s.head(int(i)).dot(s.slots))) + s.p.offset(int(i))
		b.gradient[a] = float64(r.alpha*diagonal) - (-s.loss.epsilon - margin)
		s.head(int(i)).add64(s.exactU, float64(r.scale))
		for c, k := range b.rows[:a] {
			other := &s.rows[k]
			dot := float64(s.squaresDot(int(k)) * float64(other.scale))
			if r.threshold == other.threshold {
				dot += float64(float64(r.y*other.y) * s.biasSquare)
			}
			b.products[a*n+c], b.products[c*n+a] = dot, dot
		}
		b.products[a*n+a] = r.norm + diagonal
		s.clearExact(i)
	}
	s.descendBlock()
	for a, i := range b.rows {
		r := &s.rows[i]
		delta := r.alpha - b.start[a]
		s.head(int(i)).add(s.slots, float32(delta)*r.scale)
		s.bias[r.threshold] += float64(delta * float64(r.y) * s.biasSquare)
	}
	return int64(n) * int64(n+5) / 2
}

// descendBlock performs coordinate descent on a block.
func (s *single) descendBlock() {
	b := &s.block
	n := len(b.rows)
	precise := blockPrecise
	for sweep := range blockSweeps {
		most := 0.0
		for a, i := range b.rows {
			r := &s.rows[i]
			q := b.products[a*n+a]
			if q <= 0 {
				continue // a row of no columns: an update has brought it where it belongs
			}
			_, bound := s.loss.box(r.cost)
			next := s.loss.least(r.alpha, b.gradient[a], q, bound)
			delta := next - r.alpha
			if delta == 0 {
				continue
			}
			most = max(most, math.Abs(delta)*q)
			r.alpha = next
			for c, dot := range b.products[a*n:][:n] {
				b.gradient[c] += float64(delta * dot)
			}
		}
		if sweep == 0 && s.loss.IsRegression() {
			precise *= most // as targets are of any size
		}
		if most <= precise {
			return
		}
	}
}

// choose finds the rows of the order whose alpha have gone farthest since the last
// block, and begins to count anew.
func (b *block) choose(rows []row, order []int32) {
	most := min(max(int(math.Sqrt(float64(len(order)*2/blockPart))), blockLeast), blockMost)
	b.rows, b.moved = b.rows[:0], b.moved[:0]
	for _, i := range order {
		r := &rows[i]
		moved := float64(float64(r.moved*r.moved) * r.norm)
		r.moved = 0
		if moved == 0 || len(b.rows) == most && moved <= b.moved[most-1] {
			continue
		}
		if len(b.rows) == most {
			b.rows, b.moved = b.rows[:most-1], b.moved[:most-1]
		}
		k := len(b.rows)
		for k > 0 && b.moved[k-1] < moved {
			k--
		}
		b.rows, b.moved = slices.Insert(b.rows, k, i), slices.Insert(b.moved, k, moved)
	}
}

// clearExact brings the columns of a row to 0.
func (s *single) clearExact(i int32) {
	for _, j := range s.head(int(i)).idx() {
		s.exactU[j] = 0
	}
}
