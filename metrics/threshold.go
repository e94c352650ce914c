package metrics

import (
	"fmt"
	"math"
)

// BestF1Threshold returns the threshold at which predicting the documents with
// score > threshold has the highest F1, and that F1. Of several, the highest
// threshold is taken. It lies half way between two neighbouring scores; where
// every document is to be predicted, or none, half the mean gap between distinct
// scores outside of them (0.5 if there is one score only). Without positive
// documents the best is to predict none, with an F1 of 0. Scores of NaN and -Inf
// are never predicted. It panics if lengths differ.
func BestF1Threshold(want []bool, scores []float64) (threshold, f1 float64) {
	if len(want) != len(scores) {
		panic(fmt.Sprintf("metrics: BestF1Threshold of %d wanted classes and %d scores: the lengths must agree", len(want), len(scores)))
	}
	r := new(ranking)
	positives := 0
	for i, s := range scores {
		if want[i] {
			positives++
		}
		if s > math.Inf(-1) {
			r.add(want[i], s)
		}
	}
	r.sort()

	// F1 = 2tp/(predicted+positives); fractions are compared as integers, exactly.
	var best struct {
		tp, den      uint64
		lower, upper float64 // the threshold goes between these
		open         bool    // there is no lower score
	}
	best.den = 1
	var tp, predicted uint64
	var previous float64
	pending := false // the last group was the best so far: its lower neighbour is next
	distinct, top := 0, 0.0
	for g := range r.groups {
		if pending {
			best.lower, best.open, pending = g.score, false, false
		}
		if distinct == 0 {
			top = g.score
		}
		distinct++
		tp += uint64(g.pos)
		predicted += uint64(g.pos + g.neg)
		if den := predicted + uint64(positives); tp*best.den > best.tp*den {
			best.tp, best.den = tp, den
			best.upper, best.open, pending = g.score, true, true
		}
		previous = g.score
	}
	if distinct == 0 {
		return 0, 0
	}
	margin := 0.5
	if distinct > 1 {
		margin = (float64(top/2) - float64(previous/2)) / float64(distinct-1)
	}
	switch {
	case best.tp == 0:
		return clamp(top + margin), 0
	case best.open:
		threshold = below(best.upper, clamp(best.upper-margin), math.Inf(-1))
	default:
		threshold = below(best.upper, clamp(float64(best.lower/2)+float64(best.upper/2)), best.lower)
	}
	return threshold, 2 * float64(best.tp) / float64(best.den)
}

// below returns t, or if rounding took t out of lower ≤ t < upper, the value
// within that is nearest.
func below(upper, t, lower float64) float64 {
	if t >= upper {
		return math.Nextafter(upper, math.Inf(-1)) // lower at least
	}
	return max(t, lower)
}

// clamp makes a threshold finite, whatever the scores.
func clamp(t float64) float64 {
	return max(-math.MaxFloat64, min(t, math.MaxFloat64))
}
