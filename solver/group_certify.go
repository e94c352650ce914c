package solver

import (
	"math/bits"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
)

// certify computes every objective, and closes the problems that have reached the tolerance.
// Slots that are stale are brought to what alpha says first.
func (g *group) certify(stale bool) {
	if g.exact() || stale {
		g.fromAlpha()
	}
	var squares kernels.Group64 // ‖w‖²
	var sums [kernels.GroupSize]objective
	g.sumSquares(&squares)
	g.sumRows(&squares, &sums)
	g.conclude(&squares, &sums)
}

// conclude takes in the objectives of all problems.
func (g *group) conclude(squares *kernels.Group64, sums *[kernels.GroupSize]objective) {
	for left := g.open; left != 0; left &= left - 1 {
		k := bits.TrailingZeros8(left)
		m := &g.members[k]
		m.certified = true
		m.certify(squares[k], &sums[k], g.opts.Tol, m.estimate, g.full)
		if m.stats.Converged {
			g.open &^= 1 << k
		}
	}
}

// exact says that certificates are in double precision.
func (g *group) exact() bool { return g.opts.Tol < inDoubleBelow }

// fromAlpha computes the slots from alpha alone, in double precision if certificates
// are.
func (g *group) fromAlpha() {
	if g.exact() {
		clear(g.exactU)
	} else {
		for j := range g.slots {
			g.slots[j][0] = kernels.Group{}
		}
	}
	for at, i := range g.all {
		g.prefetchCertificate(at)
		r := &g.rows[i]
		if r.nonzero == 0 {
			continue
		}
		var d kernels.Group64
		for k := range g.problems {
			d[k] = r.alpha[k] * float64(r.scale[k])
		}
		if g.exact() {
			row := g.head(r)
			kernels.AxpyGroups64(g.exactU, row.idx, row.val, &d)
		} else {
			steps := rounded(&d)
			g.add(g.head(r), &steps)
		}
	}
	if !g.exact() {
		return
	}
	for j := range g.exactU {
		for k := range g.problems {
			s := g.problems[k].colScale(j)
			g.exactU[j][k] = float64(g.exactU[j][k]*s) * s
		}
		g.slots[j][0] = rounded(&g.exactU[j])
	}
}

// rounded is in single precision.
func rounded(d *kernels.Group64) (s kernels.Group) {
	for k, x := range d {
		s[k] = float32(x)
	}
	return s
}

// sumSquares adds up what columns and bias are to ‖w‖².
func (g *group) sumSquares(squares *kernels.Group64) {
	for j := range g.slots {
		slot := &g.slots[j]
		for k, square := range &slot[1] {
			u := float64(slot[0][k])
			if g.exact() {
				u = g.exactU[j][k]
			}
			if square != 0 {
				squares[k] += float64(u*u) / float64(square)
			}
		}
	}
	for k, bias := range g.bias {
		if g.biasSquare > 0 {
			squares[k] += float64(bias*bias) / g.biasSquare
		}
	}
}

// sumRows adds up what rows are to the objectives, and says of every row in which problems
// it is at a bound.
func (g *group) sumRows(squares *kernels.Group64, sums *[kernels.GroupSize]objective) {
	for at, i := range g.all {
		g.prefetchCertificate(at)
		r := &g.rows[i]
		dots := g.exactDots(r)
		g.sumRow(i, r, &dots, squares, sums)
	}
}

// sumRow is sumRows for one row.
func (g *group) sumRow(i int32, r *groupRow, dots, squares *kernels.Group64, sums *[kernels.GroupSize]objective) {
	r.atBound = 0
	for k := range g.problems {
		margin := float64(dots[k]*float64(r.scale[k])) + float64(r.y(k)*g.bias[k])
		if g.opts.Loss != Logistic && r.nonzero>>k&1 == 0 && margin > 1 {
			r.atBound |= 1 << k // without loss
			continue
		}
		cost := g.cost(k, r)
		if cost == 0 {
			r.atBound |= 1 << k
			continue
		}
		a, rest := r.alpha[k], 0.0
		if g.opts.Loss == Logistic {
			rest = g.rest[i][k]
		}
		margin += float64(a * float64(r.own[k]))
		squares[k] += float64(float64(a*a) * float64(r.own[k]))
		sums[k].addRow(g.opts.Loss, a, rest, cost, margin)
		if g.opts.Loss.atBound(a, cost, margin) {
			r.atBound |= 1 << k
		}
	}
}

// exactDots are the sums of a row's slots, in the precision of certificates.
func (g *group) exactDots(r *groupRow) (dots kernels.Group64) {
	if !g.exact() {
		for k, dot := range g.dots(g.head(r)) {
			dots[k] = float64(dot)
		}
		return dots
	}
	row := g.head(r)
	kernels.DotGroups64(&dots, g.exactU, row.idx, row.val)
	return dots
}

// activateByCertificate makes those rows active that the last certificate did not find at
// a bound in all open problems.
func (g *group) activateByCertificate() {
	g.order, g.dropped = g.order[:0], g.dropped[:0]
	for _, i := range g.all {
		r := &g.rows[i]
		r.active = false
		if !g.shrinks() || r.atBound&g.open != g.open {
			g.activate(i, r)
		}
	}
}

// prefetchCertificate is prefetch for what exactDots needs, in passes over all rows.
func (g *group) prefetchCertificate(at int) {
	if !g.exact() {
		g.prefetch(g.all, at)
	} else if r := g.prefetchRows(g.all, at); r != nil {
		kernels.PrefetchEntries(g.exactU, g.head(r).idx, cachedGroups)
	}
}
