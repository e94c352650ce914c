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

// groupDescent is how far the solutions are.
type groupDescent struct {
	epoch    int
	since    int  // epochs since the last certificate
	surveyed bool // the sample is done with
	done     bool
}

// descend runs epochs until all gaps are certified.
func (g *Group) descend(ctx context.Context) error {
	d := &g.descent
	if d.epoch == 0 {
		g.begin()
	}
	for !d.surveyed {
		if g.awake == 0 || d.epoch >= min(sampleEpochs, g.opts.MaxEpochs) {
			g.awake = g.open
			g.survey()
			d.surveyed = true
			break
		}
		if err := g.pass(ctx, sampleGap); err != nil {
			return err
		}
		if err := g.checkpoint(); err != nil {
			return err
		}
	}
	for !d.done {
		if err := g.step(ctx); err != nil {
			return err
		}
		if err := g.checkpoint(); err != nil {
			return err
		}
	}
	return nil
}

// begin chooses the sample.
func (g *Group) begin() {
	g.order = append(g.order, g.all...)
	size := max(smallestOf, len(g.all)/samplePart)
	if size > len(g.all)/2 || !g.shrinks() || g.warm() {
		g.awake = 0 // there is none
		return
	}
	splitmix.Shuffle(&g.random, g.order)
	g.order = g.order[:size]
	for _, i := range g.order {
		g.prepareRow(i, &g.rows[i])
	}
}

// step is an epoch over active rows, and what is learned from it.
func (g *Group) step(ctx context.Context) error {
	d := &g.descent
	if d.epoch < g.opts.MaxEpochs {
		if err := g.pass(ctx, g.goal()); err != nil {
			return err
		}
	}
	d.since++
	last := d.epoch >= g.opts.MaxEpochs
	if g.awake == 0 && !last {
		g.lookAround()
	}
	if stale := d.since == refresh; g.awake == 0 || stale || last {
		g.certify(stale)
		g.awake, d.since = g.open, 0
		d.done = last || g.open == 0
		if !d.done {
			g.activateUnsettled()
		}
	}
	return g.checkRange()
}

// checkRange fails where the numbers of a problem are out of range.
func (g *Group) checkRange() error {
	for k := range g.problems {
		m := &g.members[k]
		if !inRange(m.norms, m.seen.gap, m.seen.primal, g.bias[k], m.stats.Primal, m.stats.Dual) {
			return g.problems[k].overflow(g.descent.epoch, g.opts.Bias, rowsOf(g.x))
		}
	}
	return nil
}

// checkpoint tells of an epoch's end.
func (g *Group) checkpoint() error {
	if g.opts.Checkpoint == nil {
		return nil
	}
	return g.opts.Checkpoint(State{g.descent.epoch, g.descent.done, g.appendState})
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
func (g *Group) pass(ctx context.Context, goal float64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	g.descent.epoch++
	splitmix.Shuffle(&g.random, g.order)
	visits := len(g.order)
	g.epoch()
	g.full = visits == len(g.all)
	g.estimate(visits, g.descent.epoch, goal)
	g.report(g.descent.epoch, visits)
	return g.checkRange()
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
