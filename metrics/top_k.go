package metrics

import (
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// TopK measures lists of the K best labels of each document. The ranking metrics are those of the extreme
// classification repository (Bhatia et al. 2016).
type TopK struct {
	K int `json:"k"` // the number of labels listed, 1 or more; the caller sets it

	Precision float64 `json:"precision"` // the share of listed labels that are wanted
	Recall    float64 `json:"recall"`    // the share of wanted labels that are listed
	// NDCG is the normalized discounted cumulative gain: 1 for each wanted label, divided by log2(1+place), as a share
	// of what the best list would have; the mean over documents with a label.
	NDCG float64 `json:"ndcg"`

	hits, listed, wanted, documents int64
	gain                            float64
}

// TopKs count the same documents for several K: TopKs{{K: 1}, {K: 5}}.
type TopKs []TopK

// AddList counts a document: its labels, some of which may be [Unknown], and the K best labels or fewer, best first.
func (t *TopK) AddList(want, best []int) {
	if t.K < 1 {
		return
	}
	gain, ideal := 0.0, 0.0
	for _, k := range want {
		if place := slices.Index(best, k); k != Unknown && place >= 0 && place < t.K {
			t.hits++
			gain += discount(place)
		}
	}
	for place := range min(t.K, len(want)) {
		ideal += discount(place)
	}
	if len(want) > 0 {
		t.documents++
		t.gain += gain / ideal
	}
	t.listed += int64(min(t.K, len(best)))
	t.wanted += int64(len(want))
	t.Precision, t.Recall = ratio(t.hits, t.listed), ratio(t.hits, t.wanted)
	t.NDCG = t.gain / float64(max(t.documents, 1))
}

// discount returns the weight of a wanted label at a place.
func discount(place int) float64 { return math.Ln2 / xmath.Log(float64(place+2)) }
