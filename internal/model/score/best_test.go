package score

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestBest compares with a stable sort of all.
func TestBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Few values, so that there are ties.
		scores := rapid.SliceOfN(rapid.SampledFrom([]float64{-2, -1, 0, 0.5, 3}), 0, 200).Draw(t, "scores")
		n := rapid.IntRange(1, 80).Draw(t, "n")
		order := make([]int, len(scores))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(i, j int) int {
			switch {
			case scores[i] > scores[j]:
				return -1
			case scores[i] < scores[j]:
				return 1
			}
			return 0
		})
		if got, want := best(scores, n), order[:min(n, len(order))]; !slices.Equal(got, want) {
			t.Fatalf("best(%v, %d) = %v, want %v", scores, n, got, want)
		}
	})
}
