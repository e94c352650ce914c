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

// TestRankingMetrics compares nDCG and propensity-scored precision with their definitions on sorted lists.
func TestRankingMetrics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		labels := rapid.IntRange(1, 8).Draw(t, "labels")
		k := rapid.IntRange(1, 9).Draw(t, "k")
		counts := rapid.SliceOfN(rapid.Uint64Range(0, 50), labels, labels).Draw(t, "counts")
		const documents = 100
		p := Propensities(counts, documents)
		for i, n := range counts {
			c := (math.Log(documents) - 1) * math.Pow(2.5, 0.55)
			if want := 1 / (1 + c*math.Exp(-0.55*math.Log(float64(n)+1.5))); math.Abs(p[i]-want) > 1e-12 {
				t.Fatalf("the propensity of a label with %d documents is %v, want %v", n, p[i], want)
			}
		}
		top := TopKs{{K: k, Propensities: p}}
		var ndcg, scored, best float64
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
			var worth []float64
			for place, label := range order[:min(k, labels)] {
				if slices.Contains(want, label) {
					dcg += 1 / math.Log2(float64(place+2))
					scored += 1 / p[label]
				}
			}
			for place := range min(k, len(want)) {
				ideal += 1 / math.Log2(float64(place+2))
			}
			for _, label := range want {
				worth = append(worth, 1/p[label])
			}
			slices.Sort(worth)
			for _, w := range worth[max(0, len(worth)-k):] {
				best += w
			}
			if len(want) > 0 {
				ndcg += dcg / ideal
				ranked++
			}
		}
		if want := ndcg / float64(max(ranked, 1)); math.Abs(top[0].NDCG-want) > 1e-12 {
			t.Fatalf("nDCG is %v, want %v", top[0].NDCG, want)
		}
		want := 0.0
		if best > 0 {
			want = scored / best
		}
		if math.Abs(*top[0].PropensityScored-want) > 1e-12 {
			t.Fatalf("the propensity-scored precision is %v, want %v", *top[0].PropensityScored, want)
		}
	})
}

// TestNoPropensities: without them, the metric is not there.
func TestNoPropensities(t *testing.T) {
	top := TopKs{{K: 1}}
	top.AddDocument([]int32{Unknown}, []float64{1, 2})
	if top[0].PropensityScored != nil || top[0].NDCG != 0 {
		t.Errorf("%+v", top[0])
	}
}
