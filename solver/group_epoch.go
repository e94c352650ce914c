package solver

import (
	"math/bits"

	"github.com/seed-167f963f/nbsvm/kernels"
)

// epoch visits the active rows, and leaves those active that it did not find pushed out
// of every box several times in a row.
func (g *group) epoch() {
	for k := range g.members {
		g.members[k].seen = pass{}
	}
	active := len(g.order)
	for at := 0; at < active; {
		g.prefetch(g.order[:active], at)
		i := g.order[at]
		r := &g.rows[i]
		dots := g.dots(r)
		concerned := g.awake
		if g.opts.Loss != Logistic {
			concerned = g.concerned(r, &dots, g.awake)
		}
		if concerned != 0 && !g.visit(i, r, &dots, concerned) {
			r.calm = 0
			at++
			continue
		}
		if r.calm = min(r.calm+1, groupPatience); g.shrinks() && r.calm >= groupPatience {
			r.active = false
			if r.moved != 0 {
				g.dropped = append(g.dropped, i)
			}
			active--
			g.order[at] = g.order[active]
			continue
		}
		at++
	}
	g.order = g.order[:active]
}

// concerned are those of the problems that a row concerns: all but those where its
// alpha is 0 and its margin beyond 1. There it is pushed out of its box and adds nothing
// to any sum, which is so of most rows in most problems.
func (g *group) concerned(r *groupRow, dots *kernels.Group, problems uint8) uint8 {
	concerned := r.moved & problems
	for left := problems &^ r.moved; left != 0; left &= left - 1 {
		k := bits.TrailingZeros8(left) % kernels.GroupSize
		if float64(r.scale[k]*dots[k])+float64(r.y(k)*g.bias[k]) <= 1 {
			concerned |= 1 << k
		}
	}
	return concerned
}

// look is a visit to a row's alpha in one problem, which it does not move yet; ok is
// false where the row takes no part.
func (g *group) look(i int32, k int, r *groupRow, dot float32) (v visit, ok bool) {
	cost := g.cost(k, r)
	if cost == 0 {
		return v, false
	}
	margin := float64(r.scale[k]*dot) + float64(r.alpha[k]*float64(r.own[k])) + float64(r.y(k)*g.bias[k])
	rest := 0.0
	if g.opts.Loss == Logistic {
		rest = g.rest[i][k]
	}
	v = g.opts.Loss.visit(r.alpha[k], rest, cost, float64(r.norm[k]), margin)
	m := &g.members[k]
	m.seen.primal += v.primal
	m.seen.gap += v.gap
	return v, true
}

// visit looks at a row's alpha in the given problems and moves those that gain by it.
// It says whether all are pushed out of their boxes.
func (g *group) visit(i int32, r *groupRow, dots *kernels.Group, problems uint8) (pushed bool) {
	pushed = true
	steps := false
	var d kernels.Group
	for left := problems; left != 0; left &= left - 1 {
		k := bits.TrailingZeros8(left) % kernels.GroupSize
		v, ok := g.look(i, k, r, dots[k])
		if !ok {
			continue
		}
		pushed = pushed && v.pushed
		if g.opts.Loss == Logistic {
			g.rest[i][k] = v.rest
		}
		if v.delta == 0 {
			continue
		}
		steps = true
		r.alpha[k] = v.next
		r.moved &^= 1 << k
		if v.next != 0 {
			r.moved |= 1 << k
		}
		d[k] = float32(v.delta) * r.scale[k]
		g.bias[k] += float64(v.delta * r.y(k) * g.biasSquare)
	}
	if steps {
		g.add(r, &d)
	}
	return pushed
}

// prefetch asks for what the rows behind the k-th of a pass need, as single does.
func (g *group) prefetch(rows []int32, k int) {
	if r := g.approach(rows, k); r != nil {
		kernels.PrefetchGroups(g.slots, g.head(r).idx, hotGroups)
	}
}

// approach is prefetch but for slots: it returns the row whose slots to ask for, or nil.
func (g *group) approach(rows []int32, k int) *groupRow {
	if len(g.slots) <= hotGroups {
		return nil
	}
	if next := k + rowsAhead; next < len(rows) {
		kernels.Prefetch(&g.rows[rows[next]])
	}
	if next := k + idsAhead; next < len(rows) {
		r := &g.rows[rows[next]]
		row := g.head(r)
		prefetchEntries(row.idx, row.val)
		kernels.Prefetch(&r.alpha)
		kernels.Prefetch(&r.norm)
	}
	if next := k + slotsAhead; next < len(rows) {
		return &g.rows[rows[next]]
	}
	return nil
}

// hotGroups is how many of the most frequent columns stay in the cache by themselves.
const hotGroups = 1 << 13
