package solver

import (
	"context"
	"math"

	"github.com/seed-167f963f/nbsvm/internal/splitmix"
)

// pass is what one epoch leaves behind.
type pass struct {
	gap     float64 // Σ over visited rows of loss + conj + alpha·margin: P − D, as seen on the way
	primal  float64 // Σ over visited rows of loss + ½·alpha·margin: P, as seen on the way
	gain    float64 // Σ over visited rows of row.gain
	visited int
	// The largest and the smallest projected gradient, of hinge losses.
	largest, smallest float64
}

func newPass() pass { return pass{largest: math.Inf(-1), smallest: math.Inf(1)} }

// note takes in the gradient of a row that stays active.
func (p *pass) note(v *visit) {
	g := v.gradient
	if v.pushed {
		g = 0
	}
	p.largest, p.smallest = max(p.largest, g), min(p.smallest, g)
}

// refresh is after how many epochs the slots are brought back to what alpha says,
// if they were not for another reason: the rounding of float32 steps adds up, and
// after thousands of epochs would keep the gap from falling.
const refresh = 32

// wideAgain is the factor by which the estimate over active rows must fall until all
// rows are visited again.
const wideAgain = 0.1

// trust is how the certified gap compares with the estimate of an epoch, as last
// seen, for epochs that visited all rows and for those that did not.
type trust struct{ full, active float64 }

func newTrust(l Loss) trust {
	switch l {
	case Hinge:
		return trust{full: 0.5, active: 1}
	case SquaredHinge: // falls faster
		return trust{full: 0.2, active: 0.6}
	default:
		return trust{full: 0.15, active: 1}
	}
}

// gap is the gap to expect after an epoch.
func (t *trust) gap(estimate float64, full bool) float64 {
	if full {
		return estimate * t.full
	}
	return estimate * t.active
}

// learn takes in a certified gap. The next check must be neither far off nor at once.
func (t *trust) learn(gap, estimate float64, full bool) {
	ratio := gap / max(estimate, math.SmallestNonzeroFloat64)
	if full {
		t.full = min(max(ratio, 0.1), 2)
	} else {
		t.active = min(max(ratio, 0.5), 4)
	}
}

// descent is what a solution under way has in mind, besides rows, slots and their order.
type descent struct {
	stats    Stats
	shrink   shrinker
	primal   float64 // as last certified or seen
	trust    trust
	watch    watch
	lastFull float64 // estimate of the last epoch that visited all rows
	widen    bool    // the next epoch visits all rows
	gain     float64 // mean of the last epoch's visits
	fall     fall
	done     bool
}

// begin is the state before the first epoch.
func (s *Solver) begin() {
	d := descent{
		shrink:   shrinker{enabled: s.opts.Shrinking && s.opts.Loss != Logistic},
		primal:   s.primalAtZero(),
		trust:    newTrust(s.opts.Loss),
		watch:    newWatch(),
		lastFull: math.Inf(1),
	}
	d.shrink.reset(len(s.order))
	s.descent = d
}

// descend runs epochs until the gap is certified.
func (s *Solver) descend(ctx context.Context) (Stats, error) {
	d := &s.descent
	for !d.done {
		if err := ctx.Err(); err != nil {
			return d.stats, err
		}
		epoch, ok := s.step()
		if !ok {
			return d.stats, s.p.overflow(d.stats.Epochs, s.opts.Bias, rowsOf(s.x))
		}
		if s.opts.Progress != nil {
			s.opts.Progress(epoch)
		}
		if s.opts.Checkpoint != nil {
			if err := s.opts.Checkpoint(State{d.stats.Epochs, d.done, s.appendState}); err != nil {
				return d.stats, err
			}
		}
	}
	return d.stats, nil
}

// step is an epoch, and what is learned from it; ok is false once numbers are out of range.
func (s *Solver) step() (epoch Epoch, ok bool) {
	d := &s.descent
	stats, n := &d.stats, len(s.order)
	if d.widen {
		d.shrink.reset(n)
		d.widen = false
	}
	stats.Steps += int64(s.again(s.order[:d.shrink.active], d.gain))
	stats.Epochs++
	splitmix.Shuffle(&s.random, s.order[:d.shrink.active])
	seen := s.epoch(&d.shrink)
	stats.Steps += int64(seen.visited)
	d.gain = seen.gain / float64(max(seen.visited, 1))
	full := seen.visited == n
	if s.opts.Loss != Logistic && stats.Epochs >= blockFrom && stats.Epochs%blockEvery == 0 {
		stats.Steps += s.solveBlock(s.order[:d.shrink.active])
	}
	if full && seen.primal > 0 { // a sum at changing weights need not be
		d.primal = seen.primal
	}
	estimate := relative(seen.gap, d.primal)
	if stats.Epochs == 1 && s.p.Alpha == nil {
		estimate = 1 // the gap at alpha 0; so near to it the logistic loss can't estimate any
	}
	epoch = Epoch{Number: stats.Epochs, Active: d.shrink.active, Estimate: estimate, Gap: math.NaN()}
	stale, last := stats.Epochs%refresh == 0, stats.Epochs == s.opts.MaxEpochs
	started := stats.Epochs > 1 // before, the margins are not those of any alpha
	if started && d.watch.worse(estimate, full) {
		s.setBatch(max(s.size/4, 1))
	}
	expected := d.fall.gap(d.trust.gap(estimate, full), estimate, full)
	switch {
	case started && expected <= s.opts.Tol || stale || last:
		stats.Primal, stats.Dual = s.certify(stale || s.opts.Tol < inDoubleBelow)
		stats.Gap = relative(stats.Primal-stats.Dual, stats.Primal)
		epoch.Gap, d.primal = stats.Gap, stats.Primal
		d.trust.learn(stats.Gap, estimate, full)
		d.lastFull = stats.Gap
		if stale && d.watch.stuck(stats.Gap) {
			s.setBatch(max(s.size/4, 1))
		}
		switch {
		case stats.Gap <= s.opts.Tol:
			d.done = true
		case last:
			stats.Status, d.done = EpochLimit, true
		default:
			d.shrink.reset(s.unsettled())
		}
	case full:
		d.lastFull = estimate
	case estimate <= wideAgain*d.lastFull:
		d.widen = true
	}
	return epoch, inRange(seen.gap, seen.primal, seen.gain, s.bias, stats.Primal, stats.Dual)
}

func relative(gap, primal float64) float64 {
	if primal <= 0 {
		return 0 // nothing to lose: no rows, or all of cost 0
	}
	return gap / primal
}

// primalAtZero is P(0).
func (s *Solver) primalAtZero() float64 {
	var sum float64
	for _, i := range s.order {
		sum += s.opts.Loss.of(0, s.rows[i].cost)
	}
	return sum
}
