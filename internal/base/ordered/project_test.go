package ordered

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/base/parallel"
)

// TestProjection: a projection has the same results, and workers that go on side by side.
func TestProjection(t *testing.T) {
	const items, nap = 12, 2 * time.Millisecond
	var got []int
	used := map[int]bool{}
	p, err := parallel.Project(4, func() error {
		return Map(t.Context(), 4, items, func(worker, i int) (int, error) {
			used[worker] = true
			time.Sleep(nap)
			return i * i, nil
		}, func(square int) error {
			got = append(got, square)
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []int{0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121}; !slices.Equal(got, want) || len(used) != 4 {
		t.Errorf("%v from workers %v", got, used)
	}
	if saved := p.Work - p.Path; saved < (items-items/4-1)*nap || p.Path < items/4*nap {
		t.Errorf("%v of work, %v of path", p.Work, p.Path)
	}
}

// TestProjectionBehindOne: what reads or collects sets the pace where it takes longest.
func TestProjectionBehindOne(t *testing.T) {
	const items, nap = 6, 2 * time.Millisecond
	wait := func() { time.Sleep(nap) }
	for _, slow := range []string{"next", "collect"} {
		n := 0
		p, err := parallel.Project(8, func() error {
			return Run(t.Context(), 8, func(context.Context) (int, error) {
				if n++; n > items {
					return 0, io.EOF
				}
				if slow == "next" {
					wait()
				}
				return n, nil
			}, func(_, n int) (int, error) { return n, nil }, func(int) error {
				if slow == "collect" {
					wait()
				}
				return nil
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		if p.Path < items*nap {
			t.Errorf("slow %s: %v of path", slow, p.Path)
		}
	}
}

// TestProjectionFails: errors of each stage end it.
func TestProjectionFails(t *testing.T) {
	failed := errors.New("failed")
	for stage := range 3 {
		fail := func(at int) error {
			if at == stage {
				return failed
			}
			return nil
		}
		_, err := parallel.Project(2, func() error {
			return Run(t.Context(), 2, func(context.Context) (int, error) { return 1, fail(0) },
				func(int, int) (int, error) { return 1, fail(1) }, func(int) error { return fail(2) })
		})
		if !errors.Is(err, failed) {
			t.Errorf("stage %d: %v", stage, err)
		}
	}
}

// TestBoth: two functions wait for each other, but under a projection, where the second comes after the first; an error
// of one ends the context of the other.
func TestBoth(t *testing.T) {
	met := make(chan bool)
	err := Both(t.Context(), func(context.Context) error { met <- true; return nil }, func(context.Context) error { <-met; return nil })
	if err != nil {
		t.Error(err)
	}
	failed := errors.New("failed")
	err = Both(t.Context(), func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, func(context.Context) error { return failed })
	if !errors.Is(err, failed) {
		t.Errorf("error %v", err)
	}
	var order []string
	_, err = parallel.Project(2, func() error {
		return Both(t.Context(), func(context.Context) error {
			time.Sleep(time.Millisecond)
			order = append(order, "first")
			return nil
		}, func(context.Context) error {
			order = append(order, "second")
			return nil
		})
	})
	if err != nil || !slices.Equal(order, []string{"first", "second"}) {
		t.Errorf("%v, %v", order, err)
	}
}
