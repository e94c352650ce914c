package learn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// equallyWeighted are margins of documents that differ and have the weight 1.
func equallyWeighted(of [][]float64, carries [][]bool) *margins {
	m := &margins{of: of, carries: carries}
	for range carries[0] {
		m.weights, m.distinct = append(m.weights, 1), append(m.distinct, true)
	}
	return m
}

// microF1 is 2·TP/(predicted+positives) of margins above thresholds; 0 of nothing.
func microF1(margins [][]float64, carries [][]bool, thresholds []float64) float64 {
	hits, predicted, positives := 0, 0, 0
	for i := range margins {
		for n, m := range margins[i] {
			if carries[i][n] {
				positives++
			}
			if m > thresholds[i] {
				predicted++
				if carries[i][n] {
					hits++
				}
			}
		}
	}
	if predicted+positives == 0 {
		return 0
	}
	return 2 * float64(hits) / float64(predicted+positives)
}

// exhaustive is the largest micro F1 of all choices of thresholds.
func exhaustive(margins [][]float64, carries [][]bool) float64 {
	best := 0.0
	thresholds := make([]float64, len(margins))
	var choose func(output int)
	choose = func(output int) {
		if output == len(margins) {
			best = max(best, microF1(margins, carries, thresholds))
			return
		}
		cuts := slices.Sorted(slices.Values(append([]float64{math.Inf(-1)}, margins[output]...)))
		for _, m := range slices.Compact(cuts) {
			thresholds[output] = m // those above m, and not m itself
			choose(output + 1)
		}
	}
	choose(0)
	return best
}

func TestMicroF1Thresholds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 5000 {
		outputs, docs, share := 1+rng.IntN(3), rng.IntN(10), rng.Float64()
		margins, carries := make([][]float64, outputs), make([][]bool, outputs)
		for i := range margins {
			for range docs {
				margins[i] = append(margins[i], float64(rng.IntN(9)-4)/2) // ties
				carries[i] = append(carries[i], rng.Float64() < share)
			}
		}
		thresholds := microF1Thresholds(equallyWeighted(margins, carries), 0)
		got, want := microF1(margins, carries, thresholds), exhaustive(margins, carries)
		if math.Abs(got-want) > 1e-12 {
			t.Fatalf("margins %v, labels %v: thresholds %v have the micro F1 %v, the best %v", margins, carries, thresholds, got, want)
		}
		for i, threshold := range thresholds {
			if math.IsNaN(threshold) || math.IsInf(threshold, 0) {
				t.Fatalf("threshold %d is %v", i, threshold)
			}
		}
	}
}

// TestThresholdLiesBetween: also between margins that have no number between them.
func TestThresholdLiesBetween(t *testing.T) {
	for _, low := range []float64{0, 1, -1, 1e-300, 3, -7.25, 1e9, math.Nextafter(1, 2)} {
		high := math.Nextafter(low, math.Inf(1))
		thresholds := microF1Thresholds(equallyWeighted([][]float64{{high, low}}, [][]bool{{true, false}}), 0)
		if got := microF1([][]float64{{high, low}}, [][]bool{{true, false}}, thresholds); got != 1 {
			t.Errorf("threshold %v for %v and %v: micro F1 %v", thresholds[0], high, low, got)
		}
	}
}
