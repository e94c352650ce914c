package par

import (
	"errors"
	"slices"
	"sync/atomic"
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

func TestEachItem(t *testing.T) {
	for _, n := range []int{0, 1, 2, 1000} {
		seen := make([]atomic.Int32, n)
		EachItem(n, func(i int) { seen[i].Add(1) })
		for i := range seen {
			if seen[i].Load() != 1 {
				t.Errorf("job %d of %d was done %d times", i, n, seen[i].Load())
			}
		}
	}
	// Whichever thread does the job that panics, the caller gets it, when all others rest.
	mine := errors.New("mine")
	for bad := range 50 {
		var running atomic.Int32
		var r any
		func() {
			defer func() { r = recover() }()
			EachItem(50, func(i int) {
				defer running.Add(-1)
				running.Add(1)
				if i == bad {
					panic(mine)
				}
			})
		}()
		if r != mine || running.Load() != 0 {
			t.Fatalf("recovered %v, %d jobs still run", r, running.Load())
		}
	}
}

// TestTeamPanics: a member that panics ends the team.
func TestTeamPanics(t *testing.T) {
	for bad := range 3 {
		var r any
		func() {
			defer func() { r = recover() }()
			Team(3, func(m *Member) {
				for round := range 10 {
					if m.Number == bad && round == 5 {
						panic("bad")
					}
					m.Alone(func() {})
				}
			})
		}()
		if r != "bad" {
			t.Errorf("member %d panicked, recovered %v", bad, r)
		}
	}
}
