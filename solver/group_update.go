package solver

import (
	"math/bits"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
)

// epoch updates the active rows, and leaves those active that it did not find at a bound in
// every problem several times in succession.
func (g *group) epoch() {
	for k := range g.members {
		g.members[k].seen = pass{}
	}
	active := len(g.order)
	for at := 0; at < active; {
		g.prefetch(g.order[:active], at)
		i := g.order[at]
		r := &g.rows[i]
		row := g.head(r)
		dots := g.dots(row)
		relevant := g.running
		if g.opts.Loss != Logistic {
			relevant = g.relevant(i, r, &dots, g.running)
		}
		if relevant != 0 && !g.updateRow(i, r, row, &dots, relevant) {
			r.timesAtBound = 0
			at++
			continue
		}
		if r.timesAtBound = min(r.timesAtBound+1, groupShrinkAfter); g.shrinks() && r.timesAtBound >= groupShrinkAfter {
			r.active = false
			if r.nonzero != 0 {
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

// relevant returns the problems that a row can change: all but those where its
// alpha is 0 and its margin beyond 1, or within epsilon of its target. There it is at a bound and adds nothing
// to any sum, which is so of most rows in most problems.
func (g *group) relevant(i int32, r *groupRow, dots *kernels.Group, problems uint8) uint8 {
	relevant := r.nonzero & problems
	for left := problems &^ r.nonzero; left != 0; left &= left - 1 {
		k := bits.TrailingZeros8(left) % kernels.GroupSize
		if !(g.loss.excess(float64(r.scale[k]*dots[k])+float64(r.y(k)*g.bias[k])+g.offset(k, i)) < 0) {
			relevant |= 1 << k
		}
	}
	return relevant
}

// update returns the coordinate update of a row in one problem, which it does not make yet; ok is
// false where the row takes no part.
func (g *group) update(k int, i int32, r *groupRow, dot float32) (v update, ok bool) {
	cost := g.cost(k, r)
	if cost == 0 {
		return v, false
	}
	offset := g.offset(k, i)
	margin := float64(r.scale[k]*dot) + float64(r.alpha[k]*float64(r.own[k])) + float64(r.y(k)*g.bias[k]) + offset
	rest := 0.0
	if g.opts.Loss == Logistic {
		rest = g.rest[i][k]
	}
	g.loss.update(&v, r.alpha[k], rest, cost, float64(r.norm[k]), margin)
	m := &g.members[k]
	m.seen.primal += v.primal - float64(r.alpha[k]*offset/2)
	m.seen.gap += v.gap
	return v, true
}

// updateRow makes the coordinate updates of a row in the given problems, and says whether all
// are at a bound.
func (g *group) updateRow(i int32, r *groupRow, row part, dots *kernels.Group, problems uint8) (atBound bool) {
	atBound = true
	steps := false
	var d kernels.Group
	for left := problems; left != 0; left &= left - 1 {
		k := bits.TrailingZeros8(left) % kernels.GroupSize
		v, ok := g.update(k, i, r, dots[k])
		if !ok {
			continue
		}
		atBound = atBound && v.atBound
		if g.opts.Loss == Logistic {
			g.rest[i][k] = v.rest
		}
		if v.delta == 0 {
			continue
		}
		steps = true
		r.alpha[k] = v.next
		r.nonzero &^= 1 << k
		if v.next != 0 {
			r.nonzero |= 1 << k
		}
		d[k] = float32(v.delta) * r.scale[k]
		g.bias[k] += float64(v.delta * r.y(k) * g.biasSquare)
	}
	if steps {
		g.add(row, &d)
	}
	return atBound
}

// prefetch asks for what the rows behind the k-th of a pass need, as single does.
func (g *group) prefetch(rows []int32, k int) {
	if len(g.slots) <= cachedGroups {
		return
	}
	if next := k + rowsAhead; next < len(rows) {
		kernels.Prefetch(&g.rows[rows[next]])
	}
	if next := k + idsAhead; next < len(rows) {
		r := &g.rows[rows[next]]
		g.head(r).prefetch()
		kernels.Prefetch(&r.alpha)
		kernels.Prefetch(&r.norm)
	}
	if next := k + slotsAhead; next < len(rows) {
		kernels.PrefetchEntries(g.slots, g.head(&g.rows[rows[next]]).idx(), cachedGroups)
	}
}

// cachedGroups is how many of the most frequent columns stay in the cache by themselves.
const cachedGroups = 1 << 13
