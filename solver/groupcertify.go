package solver

import (
	"math"
	"math/bits"

	"github.com/seed-167f963f/nbsvm/kernels"
)

// certificate is what the objectives of the problems are made of, see Solver.certify.
type certificate struct {
	square kernels.Group64 // ‖w‖²
	losses kernels.Group64
	conj   kernels.Group64
	cross  kernels.Group64 // Σ alpha·margin
}

// certify computes every objective, as Solver.certify does, and closes the problems that
// have reached the tolerance. Slots that are stale are brought to what alpha says first.
func (g *Group) certify(stale bool) {
	if g.exact() || stale {
		g.fromAlpha()
	}
	var c certificate
	g.sumSquares(&c)
	g.sumRows(&c)
	for left := g.open; left != 0; left &= left - 1 {
		k := bits.TrailingZeros8(left)
		m, half := &g.members[k], float64(c.square[k]/2)
		s := &m.stats
		s.Primal, s.Dual = half+c.losses[k], half-c.cross[k]-c.conj[k]
		s.Gap = relative(s.Primal-s.Dual, s.Primal)
		m.primal, m.certified = s.Primal, true
		m.trust.learn(s.Gap, m.estimate, g.full)
		s.Status = EpochLimit
		if s.Gap <= g.opts.Tol {
			s.Status = Converged
			g.open &^= 1 << k
		}
	}
}

// exact says that certificates are in double precision.
func (g *Group) exact() bool { return g.opts.Tol < inDoubleBelow }

// fromAlpha computes the slots from alpha alone, in double precision if certificates
// are.
func (g *Group) fromAlpha() {
	if g.exact() {
		clear(g.fold)
	} else {
		for j := range g.slots {
			g.slots[j][0] = kernels.Group{}
		}
	}
	for at, i := range g.all {
		g.prefetchCertain(at)
		r := &g.rows[i]
		if r.moved == 0 {
			continue
		}
		var d kernels.Group64
		for k := range g.problems {
			d[k] = r.alpha[k] * float64(r.scale[k])
		}
		if g.exact() {
			g.addFold(r, &d)
		} else {
			steps := single(&d)
			g.add(r, &steps)
		}
	}
	if !g.exact() {
		return
	}
	for j := range g.fold {
		for k := range g.problems {
			s := g.problems[k].colScale(j)
			g.fold[j][k] = float64(g.fold[j][k]*s) * s
		}
		g.slots[j][0] = single(&g.fold[j])
	}
}

// single rounds to single precision.
func single(d *kernels.Group64) (s kernels.Group) {
	for k, x := range d {
		s[k] = float32(x)
	}
	return s
}

// sumSquares adds up what columns and bias are to ‖w‖².
func (g *Group) sumSquares(c *certificate) {
	for j := range g.slots {
		slot := &g.slots[j]
		for k, square := range &slot[1] {
			u := float64(slot[0][k])
			if g.exact() {
				u = g.fold[j][k]
			}
			if square != 0 {
				c.square[k] += float64(u*u) / float64(square)
			}
		}
	}
	for k, bias := range g.bias {
		if g.biasSquare > 0 {
			c.square[k] += float64(bias*bias) / g.biasSquare
		}
	}
}

// sumRows adds up what rows are to the objectives, and says of every row in which problems
// it is settled.
func (g *Group) sumRows(c *certificate) {
	for at, i := range g.all {
		g.prefetchCertain(at)
		r := &g.rows[i]
		dots := g.certainDots(r)
		r.settled = 0
		for k := range g.problems {
			margin := float64(dots[k]*float64(r.scale[k])) + float64(r.y(k)*g.bias[k])
			moved := r.moved>>k&1 != 0
			if g.opts.Loss != Logistic && !moved && margin > 1 {
				r.settled |= 1 << k // without loss
				continue
			}
			cost := g.cost(k, r)
			if cost == 0 {
				r.settled |= 1 << k
				continue
			}
			a := r.alpha[k]
			if moved { // conj(0) is 0 for the hinge losses; logistic alpha are never 0
				margin += float64(a * float64(r.own[k]))
				c.square[k] += float64(float64(a*a) * float64(r.own[k]))
				c.cross[k] += float64(a * margin)
				rest := 0.0
				if g.opts.Loss == Logistic {
					rest = g.rest[i][k]
				}
				c.conj[k] += g.opts.Loss.conj(a, rest, cost)
			}
			c.losses[k] += g.opts.Loss.of(margin, cost)
			if g.opts.Loss != Logistic {
				diagonal, bound := g.opts.Loss.box(cost)
				if pushedOut(a, bound, float64(a*diagonal)-(1-margin)) {
					r.settled |= 1 << k
				}
			}
		}
	}
}

// certainDots are the sums of a row's slots, in the precision of certificates.
func (g *Group) certainDots(r *groupRow) (dots kernels.Group64) {
	if !g.exact() {
		for k, dot := range g.dots(r) {
			dots[k] = float64(dot)
		}
		return dots
	}
	row := g.head(r)
	if row.val == nil {
		kernels.SumGroups64(&dots, g.fold, row.idx)
	} else {
		kernels.DotGroups64(&dots, g.fold, row.idx, row.val)
	}
	return dots
}

// addFold adds a row's steps to what slots hold in double precision.
func (g *Group) addFold(r *groupRow, d *kernels.Group64) {
	row := g.head(r)
	if row.val == nil {
		kernels.AddGroups64(g.fold, row.idx, d)
	} else {
		kernels.AxpyGroups64(g.fold, row.idx, row.val, d)
	}
}

// activateUnsettled makes those rows active that the last certificate did not find at
// rest in all open problems.
func (g *Group) activateUnsettled() {
	g.order, g.dropped = g.order[:0], g.dropped[:0]
	for _, i := range g.all {
		r := &g.rows[i]
		r.active = false
		if !g.shrinks() || r.settled&g.open != g.open {
			g.activate(i, r)
		}
	}
}

// report tells of an epoch.
func (g *Group) report(epoch, visits int) {
	if g.opts.Progress == nil {
		return
	}
	worst := 0.0
	for k := range g.problems {
		worst = max(worst, g.members[k].estimate)
	}
	g.opts.Progress(Epoch{Number: epoch, Active: visits, Estimate: worst, Gap: math.NaN()})
}

// prefetchCertain is prefetch for what certainDots needs, in passes over all rows.
func (g *Group) prefetchCertain(at int) {
	if !g.exact() {
		g.prefetch(g.all, at)
	} else if r := g.approach(g.all, at); r != nil {
		kernels.PrefetchGroups(g.fold, g.head(r).idx, hotGroups)
	}
}
