package solver

import (
	"math"
	"math/bits"
	"slices"

	"github.com/seed-167f963f/nbsvm/kernels"
)

// survey looks at all rows, prepares those that are not, and makes those active that
// concern any problem. It remembers which of the others come close.
func (g *group) survey() {
	g.order = g.order[:0]
	for at, i := range g.all {
		g.prefetch(g.all, at)
		r := &g.rows[i]
		if !r.prepared {
			g.prepareRow(i, r)
		}
		if r.active = !g.shrinks(); !r.active {
			dots := g.dots(r)
			r.active = g.concerned(r, &dots, g.open) != 0
			r.slack = g.slack(r, &dots)
		}
		if r.active {
			g.order = append(g.order, i)
		}
	}
	g.findClose()
}

// slack is by how much all margins of a row that concerns no problem are beyond 1.
func (g *group) slack(r *groupRow, dots *kernels.Group) float32 {
	least := math.Inf(1)
	for k := range g.problems {
		least = min(least, float64(r.scale[k]*dots[k])+float64(r.y(k)*g.bias[k]))
	}
	return float32(max(0, least-1))
}

// closePart is the share of rows that may become active soon.
const closePart = 4

// findClose lists the rows of the least slack, about one in closePart. Where many rows
// are active, others are looked for by certificates alone.
func (g *group) findClose() {
	g.close = g.close[:0]
	if !g.shrinks() || len(g.order) > len(g.all)/closePart || len(g.all) == 0 {
		return
	}
	const samples = 1 << 12
	var slacks []float32
	for at := 0; at < len(g.all); at += 1 + len(g.all)/samples {
		slacks = append(slacks, g.rows[g.all[at]].slack)
	}
	slices.Sort(slacks)
	limit := slacks[len(slacks)/closePart]
	for _, i := range g.all {
		if g.rows[i].slack <= limit {
			g.close = append(g.close, i)
		}
	}
}

// lookAround makes those close rows active that would move by now, and wakes the problems
// whose gaps are too wide by them.
func (g *group) lookAround() {
	for k := range g.members {
		g.members[k].seen = pass{}
	}
	for at, i := range g.close {
		g.prefetch(g.close, at)
		if r := &g.rows[i]; !r.active && r.moved == 0 && !g.atRest(i, r) {
			g.activate(i, r)
		}
	}
	for left := g.open; left != 0; left &= left - 1 {
		k := bits.TrailingZeros8(left)
		m := &g.members[k]
		if m.estimate += relative(m.seen.gap, m.primal); m.trust.gap(m.estimate, g.full) > min(2*g.goal(), g.opts.Tol) {
			g.awake |= 1 << k
		}
	}
	if g.awake == 0 {
		return
	}
	// Rows were dropped that concern problems which slept, as their estimates know.
	for _, i := range g.dropped {
		if r := &g.rows[i]; !r.active {
			g.activate(i, r)
		}
	}
	g.dropped = g.dropped[:0]
}

func (g *group) activate(i int32, r *groupRow) {
	r.active, r.calm = true, 0
	g.order = append(g.order, i)
}

// atRest says whether a row is pushed out of every open problem's box.
func (g *group) atRest(i int32, r *groupRow) bool {
	dots := g.dots(r)
	rest := true
	for left := g.concerned(r, &dots, g.open); left != 0; left &= left - 1 {
		k := bits.TrailingZeros8(left) % kernels.GroupSize
		v, ok := g.look(i, k, r, dots[k])
		rest = rest && (!ok || v.pushed)
	}
	return rest
}
