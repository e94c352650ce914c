package metrics

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestTopK(t *testing.T) {
	top := TopK{K: 2}
	top.AddList([]int{0, 3}, []int{0, 1}) // one of two labels is among the best two
	top.AddList([]int{1, Unknown}, []int{0, 1})
	top.AddList(nil, []int{0, 1})
	if top.Precision != 2./6 || top.Recall != 2./4 {
		t.Errorf("precision %v, recall %v", top.Precision, top.Recall)
	}
	few := TopKs{{K: 1}, {K: 9}, {K: -1}}
	for i := range few {
		few[i].AddList([]int{0, 1}, []int{0, 1})
	}
	if few[0].Precision != 1 || few[0].Recall != 0.5 {
		t.Errorf("precision %v, recall %v of the best one of two labels", few[0].Precision, few[0].Recall)
	}
	if few[1].Precision != 1 || few[1].Recall != 1 {
		t.Errorf("precision %v, recall %v of more labels than there are", few[1].Precision, few[1].Recall)
	}
	if few[2].Precision != 0 || few[2].Recall != 0 {
		t.Errorf("precision %v, recall %v of no list", few[2].Precision, few[2].Recall)
	}
}

// TestRankingMetrics compares nDCG with its definition on sorted lists.
func TestRankingMetrics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		labels := rapid.IntRange(1, 8).Draw(t, "labels")
		k := rapid.IntRange(1, 9).Draw(t, "k")
		top := TopK{K: k}
		var ndcg float64
		ranked := 0
		for range rapid.IntRange(1, 4).Draw(t, "documents") {
			want := rapid.SliceOfNDistinct(rapid.IntRange(0, labels-1), 0, labels, rapid.ID).Draw(t, "want")
			scores := rapid.SliceOfN(rapid.Float64Range(0, 3), labels, labels).Draw(t, "scores")
			order := make([]int, labels)
			for i := range order {
				order[i] = i
			}
			slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
			top.AddList(want, order[:min(k, labels)])
			var dcg, ideal float64
			for place, label := range order[:min(k, labels)] {
				if slices.Contains(want, label) {
					dcg += 1 / math.Log2(float64(place+2))
				}
			}
			for place := range min(k, len(want)) {
				ideal += 1 / math.Log2(float64(place+2))
			}
			if len(want) > 0 {
				ndcg += dcg / ideal
				ranked++
			}
		}
		if want := ndcg / float64(max(ranked, 1)); math.Abs(top.NDCG-want) > 1e-12 {
			t.Fatalf("nDCG is %v, want %v", top.NDCG, want)
		}
	})
}
