package solver

import (
	"math"
	"math/bits"

	"github.com/seed-167f963f/nbsvm/kernels"
)

// certificate is what the objectives of the problems are made of.
type certificate struct {
	biasDual kernels.Group64 // Σ alpha·y
	square   kernels.Group64 // ‖w‖²
	conj     kernels.Group64
	losses   kernels.Group64
}

// certify computes every objective in double precision from alpha alone, brings the
// slots back to what alpha says, and closes the problems that have reached the
// tolerance.
func (g *Group) certify() {
	var c certificate
	g.sumDual(&c)
	g.refresh(&c)
	g.sumLosses(&c)
	for left := g.open; left != 0; left &= left - 1 {
		k := bits.TrailingZeros8(left)
		m, half := &g.members[k], float64(c.square[k]/2)
		s := &m.stats
		s.Primal, s.Dual = half+c.losses[k], -half-c.conj[k]
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

// sumDual adds up Σ alpha_i·y_i·c_i·a_i·X_ij in fold.
func (g *Group) sumDual(c *certificate) {
	clear(g.fold)
	for at, i := range g.all {
		r := &g.rows[i]
		if r.moved == 0 {
			continue // conj(0) is 0 for the hinge losses; logistic alpha are never 0
		}
		var d kernels.Group64
		for left := r.moved; left != 0; left &= left - 1 {
			k := bits.TrailingZeros8(left) % kernels.GroupSize
			a, rest := r.alpha[k], 0.0
			if g.opts.Loss == Logistic {
				rest = g.rest[i][k]
			}
			c.conj[k] += g.opts.Loss.conj(a, rest, g.cost(k, r))
			d[k] = a * float64(r.scale[k])
			c.biasDual[k] += float64(a * r.y(k))
			c.square[k] += float64(float64(a*a) * float64(r.own[k]))
		}
		g.prefetch64(at + 1)
		row := g.head(r)
		if row.val == nil {
			kernels.AddGroups64(g.fold, row.idx, &d)
		} else {
			kernels.AxpyGroups64(g.fold, row.idx, row.val, &d)
		}
	}
}

// refresh turns the sums in fold into w·s, of which it makes the slots.
func (g *Group) refresh(c *certificate) {
	for j := range g.fold {
		for k := range g.problems {
			s := g.problems[k].colScale(j)
			w := g.fold[j][k] * s
			c.square[k] += float64(w * w)
			g.fold[j][k] = w * s
			g.slots[j][0][k] = float32(g.fold[j][k])
		}
	}
	for k := range g.problems {
		g.bias[k] = c.biasDual[k] * g.biasSquare
		c.square[k] += float64(c.biasDual[k] * g.bias[k])
	}
}

// sumLosses adds up the losses and says of every row in which problems it is settled.
func (g *Group) sumLosses(c *certificate) {
	for at, i := range g.all {
		r := &g.rows[i]
		g.prefetch64(at + 1)
		row := g.head(r)
		var dots kernels.Group64
		if row.val == nil {
			kernels.SumGroups64(&dots, g.fold, row.idx)
		} else {
			kernels.DotGroups64(&dots, g.fold, row.idx, row.val)
		}
		r.settled = 0
		for k := range g.problems {
			margin := float64(dots[k]*float64(r.scale[k])) + float64(r.y(k)*g.bias[k])
			if g.opts.Loss != Logistic && r.moved>>k&1 == 0 && margin > 1 {
				r.settled |= 1 << k // without loss
				continue
			}
			margin += float64(r.alpha[k] * float64(r.own[k]))
			cost := g.cost(k, r)
			if cost == 0 {
				r.settled |= 1 << k
				continue
			}
			c.losses[k] += g.opts.Loss.of(margin, cost)
			if g.opts.Loss != Logistic {
				diagonal, bound := g.opts.Loss.box(cost)
				if pushedOut(r.alpha[k], bound, float64(r.alpha[k]*diagonal)-(1-margin)) {
					r.settled |= 1 << k
				}
			}
		}
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

// prefetch64 asks for what a row needs, in passes over all rows.
func (g *Group) prefetch64(at int) {
	if len(g.fold) > hotGroups && at < len(g.all) {
		kernels.PrefetchGroups(g.fold, g.head(&g.rows[g.all[at]]).idx, hotGroups)
	}
}
