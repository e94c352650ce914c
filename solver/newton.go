package solver

import (
	"context"
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// newton solves problems of few columns in the primal, one after the other, by Newton's method: Keerthi and DeCoste, "A
// modified finite Newton method for fast solution of large scale linear SVMs", JMLR 2005, for the squared hinge, and
// the like for the logistic loss. The hinge has no second derivative.
type newton struct {
	common
	x        *sparse.CSR
	parts    []newtonPart
	matrix   []float64 // of second derivatives, the lower triangle by rows
	gradient []float64
	members  []newtonMember
}

// newtonMember is how far one problem is.
//
// For any w, let v be Σ alpha_i·y_i·x_i with alpha_i = −C_i·loss'(z_i). Then w − v is the gradient of P, and as loss
// and conjugate add up to −alpha_i·z_i there, P(w) − D(alpha) is ½‖w − v‖²: the gradient certifies the solution.
type newtonMember struct {
	p             *Problem
	scale         []float64 // per row: c_i·a_i
	alphas        []float64 // per row, at w
	u             []float64 // per column: w_j·s_j, which rows are multiplied by
	w             []float64 // per column, and the bias last; where P and alpha are of
	from          []float64 // where the last direction was found
	direction     []float64
	primal, slope float64 // of P there, and along the direction
	length        float64 // of the step to w, in directions
	long          int     // the first row whose squares are too much for single precision, or -1
	stat          Stats
	done          bool
}

// newtonPart is what some of the rows add up to.
type newtonPart struct {
	losses float64
	v      []float64 // as X has its columns, unscaled; the bias last
	matrix []float64
	values []float64              // of a row, scaled
	whole  [wholeRows]weightedRow // rows of all columns that wait to be added to the matrix
	waits  int
	long   int // its first row that is too long, or -1
}

// weightedRow is the scaled values of a row that has all columns, the bias last, and what x·xᵀ is to be multiplied by.
type weightedRow struct {
	x     []float64
	times float64
}

// wholeRows are added to the matrix at once, which is read and written as a whole for each.
const wholeRows = 4

// newtonParts returns how many parts rows are cut into, whatever the number of threads: fewer where each takes much
// memory.
func newtonParts(columns int) int {
	const most, numbers = 16, 1 << 22
	return max(min(most, numbers/(columns*columns)), 2)
}

// isForNewton reports whether Newton's method solves problems faster than coordinate descent: where rows share few
// columns, a step for one moves the margins of all others, and descent takes a hundred epochs, or never ends where
// columns are of different sizes. A step of Newton's is to take time for what rows add to the matrix of columns by
// columns, not to solve with it. Where rows are brought to unit length, descent is quick, and only short rows are
// quicker.
func isForNewton(x *sparse.CSR, unitRows bool, loss Loss) bool {
	const mostColumns, unitEntries = 1024, 64
	if loss == Hinge || x.Cols > mostColumns {
		return false
	}
	squares := 0.0
	for i := range x.Rows {
		n := float64(x.Indptr[i+1] - x.Indptr[i])
		squares += float64(n * n)
	}
	columns := float64(x.Cols + 1)
	return squares >= columns*columns*columns && (!unitRows || squares <= unitEntries*float64(x.NNZ()))
}

func newNewton(x *sparse.CSR) *newton {
	columns := x.Cols + 1
	s := &newton{
		x: x, parts: make([]newtonPart, newtonParts(columns)), matrix: make([]float64, columns*columns),
		gradient: make([]float64, columns),
	}
	for k := range s.parts {
		part := &s.parts[k]
		*part = newtonPart{
			long: -1, v: make([]float64, columns), matrix: make([]float64, columns*columns),
			values: make([]float64, columns),
		}
		for r := range part.whole {
			part.whole[r].x = make([]float64, columns)
		}
	}
	return s
}

func (s *newton) stats(problem int) *Stats { return &s.members[problem].stat }

func (s *newton) over() bool {
	return !slices.ContainsFunc(s.members, func(m newtonMember) bool { return !m.done })
}

// begin starts at w = 0, or where the alpha to start from lead.
func (s *newton) begin() {
	columns := s.x.Cols + 1
	for len(s.members) < len(s.problems) {
		m := newtonMember{
			u: make([]float64, s.x.Cols), w: make([]float64, columns), from: make([]float64, columns),
			direction: make([]float64, columns),
		}
		for _, perRow := range []*[]float64{&m.scale, &m.alphas} {
			*perRow = table[float64](&s.common, s.x.Rows)
		}
		s.members = append(s.members, m)
	}
	s.members = s.members[:len(s.problems)]
	for k := range s.members {
		m := &s.members[k]
		m.p, m.stat, m.done, m.length, m.slope = &s.problems[k], Stats{}, false, 0, 0
		started := m.p.Start != nil
		s.overParts(func(part *newtonPart, lo, hi int) {
			clear(part.v)
			part.long = -1
			for i := lo; i < hi; i++ {
				row := rowOf(s.x, i)
				squares := m.p.squares(row)
				m.scale[i] = m.p.rowScale(i, squares)
				if part.long < 0 && tooLong(float64(squares*m.scale[i])*m.scale[i]) {
					part.long = i
				}
				if started {
					part.add(row, m.scale[i], s.opts.Bias, m.y(i)*s.opts.Loss.nearest(m.p.Start[i], m.p.Cost(i)))
				}
			}
		})
		if clear(m.w); started {
			s.sumV(m, m.w)
		}
		m.long = -1
		for _, part := range s.parts {
			if m.long < 0 {
				m.long = part.long
			}
		}
	}
}

// y returns ±1.
func (m *newtonMember) y(i int) float64 {
	if m.p.Positive[i] {
		return 1
	}
	return -1
}

// overParts calls work for every part of the rows.
func (s *newton) overParts(work func(part *newtonPart, lo, hi int)) {
	par.Chunks(s.opts.Threads, s.x.Rows, par.Count(s.x.Rows, len(s.parts)), func(chunk, lo, hi int) {
		work(&s.parts[chunk], lo, hi)
	})
}

// add adds a multiple of a row to v.
func (part *newtonPart) add(row part, scale, bias, times float64) {
	row.add64(part.v, float64(times*scale))
	part.v[len(part.v)-1] += float64(times * bias)
}

// addSquares adds a multiple of x·xᵀ to the matrix, or will.
func (part *newtonPart) addSquares(row part, scale, bias, times float64) {
	columns, n := len(part.v), len(row.idx)
	values := part.values[:n]
	if n == columns-1 {
		if part.waits == wholeRows {
			part.addWhole()
		}
		to := &part.whole[part.waits]
		part.waits++
		values, to.x[n], to.times = to.x[:n], bias, times
	}
	for k := range values {
		values[k] = float64(scale * row.value(k))
	}
	if n == columns-1 {
		return
	}
	last := part.matrix[(columns-1)*columns:]
	for k, j := range row.idx {
		y, line := float64(times*values[k]), part.matrix[int(j)*columns:][:columns]
		for m, l := range row.idx[:k+1] {
			line[l] += float64(y * values[m])
		}
		last[j] += float64(y * bias)
	}
	last[columns-1] += float64(float64(times*bias) * bias)
}

// addWhole adds the rows to the matrix that wait.
func (part *newtonPart) addWhole() {
	columns := len(part.v)
	for r := part.waits; r < wholeRows; r++ {
		clear(part.whole[r].x)
	}
	a, b, c, d := &part.whole[0], &part.whole[1], &part.whole[2], &part.whole[3]
	for j := range columns {
		line := part.matrix[j*columns:][:j+1]
		ax, bx, cx, dx := a.x[:len(line)], b.x[:len(line)], c.x[:len(line)], d.x[:len(line)]
		ay, by, cy, dy := float64(a.times*ax[j]), float64(b.times*bx[j]), float64(c.times*cx[j]), float64(d.times*dx[j])
		for l := range line {
			line[l] += (float64(ay*ax[l]) + float64(by*bx[l])) + (float64(cy*cx[l]) + float64(dy*dx[l]))
		}
	}
	part.waits = 0
}

// sumV adds up the v of parts, and scales it.
func (s *newton) sumV(m *newtonMember, v []float64) {
	clear(v)
	for _, part := range s.parts {
		for j, x := range part.v {
			v[j] += x
		}
	}
	for j := range s.x.Cols {
		v[j] *= m.p.colScale(j)
	}
}

// step makes a step of every problem that is not solved.
func (s *newton) step(ctx context.Context) (Epoch, error) {
	epoch := Epoch{Active: s.x.Rows}
	for k := range s.members {
		m := &s.members[k]
		if m.done {
			continue
		}
		if err := ctx.Err(); err != nil {
			return epoch, err
		}
		if err := s.stepOf(m); err != nil {
			return epoch, err
		}
		epoch.Number, epoch.Gap = m.stat.Epochs, max(epoch.Gap, m.stat.Gap)
	}
	epoch.Estimate = epoch.Gap
	return epoch, nil
}

// stepOf computes P and its derivatives at w, and moves on unless that is the solution.
func (s *newton) stepOf(m *newtonMember) error {
	st := &m.stat
	st.Epochs++
	for j := range m.u {
		m.u[j] = m.w[j] * m.p.colScale(j)
	}
	s.overParts(func(part *newtonPart, lo, hi int) {
		part.losses = 0
		clear(part.v)
		clear(part.matrix)
		for i := lo; i < hi; i++ {
			s.row(m, part, i)
		}
		if part.waits > 0 {
			part.addWhole()
		}
	})
	st.Steps += int64(s.x.Rows)
	s.sumV(m, s.gradient)
	square := 0.0 // of the gradient's length
	st.Primal = 0
	for j, w := range m.w {
		g := w - s.gradient[j]
		s.gradient[j] = g
		square += float64(g * g)
		st.Primal += float64(float64(w*w) / 2)
	}
	for _, part := range s.parts {
		st.Primal += part.losses
	}
	st.Dual = st.Primal - float64(square/2)
	st.Gap = relative(square/2, st.Primal)
	st.Converged = st.Gap <= s.opts.Tol
	m.done = st.Converged || st.Epochs == s.opts.MaxEpochs
	if m.long >= 0 || !inRange(st.Primal, st.Dual) {
		return m.p.overflow(st.Epochs, s.opts.Bias, m.long)
	}
	if !m.done {
		s.move(m)
	}
	return nil
}

// row adds a row to a part, by its margin at w.
func (s *newton) row(m *newtonMember, part *newtonPart, i int) {
	cost := m.p.Cost(i)
	if m.alphas[i] = 0; cost == 0 {
		return
	}
	row, y, scale, bias := rowOf(s.x, i), m.y(i), m.scale[i], s.opts.Bias
	margin := float64(y*(float64(row.dot64(m.u)*scale)+float64(m.w[s.x.Cols]*bias))) + m.p.offset(i)
	part.losses += s.opts.Loss.of(margin, cost)
	alpha, curvature := s.opts.Loss.derivatives(margin, cost)
	if m.alphas[i] = alpha; alpha > 0 {
		part.add(row, scale, bias, float64(y*alpha))
		part.addSquares(row, scale, bias, curvature)
	}
}

// derivatives returns the derivatives of a loss at a margin: minus the first, and the second, times the cost.
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

// move goes from w to where P and its derivatives are computed next. A direction along which P has not fallen is gone
// half as far.
func (s *newton) move(m *newtonMember) {
	const enough = 1e-4 // of what the slope promises
	const least = 1e-10
	if m.length > least && !(m.stat.Primal <= m.primal+float64(enough*m.length*m.slope)) {
		m.length /= 2
	} else {
		copy(m.from, m.w)
		s.solve(m)
		m.primal, m.length, m.slope = m.stat.Primal, 1, dotOf(m.direction, s.gradient)
	}
	for j, d := range m.direction {
		m.w[j] = m.from[j] + float64(m.length*d)
	}
}

// solve makes the direction −H⁻¹·gradient, H being the matrix of second derivatives, by Cholesky's decomposition.
func (s *newton) solve(m *newtonMember) {
	columns := len(m.w)
	scaleOf := func(j int) float64 {
		if j == s.x.Cols {
			return 1
		}
		return m.p.colScale(j)
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
	d := m.direction
	for j := range columns {
		line := h[j*columns:][:j+1]
		for l := range j {
			other := h[l*columns:][:l+1]
			line[l] = (line[l] - dotOf(line[:l], other[:l])) / other[l]
		}
		// What rounding leaves of a pivot is not less than nothing; any such direction leads down.
		const least = 1e-14
		line[j] = math.Sqrt(max(line[j]-dotOf(line[:j], line[:j]), least*line[j]))
		d[j] = (-s.gradient[j] - dotOf(line[:j], d[:j])) / line[j]
	}
	for j := columns - 1; j >= 0; j-- {
		d[j] /= h[j*columns+j]
		for l, x := range h[j*columns:][:j] {
			d[l] -= float64(x * d[j])
		}
	}
}

// dotOf returns Σ a_k·b_k, as four sums.
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

func (s *newton) weights(problem int, dst []float32) ([]float32, float64) {
	m := &s.members[problem]
	dst = slices.Grow(dst[:0], s.x.Cols)[:s.x.Cols]
	for j := range dst {
		dst[j] = float32(m.w[j])
	}
	return dst, m.w[s.x.Cols] * s.opts.Bias
}

func (s *newton) alpha(problem int, dst []float64) []float64 {
	return append(dst, s.members[problem].alphas...)
}
