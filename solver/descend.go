package solver

import (
	"context"
	"math"

	"github.com/seed-167f963f/nbsvm/internal/splitmix"
)

// pass is what one epoch leaves behind.
type pass struct {
	gap       float64 // Σ over visited rows of loss + conj + alpha·margin: P − D, as seen on the way
	primal    float64 // Σ over visited rows of loss + ½·alpha·margin: P, as seen on the way; 0 if not known
	violation float64 // largest spread of projected gradients
	visited   int
}

// refresh is after how many epochs the slots are brought back to what alpha says,
// if they were not for another reason: the rounding of float32 steps adds up, and
// after thousands of epochs would keep the gap from falling.
const refresh = 32

// descend runs epochs until the gap is certified.
func (s *Solver) descend(ctx context.Context) (Stats, error) {
	var stats Stats
	n := len(s.order)
	shrink := shrinker{active: n, enabled: s.opts.Shrinking && s.opts.Loss != Logistic}
	shrink.reset(n)

	primal := s.primalAtZero()
	small := 0.1 // violation at which the active rows count as solved
	trust := 1.0 // certified gap over estimated gap, as last seen
	for stats.Epochs < s.opts.MaxEpochs {
		if err := ctx.Err(); err != nil {
			return stats, err
		}
		stats.Epochs++
		active := s.order[:shrink.active]
		splitmix.Shuffle(&s.random, active)
		var seen pass
		if s.opts.Loss == Logistic {
			seen = s.logisticEpoch(active)
		} else {
			seen = s.hingeEpoch(&shrink)
		}
		stats.Steps += int64(seen.visited)
		if seen.visited == n && seen.primal > 0 {
			primal = seen.primal
		}
		epoch := Epoch{Number: stats.Epochs, Active: shrink.active, Estimate: relative(seen.gap, primal), Gap: math.NaN()}
		solved := seen.violation <= small && shrink.active < n
		stale := stats.Epochs%refresh == 0
		if epoch.Estimate*trust <= s.opts.Tol || solved || stale || stats.Epochs == s.opts.MaxEpochs {
			stats.Primal, stats.Dual = s.certify()
			stats.Gap = relative(stats.Primal-stats.Dual, stats.Primal)
			epoch.Gap, primal = stats.Gap, stats.Primal
			// Never trust an estimate so little that the next check is far off.
			trust = min(max(stats.Gap/max(epoch.Estimate, math.SmallestNonzeroFloat64), 1), 4)
			if stats.Gap > s.opts.Tol {
				if seen.violation <= small {
					small /= 2
				}
				shrink.reset(s.unsettled())
			}
		}
		if s.opts.Progress != nil {
			s.opts.Progress(epoch)
		}
		if !math.IsNaN(epoch.Gap) && epoch.Gap <= s.opts.Tol {
			return stats, nil
		}
	}
	stats.Status = EpochLimit
	return stats, nil
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
		sum += s.loss(0, s.rows[i].cost)
	}
	return sum
}

// certify computes primal and dual objective in double precision from alpha
// alone, and brings the slots back to what alpha says.
func (s *Solver) certify() (primal, dual float64) {
	clear(s.dual)
	var biasDual, conj, square float64
	for i := range s.rows {
		r := &s.rows[i]
		if r.cost == 0 {
			continue
		}
		conj += s.conj(i, r)
		if a := r.alpha; a != 0 {
			s.prefetch64(s.dual, i+1)
			s.addDual(r, a*float64(r.scale))
			biasDual += float64(a * float64(r.y))
			square += float64(float64(a*a) * r.own)
		}
	}
	s.bias = biasDual * s.biasSquare
	square += float64(biasDual * s.bias)
	for j, z := range s.dual {
		c := s.p.colScale(j)
		w := z * c
		square += float64(w * w)
		s.fold[j] = w * c
		s.slots[j].U = float32(s.fold[j])
	}
	var losses float64
	for i := range s.rows {
		r := &s.rows[i]
		if r.cost == 0 {
			continue
		}
		s.prefetch64(s.fold, i+1)
		margin := float64(s.foldDot(r)*float64(r.scale)) + float64(r.alpha*r.own) + float64(float64(r.y)*s.bias)
		losses += s.loss(margin, r.cost)
		if s.opts.Loss != Logistic {
			diagonal, bound := s.box(r.cost)
			r.settled = pushedOut(r.alpha, bound, float64(r.alpha*diagonal)-(1-margin))
		}
	}
	half := float64(square / 2)
	return half + losses, -half - conj
}
