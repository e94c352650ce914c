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
// modified finite Newton method for fast solution of large scale linear SVMs", JMLR 2005, for the squared losses, and
// the like for the logistic loss. The epsilon-insensitive loss has no second derivative: it is smoothed, less and less.
// See Madsen and Nielsen, "A finite smoothing algorithm for linear l1 estimation", SIAM Journal on Optimization 1993.
type newton struct {
	common
	x        *sparse.CSR
	parts    []newtonPart
	matrix   []float64 // of second derivatives, the lower triangle by rows
	gradient []float64
	smoothed []float64 // see newtonPart
	members  []newtonMember
}

// newtonMember is how far one problem is.
//
// For any w, let v be Σ alpha_i·y_i·x_i with alpha_i = −C_i·loss'(z_i). Then w − v is the gradient of P, and as loss
// and conjugate add up to −alpha_i·z_i there, P(w) − D(alpha) is ½‖w − v‖²: the gradient certifies the solution.
//
// A loss with a kink, of an excess e = |z_i| − ε, is smoothed: it is e²/(2·kink) from 0 up to the kink. Alpha is that of
// the smoothed loss, which the dual takes as well, and P − D is more by Σ (C_i − |alpha_i|)·e over these rows.
type newtonMember struct {
	p              *Problem
	scale          []float64 // per row: c_i·a_i
	alphas         []float64 // per row, at w
	margins, moves []float64 // per row, of a loss with a kink: at w, and along the direction
	u              []float64 // per column: w_j·s_j, which rows are multiplied by
	w              []float64 // per column, and the bias last; where P and alpha are of
	from           []float64 // where the last direction was found
	direction      []float64
	smooth, slope  float64 // P, smoothed, there, and its slope along the direction
	kink           float64 // the excess up to which losses with a kink are smoothed
	length         float64 // of the step to w, in directions
	long           int     // the first row whose squares are too much for single precision, or -1
	stat           Stats
	done           bool
}

// newtonPart is what some of the rows add up to.
type newtonPart struct {
	newtonSums
	v        []float64 // as X has its columns, unscaled; the bias last
	smoothed []float64 // what v has of rows whose loss has a kink that is smoothed for them
	matrix   []float64
	values   []float64              // of a row, scaled
	whole    [wholeRows]weightedRow // rows of all columns that wait to be added to the matrix
	waits    int
	long     int // its first row that is too long, or -1
}

