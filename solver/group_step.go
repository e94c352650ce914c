package solver

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// Where classes are many, few rows ever move in any of a group's problems: of 1.36
// million in 72 languages, 2 to 5 %. So epochs update active rows alone, and what finds
// the others that would move is passes over the rows: one over all of them after a few epochs
// over a sample, later ones over the candidates that it found, and certificates.
const (
	samplePart       = 16      // of the rows
	smallestOf       = 1 << 15 // samples
	sampleEpochs     = 4       // at most
	sampleGap        = 0.05    // estimated: enough for the sample
	groupShrinkAfter = 2
	goalPart         = 0.4 // of the tolerance, see group.goal
)

// groupDescent is how far the solutions are.
type groupDescent struct {
	epoch   int
	since   int  // epochs since the last certificate
	sampled bool // the sample is done with
	done    bool
}

// sample chooses the rows of the first epochs.
func (g *group) sample() {
	g.order = append(g.order, g.all...)
	size := max(smallestOf, len(g.all)/samplePart)
	if size > len(g.all)/2 || !g.shrinks() {
		g.running = 0 // there is none
		return
	}
	xmath.Shuffle(&g.random, g.order)
	g.order = g.order[:size]
	if g.matrix.Mapped { // rows are read as they lie in the file
		slices.Sort(g.order)
	}
	for _, i := range g.order {
		g.prepareRow(i, &g.rows[i])
	}
}

// step returns an epoch over the sample or over active rows, and what is learned from it.
func (g *group) step(context.Context) (Epoch, error) {
	d := &g.descent
	if !d.sampled {
		if g.running != 0 && d.epoch < min(sampleEpochs, g.opts.MaxEpochs) {
			return g.report(g.pass(sampleGap))
		}
		g.running = g.open
		g.rebuildActiveSet()
		d.sampled = true
	}
	updates := 0
	if d.epoch < g.opts.MaxEpochs {
		updates = g.pass(g.goal())
	}
	d.since++
	last := d.epoch >= g.opts.MaxEpochs
	if g.running == 0 && !last {
		g.activateViolating()
	}
	if stale := d.since == refresh; g.running == 0 || stale || last {
		g.certify(stale)
		g.running, d.since = g.open, 0
		d.done = last || g.open == 0
		if !d.done {
			g.activateByCertificate()
		}
	}
	return g.report(updates)
}

// report reports on the worst problem of an epoch. It fails if the numbers of a problem overflow.
func (g *group) report(updates int) (Epoch, error) {
	epoch := Epoch{Number: g.descent.epoch, Active: updates, Gap: math.NaN()}
	for k := range g.problems {
		m := &g.members[k]
		if !m.inRange(g.bias[k]) {
			long := slices.IndexFunc(g.rows, func(r groupRow) bool { return tooLong(float64(r.norm[k])) })
			return epoch, g.problems[k].overflow(g.descent.epoch, g.opts.Bias, long)
		}
		epoch.Estimate = max(epoch.Estimate, m.estimate)
	}
	return epoch, nil
}

// goal returns the estimate at which a problem stops running. Where few rows are active epochs
// cost little and certificates much, so that the first certificate should do.
func (g *group) goal() float64 {
	if len(g.order) <= len(g.all)/candidatePart {
		return goalPart * g.opts.Tol
	}
	return g.opts.Tol
}

// pass returns an epoch, and returns the number of rows updated.
func (g *group) pass(goal float64) int {
	g.descent.epoch++
	g.shuffle(g.order)
	updates := len(g.order)
	g.epoch()
	g.full = updates == len(g.all)
	g.estimate(updates, g.descent.epoch, goal)
	return updates
}

// estimate takes in what the epoch saw, and stops running the problems that seem to have
// reached the goal: until the next certificate none of their alpha moves.
func (g *group) estimate(updates, epoch int, goal float64) {
	for left := g.running; left != 0; left &= left - 1 {
		k := bits.TrailingZeros8(left)
		m := &g.members[k]
		m.stats.Epochs = epoch
		m.stats.Steps += int64(updates)
		if !m.certified || g.full {
			m.primal = m.seen.primal
		}
		m.estimate = relative(m.seen.gap, m.primal)
		// The first epoch's margins are not those of any alpha.
		if epoch > 1 && m.gapRatio.gap(m.estimate, g.full) <= goal {
			g.running &^= 1 << k
		}
	}
}
