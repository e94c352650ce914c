package solver

import (
	"context"
	"math"
	"math/bits"

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
	goalPart      = 0.4 // of the tolerance, see group.goal
)

// groupDescent is how far the solutions are.
type groupDescent struct {
	epoch    int
	since    int  // epochs since the last certificate
	surveyed bool // the sample is done with
	done     bool
}

// sample chooses the rows of the first epochs.
func (g *group) sample() {
	g.order = append(g.order, g.all...)
	size := max(smallestOf, len(g.all)/samplePart)
	if size > len(g.all)/2 || !g.shrinks() {
		g.awake = 0 // there is none
		return
	}
	splitmix.Shuffle(&g.random, g.order)
	g.order = g.order[:size]
	for _, i := range g.order {
		g.prepareRow(i, &g.rows[i])
	}
}

// step is an epoch over the sample or over active rows, and what is learned from it.
func (g *group) step(context.Context) (Epoch, error) {
	d := &g.descent
	if !d.surveyed {
		if g.awake != 0 && d.epoch < min(sampleEpochs, g.opts.MaxEpochs) {
			return g.report(g.pass(sampleGap))
		}
		g.awake = g.open
		g.survey()
		d.surveyed = true
	}
	visits := 0
	if d.epoch < g.opts.MaxEpochs {
		visits = g.pass(g.goal())
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
	return g.report(visits)
}

// report is of an epoch's worst problem. It fails where the numbers of a problem overflow.
func (g *group) report(visits int) (Epoch, error) {
	epoch := Epoch{Number: g.descent.epoch, Active: visits, Gap: math.NaN()}
	for k := range g.problems {
		m := &g.members[k]
		if !m.inRange(g.bias[k]) {
			return epoch, g.problems[k].overflow(g.descent.epoch, g.opts.Bias, rowsOf(g.x))
		}
		epoch.Estimate = max(epoch.Estimate, m.estimate)
	}
	return epoch, nil
}

// goal is the estimate at which a problem goes to sleep. Where few rows are active epochs
// cost little and certificates much, so that the first certificate should do.
func (g *group) goal() float64 {
	if len(g.order) <= len(g.all)/closePart {
		return goalPart * g.opts.Tol
	}
	return g.opts.Tol
}

// pass is an epoch, and returns the number of rows visited.
func (g *group) pass(goal float64) int {
	g.descent.epoch++
	splitmix.Shuffle(&g.random, g.order)
	visits := len(g.order)
	g.epoch()
	g.full = visits == len(g.all)
	g.estimate(visits, g.descent.epoch, goal)
	return visits
}

// estimate takes in what the epoch saw, and puts to sleep the problems that seem to have
// reached the goal: until the next certificate none of their alpha moves.
func (g *group) estimate(visits, epoch int, goal float64) {
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
