package metrics

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// TopK measures lists of the K best labels of each document. The ranking metrics are those of the extreme
// classification repository (Bhatia et al. 2016).
type TopK struct {
	// K is the number of labels listed, 1 or more, and Propensities the propensity of each label (see [Propensities])
	// or nil; the caller sets
	// both.
	K            int       `json:"k"`
	Propensities []float64 `json:"-"`

	Precision float64 `json:"precision"` // the share of listed labels that are wanted
	Recall    float64 `json:"recall"`    // the share of wanted labels that are listed
	// NDCG is the normalized discounted cumulative gain: 1 for each wanted label, divided by log2(1+place), as a share
	// of what the best list would have; the mean over documents with a label.
	NDCG float64 `json:"ndcg"`
	// PropensityScored is the precision in which a wanted label counts 1/propensity, so that rare labels count more, as
	// a share of what the best lists would have (Jain, Prabhu and Varma 2016); nil without propensities.
	PropensityScored *float64 `json:"propensity_scored_precision,omitempty"`

	hits, listed, wanted, documents int64
	gain, scored, best              float64
}

// Propensities returns the estimated probabilities that a document which should have a label has it, for labels that so
// many of the training documents carry (Jain, Prabhu and Varma 2016, equation 3, with A = 0.55 and B = 1.5).
func Propensities(counts []uint64, documents int) []float64 {
	const a, b = 0.55, 1.5
	c := (xmath.Log(float64(max(documents, 3))) - 1) * xmath.Exp(float64(a*xmath.Log(b+1)))
	all := make([]float64, len(counts))
	for k, n := range counts {
		all[k] = 1 / (1 + float64(c*xmath.Exp(float64(-a*xmath.Log(float64(n)+b)))))
	}
	return all
}

// TopKs count the same documents for several K: TopKs{{K: 1}, {K: 5}}.
type TopKs []TopK

// AddDocument counts a document: its labels, some of which may be [Unknown], and the scores of all labels. A label
// without a score is unknown, too.
func (t TopKs) AddDocument(want []int32, scores []float64) {
	if len(t) == 0 {
		return
	}
	found := make([]placed, 0, len(want))
	for _, k := range want {
		if k >= 0 && int(k) < len(scores) {
			found = append(found, placed{int(k), placeOf(scores, int(k))})
		}
	}
	for i := range t {
		t[i].add(found, len(want), len(scores))
	}
}

// AddList counts a document whose best labels are listed already: its labels, some of which may be [Unknown], and the K
// best of so many labels or fewer, best first.
func (t *TopK) AddList(want, best []int, labels int) {
	found := make([]placed, 0, len(want))
	for _, k := range want {
		if place := slices.Index(best, k); k != Unknown && place >= 0 {
			found = append(found, placed{k, place})
		} else if k != Unknown {
			found = append(found, placed{k, labels})
		}
	}
	t.add(found, len(want), len(best))
}

// placed is a wanted class and its place in the order of scores, the best at 0.
type placed struct{ class, place int }

// placeOf returns the place of a class in the order of scores, best first; of equal scores the first class is better.
func placeOf(scores []float64, class int) int {
	place := 0
	for k, score := range scores {
		if score > scores[class] || score == scores[class] && k < class {
			place++
		}
	}
	return place
}

// add notes a document by the places of its labels, by how many it has, and how many can be listed.
func (t *TopK) add(found []placed, wanted, listed int) {
	if t.K < 1 {
		return
	}
	gain, ideal := 0.0, 0.0
	for _, f := range found {
		if f.place < t.K {
			t.hits++
			gain += discount(f.place)
		}
	}
	for place := range min(t.K, wanted) {
		ideal += discount(place)
	}
	if wanted > 0 {
		t.documents++
		t.gain += gain / ideal
	}
	t.listed += int64(min(t.K, listed))
	t.wanted += int64(wanted)
	t.Precision, t.Recall = ratio(t.hits, t.listed), ratio(t.hits, t.wanted)
	t.NDCG = t.gain / float64(max(t.documents, 1))
	t.addPropensities(found)
}

// discount returns the weight of a wanted label at a place.
func discount(place int) float64 { return math.Ln2 / xmath.Log(float64(place+2)) }

// addPropensities notes the labels that are known: those that are not have no propensity.
func (t *TopK) addPropensities(found []placed) {
	if t.Propensities == nil {
		return
	}
	worth := make([]float64, len(found))
	for i, f := range found {
		if f.class < len(t.Propensities) {
			worth[i] = 1 / t.Propensities[f.class]
		}
		if f.place < t.K {
			t.scored += worth[i]
		}
	}
	slices.SortFunc(worth, func(a, b float64) int { return cmp.Compare(b, a) })
	for _, w := range worth[:min(t.K, len(worth))] {
		t.best += w
	}
	share := 0.0
	if t.best > 0 {
		share = t.scored / t.best
	}
	t.PropensityScored = &share
}
