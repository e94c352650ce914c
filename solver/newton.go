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
	rows     int  // of a problem
	columns  int  // of x, then a bias feature for each threshold
	dense    bool // see tile
	parts    []newtonPart
	tiles    []tile      // of all rows, if they are needed that often
	spare    chan []tile // to lay rows out for a while
	matrix   []float64   // of second derivatives, the lower triangle by rows
	gradient []float64
	smoothed []float64 // what the gradient has of rows whose loss has a kink that is smoothed for them
	most     []float64 // per column: the largest on the diagonal since the matrices of parts were added up anew
	u        []float64 // per column: w_j·s_j, which rows are multiplied by
	// Per row of the problem that is being solved: c_i·a_i; whether the matrices of parts have it; the margin at w, and
	// along the direction.
	scale, margins, moves []float64
	known                 []bool
	members               []newtonMember
	current               int // the number of the problem that is being solved
}

// newtonMember is how far one problem is.
//
// For any w, let v be Σ alpha_i·y_i·x_i with alpha_i = −C_i·loss'(z_i). Then w − v is the gradient of P, and as loss
// and conjugate add up to −alpha_i·z_i there, P(w) − D(alpha) is ½‖w − v‖²: the gradient certifies the solution.
//
// A loss with a kink, of an excess e = |z_i| − ε, is smoothed: it is e²/(2·kink) from 0 up to the kink. Alpha is that of
// the smoothed loss, which the dual takes as well, and P − D is more by Σ (C_i − |alpha_i|)·e over these rows.
type newtonMember struct {
	p             *Problem
	alphas        []float64 // per row, at w
	w             []float64 // per column; where P and alpha are of
	from          []float64 // where the last direction was found
	direction     []float64
	smooth, slope float64 // P, smoothed, there, and its slope along the direction
	kink          float64 // the excess up to which losses with a kink are smoothed
	length        float64 // of the step to w, in directions
	long          int     // the first row whose squares are too much for single precision, or -1
	stat          Stats
	done          bool
}

// newtonPart is what some of the rows add up to.
type newtonPart struct {
	newtonSums
	v      []float64 // as X has its columns, unscaled
	matrix []float64 // Σ known·x·xᵀ, the lower triangle by rows
	values []float64 // of a row, scaled
	long   int       // its first row that is too long, or -1
}

// newtonSums are sums over rows, at w.
type newtonSums struct {
	losses          float64
	smooth          float64 // the losses, smoothed
	gap             float64 // what P − D is more than half the squared gradient, by smoothing
	slope           float64 // of the smoothed losses along a direction
	active, changed int     // rows whose loss is curved, and those of which that was not known, or the reverse
}

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
	squares, columns := squaresOf(x), float64(x.Cols+1)
	return squares >= columns*columns*columns && (!unitRows || squares <= unitEntries*float64(x.NNZ()))
}

// squaresOf returns the sum of the squared numbers of entries of rows.
func squaresOf(x *sparse.CSR) (squares float64) {
	for i := range x.Rows {
		n := float64(x.Indptr[i+1] - x.Indptr[i])
		squares += float64(n * n)
	}
	return squares
}

func newNewton(x *sparse.CSR) *newton { return &newton{x: x} }

// layOut makes room for problems of so many rows and columns.
func (s *newton) layOut(rows, columns int) {
	if rows == s.rows && columns == s.columns && (s.moves == nil) == s.loss.isSmooth() {
		return
	}
	const fills, mostTiles = 8, 1 << 16
	s.rows, s.columns, s.members = rows, columns, nil
	s.dense = fills*squaresOf(s.x) >= float64(s.x.Rows)*float64(columns*columns)
	s.parts = make([]newtonPart, newtonParts(columns))
	s.spare = make(chan []tile, len(s.parts))
	padded := (columns + 3) &^ 3
	s.tiles = nil
	if all := par.Count(rows, tileRows) * padded; s.dense && !s.loss.isSmooth() && all <= mostTiles {
		s.tiles = table[tile](&s.common, all)
	}
	s.matrix, s.u = make([]float64, columns*columns), make([]float64, padded)
	for _, perColumn := range []*[]float64{&s.gradient, &s.smoothed, &s.most} {
		*perColumn = make([]float64, columns)
	}
	s.scale, s.known = table[float64](&s.common, rows), table[bool](&s.common, rows)
	if s.margins, s.moves = nil, nil; !s.loss.isSmooth() {
		s.margins, s.moves = table[float64](&s.common, rows), table[float64](&s.common, rows)
	}
	for k := range s.parts {
		part := &s.parts[k]
		part.v, part.matrix, part.values = make([]float64, padded), make([]float64, padded*padded), make([]float64, columns)
	}
}

