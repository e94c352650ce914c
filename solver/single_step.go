package solver

import (
	"context"
	"math"
	"slices"
)

// reactivateAt is the factor by which the estimate over active rows must fall until all
// rows are active again.
const reactivateAt = 0.1

// descent is what a solution under way has in mind, besides rows, slots and their order.
type descent struct {
	solution
	shrink     shrinker
	watch      watch
	lastFull   float64 // estimate of the last epoch over all rows
	reactivate bool    // the next epoch takes all rows
	gain       float64 // mean of the last epoch's updates
	trend      trend
	done       bool
}

// step returns an epoch, and what is learned from it.
func (s *single) step(context.Context) (Epoch, error) {
	d := &s.descent
	stats, n := &d.stats, len(s.order)
	if d.reactivate {
		d.shrink.reset(n)
		d.reactivate = false
	}
	stats.Steps += int64(s.repeat(s.order[:d.shrink.active], d.gain))
	stats.Epochs++
	s.shuffle(s.order[:d.shrink.active])
	seen := s.epoch(&d.shrink)
	stats.Steps += int64(seen.updates)
	d.gain = seen.gain / float64(max(seen.updates, 1))
	full := seen.updates == n
	if s.opts.Loss != Logistic && stats.Epochs >= blockFrom && stats.Epochs%blockEvery == 0 {
		stats.Steps += s.solveBlock(s.order[:d.shrink.active])
	}
	if full && seen.primal > 0 { // a sum at changing weights need not be
		d.primal = seen.primal
	}
	estimate := relative(seen.gap, d.primal)
	if stats.Epochs == 1 && !s.started {
		estimate = 1 // the gap at alpha 0; so near to it the logistic loss can't estimate any
	}
	epoch := Epoch{Number: stats.Epochs, Active: d.shrink.active, Estimate: estimate, Gap: math.NaN()}
	stale, last := stats.Epochs%refresh == 0, stats.Epochs == s.opts.MaxEpochs
	started := stats.Epochs > 1 || s.started // before, the margins are not those of any alpha
	if started && d.watch.worse(estimate, full) {
		s.setBatch(max(s.size/4, 1))
	}
	expected := d.trend.gap(d.gapRatio.gap(estimate, full), estimate, full)
	switch {
	case started && expected <= s.opts.Tol || stale || last:
		square, sum := s.certify(stale || s.opts.Tol < leastGroupTol)
		d.certify(square, &sum, s.opts.Tol, estimate, full)
		epoch.Gap, d.lastFull = stats.Gap, stats.Gap
		if stale && d.watch.stuck(stats.Gap) {
			s.setBatch(max(s.size/4, 1))
		}
		if d.done = stats.Converged || last; !d.done {
			d.shrink.reset(s.activeByCertificate())
		}
	case full:
		d.lastFull = estimate
	case estimate <= reactivateAt*d.lastFull:
		d.reactivate = true
	}
	d.seen = seen
	if !d.inRange(s.bias...) {
		long := slices.IndexFunc(s.rows, func(r row) bool { return tooLong(r.norm) })
		if long < 0 && s.size > 1 { // the steps of batches, of an alpha without bounds: from the start, row by row
			s.begin()
			s.setBatch(1)
			return epoch, nil
		}
		return epoch, s.p.overflow(stats.Epochs, s.opts.Bias, long)
	}
	return epoch, nil
}

const (
	// repeatGain is how many times the mean gain of an epoch's updates a row must have gained
	// to be updated again at once.
	repeatGain = 2
	// repeatPart bounds these, as a part of an epoch's updates.
	repeatPart = 0.5
)

// repeat updates those of the active rows once more that gained far more than others in the
// last epoch, and goes on with those of them that still do. Most rows need but a
// step an epoch; a few, as documents that say nearly the same, undo each other's steps
// and hold up all others. It comes before an epoch rather than after one, since a
// certificate needs all rows in balance. mean is that of the last epoch's gains. It returns
// the number of updates.
func (s *single) repeat(active []int32, mean float64) (visits int) {
	if mean <= 0 {
		return 0
	}
	least, most := repeatGain*mean, int(repeatPart*float64(len(active)))
	s.repeated = s.gainers(s.repeated[:0], active, least)
	size := s.size
	for len(s.repeated) > 0 && visits+len(s.repeated) <= most {
		s.shuffle(s.repeated)
		s.setBatch(max(min(size, len(s.repeated)/batchesEpoch), 1))
		s.updateAll(s.repeated, &shrinker{})
		visits += len(s.repeated)
		s.repeated = s.gainers(s.repeated[:0], s.repeated, least)
	}
	s.setBatch(size)
	return visits
}

// gainers appends the rows to dst whose last update gained more than that.
func (s *single) gainers(dst, rows []int32, least float64) []int32 {
	for _, i := range rows {
		if float64(s.rows[i].gain) > least {
			dst = append(dst, i)
		}
	}
	return dst
}
