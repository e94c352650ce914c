package parallel

import (
	"slices"
	"testing"
)

// TestChunks: every item once, whatever the number of threads.
func TestChunks(t *testing.T) {
	for _, n := range []int{0, 1, 9, 10, 11, 95} {
		for _, threads := range []int{0, 1, 2, 7} {
			items := make([]int, n)
			called := make([]int, Count(n, 10))
			Chunks(threads, n, 10, func(chunk, lo, hi int) {
				called[chunk]++
				for i := lo; i < hi; i++ {
					items[i]++
				}
			})
			if slices.Max(append(items, 1)) != 1 || slices.Min(append(items, 1)) != 1 || slices.Min(append(called, 1)) != 1 || slices.Max(append(called, 1)) != 1 {
				t.Errorf("%d items, %d threads: %v, chunks %v", n, threads, items, called)
			}
		}
	}
}