// newtonSums are sums over rows, at w.
type newtonSums struct {
	losses float64
	smooth float64 // the losses, smoothed
	gap    float64 // what P − D is more than half the squared gradient, by smoothing
	slope  float64 // of the smoothed losses along a direction
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
		gradient: make([]float64, columns), smoothed: make([]float64, columns),
	}
	for k := range s.parts {
		part := &s.parts[k]
		*part = newtonPart{
			long: -1, v: make([]float64, columns), matrix: make([]float64, columns*columns),
			values: make([]float64, columns), smoothed: make([]float64, columns),
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
		for _, perRow := range []*[]float64{&m.scale, &m.alphas, &m.margins, &m.moves} {
			*perRow = table[float64](&s.common, s.x.Rows)
		}
		s.members = append(s.members, m)
	}
	s.members = s.members[:len(s.problems)]
	for k := range s.members {
		m := &s.members[k]
		m.p, m.stat, m.done, m.length, m.slope = &s.problems[k], Stats{}, false, 0, 0
		if !s.loss.isSmooth() {
			const excesses = 4 // mean ones, so that nearly all rows are below the first kink
			primal, costs := m.p.atZero(s.loss, s.x.Rows)
			m.kink = excesses * primal / max(costs, math.SmallestNonzeroFloat64)
		}
		started := m.p.Start != nil && (s.loss.isSmooth() || m.kink > 0) // else w = 0 is the solution
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
					row.addTo(part.v, m.scale[i], s.opts.Bias, m.y(i)*s.loss.nearest(m.p.Start[i], m.p.Cost(i)))
				}
			}
		})
		if clear(m.w); started {
			m.kink /= 100 // as much of the way is behind
			s.sumV(m, m.w, false)
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
	if m.p.positive(i) {
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

// addTo adds a multiple of a row to sums by column, the bias last.
func (r part) addTo(sums []float64, scale, bias, times float64) {
	r.add64(sums, float64(times*scale))
	sums[len(sums)-1] += float64(times * bias)
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

// sumV adds up the v of parts, or what is smoothed of it, and scales it.
func (s *newton) sumV(m *newtonMember, v []float64, smoothed bool) {
	clear(v)
	for _, part := range s.parts {
		from := part.v
		if smoothed {
			from = part.smoothed
		}
		for j, x := range from {
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
		part.newtonSums = newtonSums{}
		clear(part.v)
		clear(part.smoothed)
		clear(part.matrix)
		for i := lo; i < hi; i++ {
			s.row(m, part, i)
		}
		if part.waits > 0 {
			part.addWhole()
		}
	})
	st.Steps += int64(s.x.Rows)
	s.sumV(m, s.gradient, false)
	square := 0.0 // of the gradient's length
	st.Primal = 0
	for j, w := range m.w {
		g := w - s.gradient[j]
		s.gradient[j] = g
		square += float64(g * g)
		st.Primal += float64(float64(w*w) / 2)
	}
	smooth, kinks := st.Primal, 0.0
	for _, part := range s.parts {
		st.Primal += part.losses
		smooth += part.smooth
		kinks += part.gap
	}
	gap := float64(square/2) + kinks
	st.Dual = st.Primal - gap
	st.Gap = relative(gap, st.Primal)
	st.Converged = st.Gap <= s.opts.Tol
	m.done = st.Converged || st.Epochs == s.opts.MaxEpochs
	if m.long >= 0 || !inRange(st.Primal, st.Dual) {
		return m.p.overflow(st.Epochs, s.opts.Bias, m.long)
	}
	if !m.done {
		s.move(m, smooth)
		const rounding = 1e-14
		if -m.slope/2 <= kinks && kinks > max(s.opts.Tol/2, rounding)*st.Primal {
			s.sharpen(m, kinks)
		}
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
	loss := s.loss.of(margin, cost)
	smooth, alpha, curvature := s.loss.smooth(margin, cost, m.kink)
	part.losses += loss
	part.smooth += smooth
	if m.alphas[i] = alpha; alpha != 0 {
		row.addTo(part.v, scale, bias, float64(y*alpha))
	}
	if curvature > 0 {
		part.addSquares(row, scale, bias, curvature)
	}
	if s.loss.isSmooth() {
		return
	}
	m.margins[i] = margin
	part.gap += loss - float64(math.Abs(alpha)*max(0, s.loss.excess(margin)))
	if curvature > 0 {
		row.addTo(part.smoothed, scale, bias, float64(y*alpha))
	}
}

// isSmooth reports whether the loss has a first derivative everywhere.
func (l Loss) isSmooth() bool { return l == Logistic || l.isSquared() }

// smooth returns the cost of a loss at a margin and its derivatives: minus the first, and the second. A loss with a kink
// is smoothed: it is a parabola up to an excess of kink.
func (l rowLoss) smooth(margin, cost, kink float64) (value, alpha, curvature float64) {
	if l.Loss == Logistic {
		p := xmath.Sigmoid(-margin)
		return l.of(margin, cost), float64(cost * p), float64(cost*p) * (1 - p)
	}
	excess, side := l.excess(margin), l.side(0, margin)
	switch {
	case excess < 0:
		return 0, 0, 0
	case l.isSquared():
		return l.ofExcess(excess, cost), 2 * float64(cost*excess) * side, 2 * cost
	case excess < kink:
		alpha = cost * (excess / kink)
		return float64(alpha * excess / 2), alpha * side, cost / kink
	}
	return float64(cost * (excess - float64(kink/2))), cost * side, 0
}

// move goes from w to where P and its derivatives are computed next. A direction along which P has not fallen is gone
// half as far.
func (s *newton) move(m *newtonMember, smooth float64) {
	const enough = 1e-4 // of what the slope promises
	const least = 1e-10
	if m.length > least && !(smooth <= m.smooth+float64(enough*m.length*m.slope)) {
		m.length /= 2
	} else {
		copy(m.from, m.w)
		s.solve(m, 1)
		m.smooth, m.length, m.slope = smooth, 1, dotOf(m.direction, s.gradient)
		if !s.loss.isSmooth() {
			s.search(m)
		}
	}
	m.walk()
}

// walk makes the step.
func (m *newtonMember) walk() {
	for j, d := range m.direction {
		m.w[j] = m.from[j] + float64(m.length*d)
	}
}

// search makes the length of a step that to where P, smoothed, is about least along the direction: the kinks of many
// rows lie across it. It finds where the slope is 0 by regula falsi (Illinois), from the margins at its start.
func (s *newton) search(m *newtonMember) {
	const accuracy, most = 0.1, 20
	for j := range m.u {
		m.u[j] = float64(m.direction[j] * m.p.colScale(j))
	}
	last := float64(m.direction[s.x.Cols] * s.opts.Bias)
	s.overParts(func(_ *newtonPart, lo, hi int) {
		for i := lo; i < hi; i++ {
			m.moves[i] = m.y(i) * (float64(rowOf(s.x, i).dot64(m.u)*m.scale[i]) + last)
		}
	})
	start, square := dotOf(m.from, m.direction), dotOf(m.direction, m.direction)
	slope := func(length float64) float64 {
		s.overParts(func(part *newtonPart, lo, hi int) {
			part.slope = 0
			for i := lo; i < hi; i++ {
				_, alpha, _ := s.loss.smooth(m.margins[i]+float64(length*m.moves[i]), m.p.Cost(i), m.kink)
				part.slope -= float64(alpha * m.moves[i])
			}
		})
		sum := start + float64(length*square)
		for k := range s.parts {
			sum += s.parts[k].slope
		}
		return sum
	}
	low, high, atLow, atHigh := 0.0, m.length, m.slope, slope(m.length)
	for evaluations := 1; atHigh > 0 && evaluations < most; evaluations++ {
		m.length = low - float64(atLow*(high-low))/(atHigh-atLow)
		switch at := slope(m.length); {
		case math.Abs(at) <= -accuracy*m.slope:
			return
		case at < 0:
			low, atLow, atHigh = m.length, at, atHigh/2
		default:
			high, atHigh, atLow = m.length, at, atLow/2
		}
	}
}

// sharpen makes the kink smaller, once P, smoothed, is nearer to its least than the gap that smoothing leaves, which falls
// as the square of the kink. The step then goes from the same place to where P would be least if the loss were the
// parabola of that kink for just the rows that it is now: their derivatives are multiples of the last ones.
func (s *newton) sharpen(m *newtonMember, gap float64) {
	const least, most = 0.3, 0.7
	ratio := min(max(most*math.Sqrt(float64(s.opts.Tol*m.stat.Primal)/gap), least), most)
	s.sumV(m, s.smoothed, true)
	for j, z := range s.smoothed {
		s.gradient[j] -= float64((1/ratio - 1) * z)
	}
	s.solve(m, 1/ratio)
	m.walk()
	m.kink *= ratio
	m.length = 0 // P is another then
}

// solve makes the direction −H⁻¹·gradient, H being the matrix of second derivatives, by Cholesky's decomposition.
func (s *newton) solve(m *newtonMember, times float64) {
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
			line[l] = float64(line[l]*c) * scaleOf(l) * times
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

func (s *newton) weights(problem int, dst []float32) []float32 {
	m := &s.members[problem]
	dst = slices.Grow(dst[:0], s.x.Cols)[:s.x.Cols]
	for j := range dst {
		dst[j] = float32(m.w[j])
	}
	return dst
}

func (s *newton) intercepts(problem int) []float64 {
	return []float64{s.members[problem].w[s.x.Cols] * s.opts.Bias}
}

func (s *newton) alpha(problem int, dst []float64) []float64 {
	return append(dst, s.members[problem].alphas...)
}
