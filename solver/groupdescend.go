package solver

import (
	"context"
	"math"
	"math/bits"

	"github.com/seed-167f963f/nbsvm/internal/splitmix"
	"github.com/seed-167f963f/nbsvm/kernels"
)

// Where classes are many, few rows ever move in any of a group's problems: of 1.36
// million in 72 languages, 2 to 5 %. So a pass over all rows is made by certificates
// alone, which say exactly which rows are at rest; epochs visit the others, and those
// before the first certificate a sample.
const (
	samplePart    = 8       // of the rows
	smallestOf    = 1 << 15 // samples
	sampleEpochs  = 4       // at most
	sampleGap     = 0.05    // estimated: enough before the first certificate
	groupPatience = 2
)

// descend runs epochs until all gaps are certified.
func (g *Group) descend(ctx context.Context) error {
	g.order = append(g.order[:0], g.all...)
	active := len(g.order)
	sampled := g.opts.Shrinking && g.opts.Loss != Logistic
	if sampled {
		splitmix.Shuffle(&g.random, g.order)
		active = min(active, max(smallestOf, active/samplePart))
	}
	for epoch, since := 1, 0; g.open != 0 && epoch <= g.opts.MaxEpochs; epoch++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		splitmix.Shuffle(&g.random, g.order[:active])
		visits := active
		active = g.epoch(active)
		since++
		goal := g.opts.Tol
		if sampled {
			goal = max(goal, sampleGap)
		}
		full := visits == len(g.all)
		g.estimate(visits, epoch, goal)
		if g.awake == 0 || sampled && since == sampleEpochs || since == refresh || epoch == g.opts.MaxEpochs {
			g.certify(full)
			g.awake = g.open
			active, since, sampled = g.unsettled(), 0, false
		}
		g.report(epoch, visits)
	}
	return nil
}

// estimate takes in what the epoch saw, and puts to sleep the problems that seem to have
// reached the goal: until the next certificate none of their alpha moves.
func (g *Group) estimate(visits, epoch int, goal float64) {
	full := visits == len(g.all)
	for left := g.awake; left != 0; left &= left - 1 {
		k := bits.TrailingZeros8(left)
		m := &g.members[k]
		m.stats.Epochs = epoch
		m.stats.Steps += int64(visits)
		primal := m.primal
		if primal == 0 || full {
			primal = m.seen.primal
		}
		m.estimate = relative(m.seen.gap, primal)
		if epoch > 1 && m.trust.gap(m.estimate, full) <= goal { // the first epoch's margins are not those of any alpha
			g.awake &^= 1 << k
		}
	}
}

// certify computes every objective in double precision from alpha alone, brings the
// slots back to what alpha says, and closes the problems that have reached the
// tolerance.
func (g *Group) certify(full bool) {
	var biasDual, conj, square, losses kernels.Group64
	clear(g.fold)
	for at, i := range g.all {
		r := &g.rows[i]
		var d kernels.Group64
		some := false
		for k := range g.problems {
			a, rest := r.alpha[k], 0.0
			if g.rest != nil {
				rest = g.rest[i][k]
			}
			cost := g.cost(k, r)
			if cost == 0 {
				continue
			}
			conj[k] += g.opts.Loss.conj(a, rest, cost)
			if a == 0 {
				continue
			}
			some = true
			d[k] = a * float64(r.scale[k])
			biasDual[k] += float64(a * r.y(k))
			square[k] += float64(float64(a*a) * float64(r.own[k]))
		}
		if some {
			g.addDual(r, at, &d)
		}
	}
	for j := range g.fold {
		for k := range g.problems {
			c := g.problems[k].colScale(j)
			w := g.fold[j][k] * c
			square[k] += float64(w * w)
			g.fold[j][k] = w * c
			g.slots[j][0][k] = float32(g.fold[j][k])
		}
	}
	for k := range g.problems {
		g.bias[k] = biasDual[k] * g.biasSquare
		square[k] += float64(biasDual[k] * g.bias[k])
	}
	for at, i := range g.all {
		r := &g.rows[i]
		dots := g.foldDots(r, at)
		r.settled = 0
		for k := range g.problems {
			cost := g.cost(k, r)
			if cost == 0 {
				r.settled |= 1 << k
				continue
			}
			margin := float64(dots[k]*float64(r.scale[k])) + float64(r.alpha[k]*float64(r.own[k])) + float64(r.y(k)*g.bias[k])
			losses[k] += g.opts.Loss.of(margin, cost)
			if g.opts.Loss != Logistic {
				diagonal, bound := g.opts.Loss.box(cost)
				if pushedOut(r.alpha[k], bound, float64(r.alpha[k]*diagonal)-(1-margin)) {
					r.settled |= 1 << k
				}
			}
		}
	}
	for left := g.open; left != 0; left &= left - 1 {
		k := bits.TrailingZeros8(left)
		m, half := &g.members[k], float64(square[k]/2)
		s := &m.stats
		s.Primal, s.Dual = half+losses[k], -half-conj[k]
		s.Gap = relative(s.Primal-s.Dual, s.Primal)
		m.primal = s.Primal
		m.trust.learn(s.Gap, m.estimate, full)
		s.Status = EpochLimit
		if s.Gap <= g.opts.Tol {
			s.Status = Converged
			g.open &^= 1 << k
		}
	}
}

// unsettled moves the rows that the last certificate found at rest in all open problems
// to the end of the order, and returns the number of the others.
func (g *Group) unsettled() int {
	if !g.opts.Shrinking || g.opts.Loss == Logistic {
		return len(g.all)
	}
	copy(g.order, g.all)
	n := 0
	for at, i := range g.order {
		if g.rows[i].settled&g.open != g.open {
			g.order[n], g.order[at] = i, g.order[n]
			n++
		}
	}
	return n
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

func (g *Group) addDual(r *groupRow, at int, d *kernels.Group64) {
	g.prefetch64(at + 1)
	row := g.head(r)
	if row.val == nil {
		kernels.AddGroups64(g.fold, row.idx, d)
	} else {
		kernels.AxpyGroups64(g.fold, row.idx, row.val, d)
	}
}

func (g *Group) foldDots(r *groupRow, at int) (sum kernels.Group64) {
	g.prefetch64(at + 1)
	row := g.head(r)
	if row.val == nil {
		kernels.SumGroups64(&sum, g.fold, row.idx)
	} else {
		kernels.DotGroups64(&sum, g.fold, row.idx, row.val)
	}
	return sum
}

// prefetch64 asks for what a row needs, in passes over all rows.
func (g *Group) prefetch64(at int) {
	if len(g.fold) > hotGroups && at < len(g.all) {
		kernels.PrefetchGroups(g.fold, g.head(&g.rows[g.all[at]]).idx, hotGroups)
	}
}
