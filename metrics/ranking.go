package metrics

import (
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// ranking counts, for a label, how many negative documents score as much as each positive one, or between two of them.
// This is all that the areas under its curves need.
type ranking struct {
	pos   []float64 // scores of the positive documents, ascending
	tied  []int     // negative documents with the score pos[i]; those of equal scores at the first of them
	below []int     // negative documents below pos[i], and above those before it; at the end those above all
	neg   int
}

// begin sorts the positive documents, before negative ones are counted.
func (r *ranking) begin() {
	slices.Sort(r.pos)
	r.tied, r.below = make([]int, len(r.pos)), make([]int, len(r.pos)+1)
}

// count counts a negative document.
func (r *ranking) count(score float64) {
	r.neg++
	lo, hi := 0, len(r.pos)
	for lo < hi {
		if mid := int(uint(lo+hi) >> 1); r.pos[mid] < score {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(r.pos) && r.pos[lo] == score {
		r.tied[lo]++
	} else {
		r.below[lo]++
	}
}

// groups yields how many positive and negative documents share each score of a positive one, from the highest down, and
// in front of each the negative ones between it and the group before. The last ones are below all.
func (r *ranking) groups(yield func(pos, neg int) bool) {
	for hi := len(r.pos); hi > 0; {
		lo := hi - 1
		for lo > 0 && r.pos[lo-1] == r.pos[hi-1] {
			lo--
		}
		if !yield(0, r.below[hi]) || !yield(hi-lo, r.tied[lo]) {
			return
		}
		hi = lo
	}
	yield(0, r.below[0])
}

// rocAUC returns the area under the receiver operating characteristic: the probability
// that a positive document scores above a negative one, ties counting half
// (Mann and Whitney's U). It is computed from integer counts, with one rounding.
// It is NaN where either kind is missing.
func (r *ranking) rocAUC() float64 {
	if len(r.pos) == 0 || r.neg == 0 {
		return math.NaN()
	}
	var halves uint64 // twice the pairs won
	above := uint64(0)
	for pos, neg := range r.groups {
		// The positives seen so far beat these negatives, those of the group tie.
		halves += uint64(neg) * (2*above + uint64(pos))
		above += uint64(pos)
	}
	return float64(halves) / 2 / float64(uint64(len(r.pos))*uint64(r.neg))
}

// averagePrecision returns Σ (R_n - R_n-1)·P_n over the distinct scores from
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
	for pos, neg := range r.groups {
		tp += pos
		predicted += pos + neg
		if pos > 0 {
			sum += float64(float64(pos) * (float64(tp) / float64(predicted)))
		}
	}
	return sum / float64(len(r.pos))
}

// Limits of what is kept of documents for the areas under curves.
const (
	mostScores    = 1 << 26
	fewestSampled = 10_000 // fewer documents would not tell
	labelsCost    = 4      // the memory of a document's labels, in scores
	scoresOfBlock = 1 << 16
)

// sample keeps the labels and scores of all documents, or of a random sample of them (Vitter's algorithm R) if their
// scores are too many.
type sample struct {
	classes int
	limit   int // scores that are kept at most
	seen    int
	random  xmath.SplitMix
	wanted  [][]int32
	scores  [][]float64 // in blocks of documents
}

// most returns the maximum number of documents kept, and ofBlock the number in a block.
func (s *sample) most() int    { return s.limit / (s.classes + labelsCost) }
func (s *sample) ofBlock() int { return max(1, scoresOfBlock/s.classes) }

// sampled returns the number of documents in the sample if that is not all.
func (s *sample) sampled() int {
	if s.seen <= s.most() {
		return 0
	}
	return len(s.wanted)
}

// add adds a document.
func (s *sample) add(wanted []int32, scores []float64) {
	s.seen++
	if n := len(s.wanted); s.seen <= s.most() {
		s.wanted = append(s.wanted, slices.Clone(wanted))
		if n%s.ofBlock() == 0 {
			s.scores = append(s.scores, make([]float64, 0, min(n, s.ofBlock())*s.classes)) // the first one grows
		}
		last := &s.scores[len(s.scores)-1]
		*last = append(*last, scores...)
		return
	}
	if s.most() < fewestSampled {
		s.wanted, s.scores = nil, nil
		return
	}
	if at := s.random.IntN(s.seen); at < len(s.wanted) {
		s.wanted[at] = append(s.wanted[at][:0], wanted...)
		copy(s.row(at), scores)
	}
}

// row has the scores of a document.
func (s *sample) row(i int) []float64 {
	block := s.scores[i/s.ofBlock()]
	return block[i%s.ofBlock()*s.classes:][:s.classes]
}

// rank counts the documents of the sample by label; nil if it has none.
func (s *sample) rank() []ranking {
	if len(s.wanted) == 0 {
		return nil
	}
	all := make([]ranking, s.classes)
	for i, wanted := range s.wanted {
		row := s.row(i)
		for _, k := range wanted {
			all[k].pos = append(all[k].pos, row[k])
		}
	}
	for k := range all {
		all[k].begin()
	}
	for i, wanted := range s.wanted {
		for k, score := range s.row(i) {
			if len(wanted) > 0 && int(wanted[0]) == k { // they are ascending
				wanted = wanted[1:]
			} else {
				all[k].count(score)
			}
		}
	}
	return all
}
