package solver

import (
	"context"
	"math/bits"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/splitmix"
)

// Where classes are many, few rows ever move in any of a group's problems: of 1.36
// million in 72 languages, 2 to 5 %. So epochs visit active rows alone, and what finds
// the others that would move is passes over the rows: a survey after a few epochs over a
// sample, surveys of the rows that it found close to moving, and certificates.
const (
	samplePart    = 16      // of the rows
	smallestOf    = 1 << 15 // samples
	sampleEpochs  = 4       // at most
	sampleGap     = 0.05    // estimated: enough before the first survey
	groupPatience = 2
	goalPart      = 0.4 // of the tolerance, see Group.goal
)

// descend runs epochs until all gaps are certified.
func (g *Group) descend(ctx context.Context) error {
	g.order = append(g.order, g.all...)
	epoch := 0
	if size := max(smallestOf, len(g.all)/samplePart); size <= len(g.all)/2 && g.shrinks() && !g.warm() {
		splitmix.Shuffle(&g.random, g.order)
		g.order = g.order[:size]
		for _, i := range g.order {
			g.prepareRow(i, &g.rows[i])
		}
		for g.awake != 0 && epoch < min(sampleEpochs, g.opts.MaxEpochs) {
			epoch++
			if err := g.pass(ctx, epoch, sampleGap); err != nil {
				return err
			}
		}
		g.awake = g.open
	}
	g.survey()
	for since := 1; g.open != 0; since++ {
		epoch++
		if epoch <= g.opts.MaxEpochs {
			if err := g.pass(ctx, epoch, g.goal()); err != nil {
				return err
			}
		}
		last := epoch >= g.opts.MaxEpochs
		if g.awake == 0 && !last {
			g.lookAround()
		}
		if stale := since%refresh == 0; g.awake == 0 || stale || last {
			g.certify(stale)
			if last {
				return nil
			}
			g.awake, since = g.open, 0
			g.activateUnsettled()
		}
	}
	return nil
}

// goal is the estimate at which a problem goes to sleep. Where few rows are active epochs
// cost little and certificates much, so that the first certificate should do.
func (g *Group) goal() float64 {
	if len(g.order) <= len(g.all)/closePart {
		return goalPart * g.opts.Tol
	}
	return g.opts.Tol
}

// warm says whether any problem starts from given alpha.
func (g *Group) warm() bool {
	return slices.ContainsFunc(g.problems, func(p Problem) bool { return p.Alpha != nil })
}

// shrinks says whether rows at rest are left out of epochs.
func (g *Group) shrinks() bool { return g.opts.Shrinking && g.opts.Loss != Logistic }

// pass is an epoch and its report.
func (g *Group) pass(ctx context.Context, epoch int, goal float64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	splitmix.Shuffle(&g.random, g.order)
	visits := len(g.order)
	g.epoch()
	g.full = visits == len(g.all)
	g.estimate(visits, epoch, goal)
	g.report(epoch, visits)
	return nil
}

// estimate takes in what the epoch saw, and puts to sleep the problems that seem to have
// reached the goal: until the next certificate none of their alpha moves.
func (g *Group) estimate(visits, epoch int, goal float64) {
	for left := g.awake; left != 0; left &= left - 1 {
		k := bits.TrailingZeros8(left)
		m := &g.members[k]
		m.stats.Epochs = epoch
		m.stats.Steps += int64(visits)
		if !m.certified || g.full {
			m.primal = m.seen.primal
		}
		m.estimate = relative(m.seen.gap, m.primal)
		if epoch > 1 && m.trust.gap(m.estimate, g.full) <= goal { // the first epoch's margins are not those of any alpha
			g.awake &^= 1 << k
		}
	}
}
