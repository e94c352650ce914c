package metrics

import (
	"math"
	"slices"
)

// ranking is the scores of the positive and of the negative documents, each
// ascending. Two plain sorted slices take half the memory and time of sorted
// (score, class) pairs.
type ranking struct{ pos, neg []float64 }

func (r *ranking) add(positive bool, score float64) {
	if positive {
		r.pos = append(r.pos, score)
	} else {
		r.neg = append(r.neg, score)
	}
}

func (r *ranking) sort() {
	slices.Sort(r.pos)
	slices.Sort(r.neg)
}

// group is the documents that share a score.
type group struct {
	score    float64
	pos, neg int
}

// groups yields the distinct scores from the highest down.
func (r *ranking) groups(yield func(group) bool) {
	p, n := len(r.pos), len(r.neg)
	for p > 0 || n > 0 {
		score := math.Inf(-1)
		if p > 0 {
			score = r.pos[p-1]
		}
		if n > 0 {
			score = max(score, r.neg[n-1])
		}
		p0, n0 := p, n
		for p > 0 && r.pos[p-1] == score {
			p--
		}
		for n > 0 && r.neg[n-1] == score {
			n--
		}
		if !yield(group{score, p0 - p, n0 - n}) {
			return
		}
	}
}

// rocAUC is the area under the receiver operating characteristic: the probability
// that a positive document scores above a negative one, ties counting half
// (Mann and Whitney's U). It is computed from integer counts, with one rounding.
// It is NaN where either kind is missing.
func (r *ranking) rocAUC() float64 {
	if len(r.pos) == 0 || len(r.neg) == 0 {
		return math.NaN()
	}
	var halves uint64 // twice the pairs won
	above := uint64(0)
	for g := range r.groups {
		// The positives seen so far beat these negatives, those of the group tie.
		halves += uint64(g.neg) * (2*above + uint64(g.pos))
		above += uint64(g.pos)
	}
	return float64(halves) / 2 / float64(uint64(len(r.pos))*uint64(len(r.neg)))
}

// averagePrecision is Σ (R_n - R_n-1)·P_n over the distinct scores from
// the highest down, with P_n and R_n the precision and recall of predicting every
// document scored at least so high: the area under the precision-recall curve as
// a step function, without the optimism of straight lines between its points.
// It is NaN where there is no positive document.
func (r *ranking) averagePrecision() float64 {
	if len(r.pos) == 0 {
		return math.NaN()
	}
	var sum float64
	tp, predicted := 0, 0
	for g := range r.groups {
		tp += g.pos
		predicted += g.pos + g.neg
		sum += float64(float64(g.pos) * (float64(tp) / float64(predicted)))
	}
	return sum / float64(len(r.pos))
}