func (s *newton) stats(problem int) *Stats { return &s.members[problem].stat }

func (s *newton) over() bool { return s.current == len(s.members) }

// begin makes members for the problems.
func (s *newton) begin() {
	rows := s.x.Rows
	if given := s.problems[0].Row; given != nil {
		rows = len(given)
	}
	s.layOut(rows, s.x.Cols+s.problems[0].thresholds())
	for len(s.members) < len(s.problems) {
		s.members = append(s.members, newtonMember{
			w: make([]float64, s.columns), from: make([]float64, s.columns), direction: make([]float64, s.columns),
			alphas: table[float64](&s.common, rows),
		})
	}
	s.members, s.current = s.members[:len(s.problems)], 0
	s.start(&s.members[0], &s.problems[0])
}

// start starts to solve a problem: at w = 0, or where the alpha to start from lead.
func (s *newton) start(m *newtonMember, p *Problem) {
	m.p, m.stat, m.done, m.length, m.slope, m.kink = p, Stats{}, false, 0, 0, 0
	if !s.loss.isSmooth() {
		const excesses = 4 // mean ones, so that nearly all rows are below the first kink
		primal, costs := p.atZero(s.loss, s.rows)
		m.kink = excesses * primal / max(costs, math.SmallestNonzeroFloat64)
	}
	started := p.Start != nil && (s.loss.isSmooth() || m.kink > 0) // else w = 0 is the solution
	for k := range s.parts {
		s.parts[k].long = -1
	}
	s.overParts(func(part *newtonPart, lo, hi int) {
		clear(part.v)
		clear(part.matrix)
		clear(s.known[lo:hi])
		for i := lo; i < hi; i++ {
			squares := p.squares(rowOf(s.x, s.given(i)))
			s.scale[i] = p.rowScale(i, squares)
			if part.long < 0 && tooLong(float64(squares*s.scale[i])*s.scale[i]) {
				part.long = i
			}
		}
		for at := lo; s.tiles != nil && at < hi; at += tileRows {
			s.fill(s.tilesAt(at), at, min(tileRows, hi-at))
		}
		if !started {
			return
		}
		s.overTiles(lo, hi, func(at, n int, x []tile) {
			var times tile
			for k := range n {
				times[k] = m.y(at+k) * s.loss.nearest(p.Start[at+k], p.Cost(at+k))
			}
			s.addRows(part, at, n, x, &times)
		})
	})
	if clear(m.w); started {
		m.kink /= 100 // as much of the way is behind
		s.sumV(m, m.w)
	}
	m.long = -1
	for _, part := range s.parts {
		if m.long < 0 {
			m.long = part.long
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
	size := par.Count(par.Count(s.rows, len(s.parts)), tileRows) * tileRows
	par.Chunks(s.opts.Threads, s.rows, size, func(chunk, lo, hi int) { work(&s.parts[chunk], lo, hi) })
}

// sumV adds up the v of parts, and scales it.
func (s *newton) sumV(m *newtonMember, v []float64) {
	clear(v)
	for _, part := range s.parts {
		for j := range v {
			v[j] += part.v[j]
		}
	}
	for j := range s.x.Cols {
		v[j] *= m.p.colScale(j)
	}
}

// step makes a step of the first problem that is not solved.
func (s *newton) step(context.Context) (Epoch, error) {
	m := &s.members[s.current]
	if err := s.stepOf(m); err != nil {
		return Epoch{}, err
	}
	if m.done {
		if s.current++; !s.over() {
			s.start(&s.members[s.current], &s.problems[s.current])
		}
	}
	return Epoch{Number: m.stat.Epochs, Active: s.rows, Gap: m.stat.Gap, Estimate: m.stat.Gap}, nil
}

// stepOf computes P and its gradient at w, and moves on unless that is the solution.
func (s *newton) stepOf(m *newtonMember) error {
	st := &m.stat
	st.Epochs++
	s.scaled(m, m.w)
	derive := s.loss.Loss == Logistic || st.Epochs == 1
	s.overParts(func(part *newtonPart, lo, hi int) {
		part.newtonSums = newtonSums{}
		clear(part.v)
		if derive {
			clear(part.matrix)
		}
		s.overTiles(lo, hi, func(at, n int, x []tile) {
			var times tile
			s.dots(at, n, x, &times)
			s.losses(m, part, at, n, &times)
			s.addRows(part, at, n, x, &times)
			if derive {
				s.deriveRows(m, part, at, n, x)
			}
		})
	})
	st.Steps += int64(s.rows)
	s.sumV(m, s.gradient)
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
		s.move(m, smooth, derive)
		const rounding = 1e-14
		if -m.slope/2 <= kinks && kinks > max(s.opts.Tol/2, rounding)*st.Primal {
			s.sharpen(m, kinks)
		}
	}
	return nil
}

// scaled makes u of w, or of a direction.
func (s *newton) scaled(m *newtonMember, w []float64) {
	copy(s.u, w)
	for j := range s.x.Cols {
		s.u[j] = float64(w[j] * m.p.colScale(j))
	}
}

// losses takes n rows from lo on into the sums of a part, by their products with w, and makes of these what the rows are
// multiplied by in v.
func (s *newton) losses(m *newtonMember, part *newtonPart, lo, n int, products *tile) {
	p, kinked := m.p, !s.loss.isSmooth()
	alphas, known := m.alphas[lo:][:n], s.known[lo:][:n]
	var losses, smooth, gap float64
	for k, product := range products[:n] {
		i, y := lo+k, 1.0
		if !p.positive(i) {
			y = -1
		}
		margin, cost := float64(y*product)+p.offset(i), p.Cost(i)
		var value, smoothed, alpha float64
		if cost > 0 {
			value, smoothed, alpha = s.loss.smooth(margin, cost, m.kink)
		}
		losses += value
		smooth += smoothed
		if kinked {
			gap += value - float64(math.Abs(alpha)*max(0, s.loss.excess(margin)))
			s.margins[i] = margin
		}
		active := s.loss.isCurved(alpha, cost)
		if active {
			part.active++
		}
		if active != known[k] {
			part.changed++
		}
		alphas[k], products[k] = alpha, float64(y*alpha)
	}
	part.losses += losses
	part.smooth += smooth
	part.gap += gap
}

// isSmooth reports whether the loss has a first derivative everywhere.
func (l Loss) isSmooth() bool { return l == Logistic || l.isSquared() }

// smooth returns the cost of a loss at a margin, and the same smoothed with minus its derivative. A loss with a kink is
// smoothed: it is a parabola up to an excess of kink.
func (l *rowLoss) smooth(margin, cost, kink float64) (value, smoothed, alpha float64) {
	if l.Loss == Logistic {
		value = l.of(margin, cost)
		return value, value, float64(cost * xmath.Sigmoid(-margin))
	}
	excess := l.excess(margin)
	if excess < 0 {
		return 0, 0, 0
	}
	value, smoothed, alpha = float64(cost*excess), 0, cost
	switch {
	case l.isSquared():
		value, alpha = float64(value*excess), 2*value
		smoothed = value
	case excess < kink:
		alpha = cost * (excess / kink)
		smoothed = float64(alpha * excess / 2)
	default:
		smoothed = float64(cost * (excess - float64(kink/2)))
	}
	if margin > 0 && l.IsRegression() {
		alpha = -alpha
	}
	return value, smoothed, alpha
}

// isCurved reports whether the loss, smoothed, has a second derivative where it has an alpha.
func (l *rowLoss) isCurved(alpha, cost float64) bool {
	return alpha != 0 && (l.isSquared() || math.Abs(alpha) < cost)
}

// curvature returns the second derivative where the loss is curved: of one with a kink, times that.
func (l *rowLoss) curvature(alpha, cost float64) float64 {
	switch {
	case l.Loss == Logistic:
		return float64(alpha*(cost-alpha)) / cost
	case l.isSquared():
		return 2 * cost
	}
	return cost
}

// move goes from w to where P and its derivatives are computed next. A direction along which P has not fallen is gone
// half as far.
func (s *newton) move(m *newtonMember, smooth float64, derived bool) {
	const enough = 1e-4 // of what the slope promises
	const least = 1e-10
	if m.length > least && !(smooth <= m.smooth+float64(enough*m.length*m.slope)) {
		m.length /= 2
	} else {
		copy(m.from, m.w)
		s.derive(m, derived)
		s.solve(m, m.kink)
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
	s.scaled(m, m.direction)
	s.overParts(func(_ *newtonPart, lo, hi int) {
		s.overTiles(lo, hi, func(at, n int, x []tile) {
			var products tile
			s.dots(at, n, x, &products)
			for k := range n {
				s.moves[at+k] = m.y(at+k) * products[k]
			}
		})
	})
	start, square := dotOf(m.from, m.direction), dotOf(m.direction, m.direction)
	half := float64(m.kink / 2)
	middle := s.loss.epsilon + float64(half)
	slope := func(length float64) float64 {
		s.overParts(func(part *newtonPart, lo, hi int) {
			part.slope = 0
			for i := lo; i < hi; i++ {
				margin := s.margins[i] + float64(length*s.moves[i])
				beyond := math.Abs(margin) - middle
				size := half + float64((math.Abs(beyond+half)-math.Abs(beyond-half))/2) // from 0 to kink, without branches
				part.slope += float64(math.Copysign(m.p.Cost(i)*size, margin) * s.moves[i])
			}
		})
		sum := start + float64(length*square)
		for k := range s.parts {
			sum += s.parts[k].slope / m.kink
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
	least, most := 0.3, 0.7
	if m.stat.Epochs <= 3 { // the first kink is meant to be too large
		least = 0.05
	}
	ratio := min(max(most*math.Sqrt(float64(s.opts.Tol*m.stat.Primal)/gap), least), most)
	s.overParts(func(part *newtonPart, lo, hi int) {
		clear(part.v)
		s.overTiles(lo, hi, func(at, n int, x []tile) {
			var times tile
			for k, alpha := range m.alphas[at:][:n] {
				if s.loss.isCurved(alpha, m.p.Cost(at+k)) {
					times[k] = float64(m.y(at+k) * alpha)
				}
			}
			s.addRows(part, at, n, x, &times)
		})
	})
	s.sumV(m, s.smoothed)
	for j, z := range s.smoothed {
		s.gradient[j] -= float64((1/ratio - 1) * z)
	}
	m.kink *= ratio
	s.solve(m, m.kink)
	m.walk()
	m.length = 0 // P is another then
}

// derive brings the matrices of parts to the curvatures of rows at w, unless that is done. Where few rows have another
// one than is known, only these are added. What is subtracted leaves its rounding, so all is added up anew where that
// left little.
func (s *newton) derive(m *newtonMember, done bool) {
	const little = 0.25
	active, changed := 0, 0
	for _, part := range s.parts {
		active += part.active
		changed += part.changed
	}
	for anew := done || 2*changed > active; ; anew = true {
		if !done {
			s.overParts(func(part *newtonPart, lo, hi int) {
				if anew {
					clear(part.matrix)
					clear(s.known[lo:hi])
				}
				if s.tiles != nil || 4*changed > s.rows {
					s.overTiles(lo, hi, func(at, n int, x []tile) { s.deriveRows(m, part, at, n, x) })
				} else {
					for at := lo; at < hi; at += tileRows {
						s.deriveRows(m, part, at, min(tileRows, hi-at), nil)
					}
				}
			})
		}
		lost := false
		for j := range s.most {
			sum := 0.0
			for _, part := range s.parts {
				sum += part.matrix[j*len(s.u)+j]
			}
			lost = lost || sum < little*s.most[j]
			s.most[j] = max(s.most[j], sum)
			if anew {
				s.most[j] = sum
			}
		}
		if anew || !lost {
			return
		}
	}
}

// solve makes the direction −H⁻¹·gradient, H being the matrix of second derivatives, by Cholesky's decomposition.
func (s *newton) solve(m *newtonMember, kink float64) {
	columns, times := s.columns, 1.0
	if !s.loss.isSmooth() {
		times = 1 / kink
	}
	scaleOf := func(j int) float64 {
		if j >= s.x.Cols {
			return 1
		}
		return m.p.colScale(j)
	}
	h := s.matrix
	for j := range columns {
		line := h[j*columns:][:j+1]
		clear(line)
		for _, part := range s.parts {
			for l, x := range part.matrix[j*len(s.u):][:j+1] {
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
	biases := slices.Clone(s.members[problem].w[s.x.Cols:])
	for k := range biases {
		biases[k] *= s.opts.Bias
	}
	return biases
}

func (s *newton) alpha(problem int, dst []float64) []float64 {
	return append(dst, s.members[problem].alphas...)
}
