package solver

import (
	"math/bits"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
)

// certify computes every objective, and closes the problems that have reached the tolerance.
// Slots that are stale are brought to what alpha says first.
func (g *group) certify(stale bool) {
	if stale {
		g.fromAlpha()
	}
	squares := g.squares() // ‖w‖²
	var sums [kernels.GroupSize]objective
	for at, i := range g.all {
		g.prefetch(g.all, at)
		g.sumRow(i, &squares, &sums)
	}
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

// fromAlpha computes the slots from alpha alone.
func (g *group) fromAlpha() {
	clear(g.slots)
	for at, i := range g.all {
		g.prefetch(g.all, at)
		r := &g.rows[i]
		if r.nonzero == 0 {
			continue
		}
		var d kernels.Group
		for k := range g.problems {
			d[k] = float32(r.alpha[k] * float64(r.scale[k]))
		}
		g.add(g.head(r), &d)
	}
}

// squares returns what columns and bias are to ‖w‖².
func (g *group) squares() (squares kernels.Group64) {
	for j, scale := range g.scales {
		if scale == 0 {
			continue
		}
		for k := range g.problems {
			u := float64(g.slots[j][k])
			squares[k] += float64(u*u) / float64(scale)
		}
	}
	for k, bias := range g.bias {
		if g.biasSquare > 0 {
			squares[k] += float64(bias*bias) / g.biasSquare
		}
	}
	return squares
}

// sumRow adds up what a row is to the objectives, and says of it in which problems it is at a bound.
func (g *group) sumRow(i int32, squares *kernels.Group64, sums *[kernels.GroupSize]objective) {
	r := &g.rows[i]
	dots := g.dots(g.head(r))
	r.atBound = 0
	for k := range g.problems {
		own := float64(float64(dots[k])*float64(r.scale[k])) + float64(r.y(k)*g.bias[k])
		offset := g.offset(k, i)
		if g.opts.Loss != Logistic && r.nonzero>>k&1 == 0 && g.loss.excess(own+offset) < 0 {
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
		own += float64(a * float64(r.own[k]))
		squares[k] += float64(float64(a*a) * float64(r.own[k]))
		sums[k].addRow(g.loss, a, rest, cost, own, offset)
		if g.loss.atBound(a, cost, own+offset) {
			r.atBound |= 1 << k
		}
	}
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
