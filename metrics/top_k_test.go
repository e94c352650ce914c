package metrics

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestTopK(t *testing.T) {
	top := TopKs{{K: 2}}
	scores := []float64{4, 4, 2, 1, 0}
	top.AddDocument([]int32{0, 3}, scores)       // one of two labels is among the best two
	top.AddDocument([]int32{1, Unknown}, scores) // of equal scores, the first label is better
	top.AddDocument(nil, scores)
	if top[0].Precision != 2./6 || top[0].Recall != 2./4 {
		t.Errorf("precision %v, recall %v", top[0].Precision, top[0].Recall)
	}
	few := TopKs{{K: 1}, {K: 9}}
	few.AddDocument([]int32{0, 1}, []float64{3, 3})
	if few[0].Precision != 1 || few[0].Recall != 0.5 {
		t.Errorf("precision %v, recall %v of the best one of two labels", few[0].Precision, few[0].Recall)
	}
	if few[1].Precision != 1 || few[1].Recall != 1 {
		t.Errorf("precision %v, recall %v of more labels than there are", few[1].Precision, few[1].Recall)
	}
}

// TestRankingMetrics compares nDCG with its definition on sorted lists.
func TestRankingMetrics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		labels := rapid.IntRange(1, 8).Draw(t, "labels")
		k := rapid.IntRange(1, 9).Draw(t, "k")
		top := TopKs{{K: k}}
		var ndcg float64
		ranked := 0
		for range rapid.IntRange(1, 4).Draw(t, "documents") {
			want := rapid.SliceOfNDistinct(rapid.Int32Range(0, int32(labels-1)), 0, labels, rapid.ID).Draw(t, "want")
			scores := rapid.SliceOfN(rapid.Float64Range(0, 3), labels, labels).Draw(t, "scores")
			top.AddDocument(want, scores)
			order := make([]int32, labels)
			for i := range order {
				order[i] = int32(i)
			}
			slices.SortStableFunc(order, func(a, b int32) int {
				switch {
				case scores[a] > scores[b]:
					return -1
				case scores[a] < scores[b]:
					return 1
				}
				return 0
			})
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
		if want := ndcg / float64(max(ranked, 1)); math.Abs(top[0].NDCG-want) > 1e-12 {
			t.Fatalf("nDCG is %v, want %v", top[0].NDCG, want)
		}
	})
}
