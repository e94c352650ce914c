package solver

import (
	"context"
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/base/parallel"
	"github.com/seed-167f963f/nbsvm/internal/base/xmath"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// newton solves one problem of few columns in the primal, by Newton's method: Keerthi and DeCoste, "A modified finite
// Newton method for fast solution of large scale linear SVMs", JMLR 2005, for the squared hinge, and the like for the
// logistic loss. The hinge has no second derivative.
//
// For any w, let v be Σ alpha_i·y_i·x_i with alpha_i = −C_i·loss'(z_i). Then w − v is the gradient of P, and as loss
// and conjugate add up to −alpha_i·z_i there, P(w) − D(alpha) is ½‖w − v‖²: the gradient certifies the solution.
type newton struct {
	common
	x             *sparse.CSR
	p             *Problem
	scale         []float64 // per row: c_i·a_i
	norms         []float64 // per row: ‖x_i‖², without the bias
	alphas        []float64 // per row, at w
	parts         []newtonPart
	u             []float64 // per column: w_j·s_j, which rows are multiplied by
	w             []float64 // per column, and the bias last; where P and alpha are of
	from          []float64 // where the last direction was found
	direction     []float64
	primal, slope float64   // of P at base, the slope along the direction
	length        float64   // of the step from base to w, in directions
	matrix        []float64 // of second derivatives, the lower triangle by rows
	stat          Stats
	done          bool
}

// newtonPart is what some of the rows add up to.
type newtonPart struct {
	losses float64
	v      []float64 // as X has its columns, unscaled; the bias last
	matrix []float64
}

// Rows are cut into so many parts, whatever the number of threads.
const newtonParts = 16

// isForNewton says whether Newton's method solves a problem faster than coordinate descent: where rows share few
// columns, one moves all others, and descent takes a hundred epochs or more. A step is to take time for what
// rows add to the matrix of columns by columns, not to solve with it, and not for more than some epochs.
func isForNewton(x *sparse.CSR, o *Options) bool {
	const mostColumns, meanEntries = 512, 64
	if o.Loss == Hinge || x.Cols > mostColumns {
		return false
	}
	squares := 0.0
	for i := range x.Rows {
		n := float64(x.Indptr[i+1] - x.Indptr[i])
		squares += float64(n * n)
	}
	columns := float64(x.Cols + 1)
	return squares >= columns*columns*columns && squares <= meanEntries*float64(x.NNZ())
}

func newNewton(x *sparse.CSR) *newton {
	columns := x.Cols + 1
	s := &newton{x: x, parts: make([]newtonPart, newtonParts), matrix: make([]float64, columns*columns)}
	for _, perRow := range []*[]float64{&s.scale, &s.norms, &s.alphas} {
		*perRow = table[float64](&s.common, x.Rows)
	}
	for k := range s.parts {
		s.parts[k] = newtonPart{v: make([]float64, columns), matrix: make([]float64, columns*columns)}
	}
	s.u, s.w, s.from, s.direction = make([]float64, x.Cols), make([]float64, columns), make([]float64, columns), make([]float64, columns)
	return s
}

func (s *newton) checksum() uint32 { return s.x.Checksum() }

func (s *newton) stats(int) *Stats { return &s.stat }

func (s *newton) over() bool { return s.done }

// begin starts at w = 0, or where the alpha to start from lead.
func (s *newton) begin() {
	s.p, s.stat, s.done = &s.problems[0], Stats{Gap: 1}, false
	s.length, s.slope = 0, 0
	clear(s.w)
	s.overParts(func(part *newtonPart, lo, hi int) {
		clear(part.v)
		for i := lo; i < hi; i++ {
			row := rowOf(s.x, i)
			squares := s.p.squares(row)
			s.scale[i] = s.p.rowScale(i, squares)
			s.norms[i] = float64(squares*s.scale[i]) * s.scale[i]
			if s.p.Start != nil && s.opts.Resume == nil {
				part.add(row, s.scale[i], s.opts.Bias, s.y(i)*s.opts.Loss.nearest(s.p.Start[i], s.p.cost(i)))
			}
		}
	})
	if s.p.Start != nil && s.opts.Resume == nil {
		s.sumV(s.w)
	}
}

// y is ±1.
func (s *newton) y(i int) float64 {
	if s.p.Positive[i] {
		return 1
	}
	return -1
}

// overParts calls work for every part of the rows.
func (s *newton) overParts(work func(part *newtonPart, lo, hi int)) {
	parallel.Chunks(s.opts.Threads, s.x.Rows, parallel.Count(s.x.Rows, newtonParts), func(chunk, lo, hi int) {
		work(&s.parts[chunk], lo, hi)
	})
}

// add adds a multiple of a row to v.
func (part *newtonPart) add(row part, scale, bias, times float64) {
	row.add64(part.v, float64(times*scale))
	part.v[len(part.v)-1] += float64(times * bias)
}

// addSquares adds a multiple of x·xᵀ to the matrix.
func (part *newtonPart) addSquares(row part, scale, bias, times float64) {
	columns := len(part.v)
	last := part.matrix[(columns-1)*columns:]
	for k, j := range row.idx {
		y := float64(times*scale) * row.value(k)
		z, line := float64(y*scale), part.matrix[int(j)*columns:][:columns]
		if row.val == nil {
			for _, l := range row.idx[:k+1] {
				line[l] += z
			}
		} else {
			for m, l := range row.idx[:k+1] {
				line[l] += float64(z * float64(row.val[m]))
			}
		}
		last[j] += float64(y * bias)
	}
	last[columns-1] += float64(float64(times*bias) * bias)
}

// sumV adds up the v of parts, and scales it.
func (s *newton) sumV(v []float64) {
	clear(v)
	for _, part := range s.parts {
		for j, x := range part.v {
			v[j] += x
		}
	}
	for j := range s.x.Cols {
		v[j] *= s.p.colScale(j)
	}
}

// step computes P and its derivatives at w, and moves on unless that is the solution. A direction that P does not fall
// along is gone half as far.
func (s *newton) step(context.Context) (Epoch, error) {
	st := &s.stat
	st.Epochs++
	for j := range s.u {
		s.u[j] = s.w[j] * s.p.colScale(j)
	}
	columns := s.x.Cols + 1
	s.overParts(func(part *newtonPart, lo, hi int) {
		part.losses = 0
		clear(part.v)
		clear(part.matrix)
		for i := lo; i < hi; i++ {
			s.row(part, i)
		}
	})
	st.Steps += int64(s.x.Rows)
	gradient := make([]float64, columns)
	s.sumV(gradient)
	st.Primal = 0
	square := 0.0
	for j, w := range s.w {
		gradient[j] = w - gradient[j]
		square += float64(gradient[j] * gradient[j])
		st.Primal += float64(w * w)
	}
	st.Primal /= 2
	for _, part := range s.parts {
		st.Primal += part.losses
	}
	st.Dual = st.Primal - float64(square/2)
	st.Gap = relative(square/2, st.Primal)
	st.Converged = st.Gap <= s.opts.Tol
	s.done = st.Converged || st.Epochs == s.opts.MaxEpochs
	epoch := Epoch{Number: st.Epochs, Active: s.x.Rows, Estimate: st.Gap, Gap: st.Gap}
	long := slices.IndexFunc(s.norms, tooLong)
	if long >= 0 || !inRange(st.Primal, st.Dual) {
		return epoch, s.p.overflow(st.Epochs, s.opts.Bias, long)
	}
	if !s.done {
		s.move(gradient)
	}
	return epoch, nil
}

// row adds a row to a part, by its margin at w.
func (s *newton) row(part *newtonPart, i int) {
	cost := s.p.cost(i)
	if s.alphas[i] = 0; cost == 0 {
		return
	}
	row, y, scale, bias := rowOf(s.x, i), s.y(i), s.scale[i], s.opts.Bias
	margin := y * (float64(row.dot64(s.u)*scale) + float64(s.w[s.x.Cols]*bias))
	part.losses += s.opts.Loss.of(margin, cost)
	alpha, curvature := s.opts.Loss.derivatives(margin, cost)
	if s.alphas[i] = alpha; alpha > 0 {
		part.add(row, scale, bias, float64(y*alpha))
		part.addSquares(row, scale, bias, curvature)
	}
}

// derivatives are those of a loss: −cost·loss' and cost·loss” at a margin.
func (l Loss) derivatives(margin, cost float64) (alpha, curvature float64) {
	if l == SquaredHinge {
		if margin >= 1 {
			return 0, 0
		}
		return 2 * float64(cost*(1-margin)), 2 * cost
	}
	p := xmath.Sigmoid(-margin)
	return float64(cost * p), float64(cost*p) * (1 - p)
}

// move goes from w to where P and its derivatives are computed next.
func (s *newton) move(gradient []float64) {
	const enough = 1e-4 // of what the slope promises
	const least = 1e-10
	if s.length > least && !(s.stat.Primal <= s.primal+float64(enough*s.length*s.slope)) {
		s.length /= 2
	} else {
		copy(s.from, s.w)
		s.primal, s.length = s.stat.Primal, 1
		s.solve(gradient)
		s.slope = 0
		for j, d := range s.direction {
			s.slope += float64(d * gradient[j])
		}
	}
	for j, d := range s.direction {
		s.w[j] = s.from[j] + float64(s.length*d)
	}
}

// solve makes the direction −H⁻¹·gradient, H being the matrix of second derivatives, by Cholesky's decomposition.
func (s *newton) solve(gradient []float64) {
	columns := len(s.w)
	scaleOf := func(j int) float64 {
		if j == s.x.Cols {
			return 1
		}
		return s.p.colScale(j)
	}
	h := s.matrix
	for j := range columns {
		line := h[j*columns:][:j+1]
		clear(line)
		for _, part := range s.parts {
			for l, x := range part.matrix[j*columns:][:j+1] {
				line[l] += x
			}
		}
		c := scaleOf(j)
		for l := range line {
			line[l] = float64(line[l]*c) * scaleOf(l)
		}
		line[j]++
	}
	d := s.direction
	for j := range columns {
		line := h[j*columns:][:j+1]
		for l := range j {
			other := h[l*columns:][:l+1]
			line[l] = (line[l] - dotOf(line[:l], other[:l])) / other[l]
		}
		// What rounding leaves of a pivot is not less than nothing; any such direction leads down.
		const least = 1e-14
		line[j] = math.Sqrt(max(line[j]-dotOf(line[:j], line[:j]), least*line[j]))
		d[j] = (-gradient[j] - dotOf(line[:j], d[:j])) / line[j]
	}
	for j := columns - 1; j >= 0; j-- {
		d[j] /= h[j*columns+j]
		for l, x := range h[j*columns:][:j] {
			d[l] -= float64(x * d[j])
		}
	}
}

// dotOf is Σ a_k·b_k, as four sums.
func dotOf(a, b []float64) float64 {
	var s [4]float64
	for len(a) >= 4 && len(b) >= 4 {
		s[0] += float64(a[0] * b[0])
		s[1] += float64(a[1] * b[1])
		s[2] += float64(a[2] * b[2])
		s[3] += float64(a[3] * b[3])
		a, b = a[4:], b[4:]
	}
	for k, x := range a {
		s[0] += float64(x * b[k])
	}
	return (s[0] + s[1]) + (s[2] + s[3])
}

func (s *newton) weights(_ int, dst []float32) ([]float32, float64) {
	dst = slices.Grow(dst[:0], s.x.Cols)[:s.x.Cols]
	for j := range dst {
		dst[j] = float32(s.w[j])
	}
	return dst, s.w[s.x.Cols] * s.opts.Bias
}

func (s *newton) alpha(_ int, dst []float64) []float64 { return append(dst, s.alphas...) }

// state walks over what the solution has come to.
func (s *newton) state(c *codec) {
	c.same(s.data)
	c.stats(&s.stat, &s.opts)
	c.flag(&s.done)
	c.check(s.stat.Epochs > 0 && (s.done || s.stat.Epochs < s.opts.MaxEpochs))
	c.floats(&s.primal, &s.slope)
	c.between(0, 1, &s.length)
	for j := range s.w {
		c.between(-mostWeight, mostWeight, &s.w[j], &s.from[j])
		c.floats(&s.direction[j])
	}
	for i := range s.alphas {
		c.between(0, s.opts.Loss.most(s.p.cost(i)), &s.alphas[i])
	}
}
