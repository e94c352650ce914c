package solver

import (
	"math"
	"math/bits"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
)

// rebuildActiveSet passes over all rows: it prepares those that are not, makes those active
// that are relevant to any problem, and lists which of the others are near to that.
func (g *group) rebuildActiveSet() {
	g.order = g.order[:0]
	everything := !g.shrinks() || g.descent.epoch == 0 && !g.started() // all margins are 0
	for at, i := range g.all {
		g.prefetch(g.all, at)
		r := &g.rows[i]
		if !r.initialised {
			g.prepareRow(i, r)
		}
		if r.active = everything; !r.active {
			dots := g.dots(g.head(r))
			r.active = g.relevant(i, r, &dots, g.open) != 0
			r.slack = g.slack(i, r, &dots)
		}
		if r.active {
			g.order = append(g.order, i)
		}
	}
	g.findCandidates()
}

// slack returns by how much all margins of a row that is relevant to no problem are beyond where they cost.
func (g *group) slack(i int32, r *groupRow, dots *kernels.Group) float32 {
	least := math.Inf(1)
	for k := range g.problems {
		margin := float64(r.scale[k]*dots[k]) + float64(r.y(k)*g.bias[k]) + g.offset(k, i)
		least = min(least, -g.loss.excess(margin))
	}
	return float32(max(0, least))
}

// candidatePart is the share of rows that may become active soon.
const candidatePart = 4

// findCandidates lists the rows of the least slack, about one in candidatePart. Where many
// rows are active, others are found by certificates alone.
func (g *group) findCandidates() {
	g.candidates = g.candidates[:0]
	if !g.shrinks() || len(g.order) > len(g.all)/candidatePart || len(g.all) == 0 {
		return
	}
	const samples = 1 << 12
	var slacks []float32
	for at := 0; at < len(g.all); at += 1 + len(g.all)/samples {
		slacks = append(slacks, g.rows[g.all[at]].slack)
	}
	slices.Sort(slacks)
	limit := slacks[len(slacks)/candidatePart]
	for _, i := range g.all {
		if g.rows[i].slack <= limit {
			g.candidates = append(g.candidates, i)
		}
	}
}

// activateViolating makes those candidates active whose alpha would move by now, and resumes the
// problems whose gaps are too wide by them.
func (g *group) activateViolating() {
	for k := range g.members {
		g.members[k].seen = pass{}
	}
	for at, i := range g.candidates {
		g.prefetch(g.candidates, at)
		if r := &g.rows[i]; !r.active && r.nonzero == 0 && !g.allAtBound(i, r) {
			g.activate(i, r)
		}
	}
	for left := g.open; left != 0; left &= left - 1 {
		k := bits.TrailingZeros8(left)
		m := &g.members[k]
		if m.estimate += relative(m.seen.gap, m.primal); m.gapRatio.gap(m.estimate, g.full) > min(2*g.goal(),
			g.opts.Tol) {
			g.running |= 1 << k
		}
	}
	if g.running == 0 {
		return
	}
	// Rows were dropped that are relevant to problems which were not running.
	for _, i := range g.dropped {
		if r := &g.rows[i]; !r.active {
			g.activate(i, r)
		}
	}
	g.dropped = g.dropped[:0]
}

func (g *group) activate(i int32, r *groupRow) {
	r.active, r.timesAtBound = true, 0
	g.order = append(g.order, i)
}

// allAtBound reports whether a row's alpha are at a bound in all open problems.
func (g *group) allAtBound(i int32, r *groupRow) bool {
	dots := g.dots(g.head(r))
	rest := true
	for left := g.relevant(i, r, &dots, g.open); left != 0; left &= left - 1 {
		k := bits.TrailingZeros8(left) % kernels.GroupSize
		v, ok := g.update(k, i, r, dots[k])
		rest = rest && (!ok || v.atBound)
	}
	return rest
}
