package par

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// upTo returns a reader of the numbers 0 to n-1.
func upTo(n int) func(context.Context) (int, error) {
	i := 0
	return func(context.Context) (int, error) {
		if i == n {
			return 0, io.EOF
		}
		i++
		return i - 1, nil
	}
}

func jitter() { time.Sleep(time.Duration(rand.IntN(1000)) * time.Millisecond) }

// In these tests time is synctest's, so that random delays take none; and a
// goroutine left behind, or a deadlock, fails the test.

func TestOrder(t *testing.T) {
	for _, workers := range []int{-1, 0, 1, 2, 3, 8} {
		for _, n := range []int{0, 1, 2, 7, 100} {
			synctest.Test(t, func(t *testing.T) {
				var got []int
				err := Run(t.Context(), workers, upTo(n), func(worker, item int) (int, error) {
					if worker < 0 || worker >= max(workers, 1) {
						t.Errorf("worker %d of %d", worker, workers)
					}
					jitter()
					return item * item, nil
				}, func(r int) error {
					if rand.IntN(4) == 0 {
						jitter()
					}
					got = append(got, r)
					return nil
				})
				must.OK(t, err)
				if len(got) != n {
					t.Fatalf("%d workers: %d results of %d", workers, len(got), n)
				}
				for i, r := range got {
					if r != i*i {
						t.Fatalf("%d workers: result %d is %d", workers, i, r)
					}
				}
			})
		}
	}
}

// TestWorkersOwnTheirNumber checks that one number is never at work twice at
// once, and that all of them are used.
func TestWorkersOwnTheirNumber(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const workers = 5
		var busy [workers]sync.Mutex
		var used [workers]int
		err := Each(t.Context(), workers, 200, func(worker, _ int) error {
			if !busy[worker].TryLock() {
				t.Errorf("worker %d runs twice at once", worker)
				return nil
			}
			defer busy[worker].Unlock()
			used[worker]++
			jitter()
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		for worker, n := range used {
			if n == 0 {
				t.Errorf("worker %d was idle", worker)
			}
		}
	})
}

// TestErrors fails a stage at a random item: the error comes back as it was,
// what was collected is a prefix, and nothing is left running.
func TestErrors(t *testing.T) {
	failure := errors.New("failure")
	for _, stage := range []string{"next", "work", "collect"} {
		for _, workers := range []int{1, 2, 4} {
			for at := range 12 {
				synctest.Test(t, func(t *testing.T) {
					fail := func(here string, item int) error {
						jitter()
						if here == stage && item == at {
							return failure
						}
						return nil
					}
					read, collected := upTo(50), 0
					err := Run(t.Context(), workers, func(ctx context.Context) (int, error) {
						item, err := read(ctx)
						if err != nil {
							return 0, err
						}
						return item, fail("next", item)
					}, func(_, item int) (int, error) {
						return item, fail("work", item)
					}, func(item int) error {
						if item != collected {
							t.Errorf("collected %d after %d", item, collected-1)
						}
						collected++
						return fail("collect", item)
					})
					if err != failure {
						t.Errorf("%s fails at %d: %v", stage, at, err)
					}
					if limit := at + 1; collected > limit {
						t.Errorf("%s fails at %d, but %d were collected", stage, at, collected)
					}
				})
			}
		}
	}
}

// TestFirstErrorWins has every stage fail, each a second after the other.
func TestFirstErrorWins(t *testing.T) {
	for first := range 3 {
		synctest.Test(t, func(t *testing.T) {
			err := Run(t.Context(), 3, func() func(context.Context) (int, error) {
				read := upTo(3)
				return func(ctx context.Context) (int, error) {
					item, err := read(ctx)
					if err == io.EOF {
						time.Sleep(time.Duration(10+(3-first)%3) * time.Second)
						return 0, errors.New("error 0")
					}
					return item, nil
				}
			}(), func(_, item int) (int, error) {
				if item == 0 {
					return 0, nil
				}
				time.Sleep(time.Duration(10+(4-first)%3) * time.Second)
				return 0, errors.New("error 1")
			}, func(int) error {
				time.Sleep(time.Duration(10+(5-first)%3) * time.Second)
				return errors.New("error 2")
			})
			if want := fmt.Sprint("error ", first); err == nil || err.Error() != want {
				t.Errorf("got %v, want %s", err, want)
			}
		})
	}
}

func TestWrappedEOFIsAnError(t *testing.T) {
	cut := fmt.Errorf("file cut short: %w", io.EOF)
	err := Run(t.Context(), 2, func(context.Context) (int, error) { return 0, cut },
		func(_, item int) (int, error) { return item, nil }, func(int) error { return nil })
	if err != cut {
		t.Errorf("got %v, want %v", err, cut)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 50 {
		err := Run(ctx, 2, func(context.Context) (int, error) { t.Error("read though cancelled"); return 0, io.EOF },
			func(_, item int) (int, error) { return item, nil }, func(int) error { return nil })
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v", err)
		}
		if err := Each(ctx, 2, 0, nil); !errors.Is(err, context.Canceled) {
			t.Fatalf("Each of nothing: %v", err)
		}
	}
}

// TestCancel stops a run of endless input, from outside, in each stage, and
// while the others wait.
func TestCancel(t *testing.T) {
	for _, slow := range []string{"next", "work", "collect", "none"} {
		for _, workers := range []int{1, 4} {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, nil)
				defer cancel()
				delay := func(stage string) {
					if stage == slow {
						time.Sleep(10 * time.Second)
					} else {
						time.Sleep(time.Millisecond)
					}
				}
				start := time.Now()
				err := Run(ctx, workers,
					func(context.Context) (int, error) { delay("next"); return 0, nil },
					func(_, item int) (int, error) { delay("work"); return item, nil },
					func(int) error { delay("collect"); return nil })
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("slow %s: %v", slow, err)
				}
				if late := time.Since(start) - time.Minute; late > 21*time.Second {
					t.Errorf("slow %s: stopped %v after the deadline", slow, late)
				}
			})
		}
	}
}

// TestBoundedInFlight makes collecting slow, or one item: what was read and not
// yet collected stays bounded.
func TestBoundedInFlight(t *testing.T) {
	for _, workers := range []int{1, 2, 6} {
		for _, slow := range []string{"collect", "work"} {
			synctest.Test(t, func(t *testing.T) {
				var flying, most atomic.Int64
				read := upTo(200)
				err := Run(t.Context(), workers, func(ctx context.Context) (int, error) {
					item, err := read(ctx)
					if err == nil {
						most.Store(max(most.Load(), flying.Add(1)))
					}
					return item, err
				}, func(_, item int) (int, error) {
					if slow == "work" && item%50 == 0 {
						time.Sleep(time.Hour)
					}
					return item, nil
				}, func(int) error {
					if slow == "collect" {
						time.Sleep(time.Second)
					}
					flying.Add(-1)
					return nil
				})
				if err != nil {
					t.Error(err)
				}
				// The queue, one waited for, and one in the reader's hands.
				if limit := int64(2*workers + 2); most.Load() > limit {
					t.Errorf("%d workers, slow %s: %d in flight, want at most %d", workers, slow, most.Load(), limit)
				}
				if most.Load() < int64(workers) {
					t.Errorf("%d workers, slow %s: only %d in flight", workers, slow, most.Load())
				}
			})
		}
	}
}

func TestEach(t *testing.T) {
	failure := errors.New("failure")
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 60).Draw(t, "n")
		workers := rapid.IntRange(0, 9).Draw(t, "workers")
		bad := rapid.IntRange(0, 80).Draw(t, "bad")
		calls := make([]atomic.Int32, n)
		err := Each(context.Background(), workers, n, func(worker, i int) error {
			if worker < 0 || worker >= max(1, min(workers, max(n, 1))) {
				t.Errorf("worker %d of %d for %d numbers", worker, workers, n)
			}
			calls[i].Add(1)
			if i == bad {
				return failure
			}
			return nil
		})
		if want := bad < n; (err == failure) != want || !want && err != nil {
			t.Errorf("Each fails with %v", err)
		}
		for i := range calls {
			if got := calls[i].Load(); got > 1 || got == 0 && err == nil {
				t.Errorf("called %d times for %d of %d", got, i, n)
			}
		}
	})
}

// TestNextStopsWaiting: a next that waits is told when another stage fails.
func TestNextStopsWaiting(t *testing.T) {
	refused := errors.New("refused")
	for _, stage := range []string{"work", "collect"} {
		synctest.Test(t, func(t *testing.T) {
			read := upTo(1)
			fail := func(at string) error {
				if at == stage {
					return refused
				}
				return nil
			}
			err := Run(t.Context(), 2, func(ctx context.Context) (int, error) {
				item, err := read(ctx)
				if err != nil {
					<-ctx.Done()
					err = ctx.Err()
				}
				return item, err
			}, func(_, item int) (int, error) { return item, fail("work") }, func(int) error { return fail("collect") })
			if err != refused {
				t.Errorf("%s: got %v", stage, err)
			}
		})
	}
}

// TestPanic: a panic of any stage is one of the caller's goroutine, after the others have ended.
func TestPanic(t *testing.T) {
	for _, stage := range []string{"next", "work", "collect"} {
		var running atomic.Int32
		fail := func(at string, n int) {
			running.Add(1)
			defer running.Add(-1)
			if at == stage && n == 5 {
				panic("five in " + at)
			}
		}
		func() {
			defer func() {
				text, _ := recover().(string)
				if !strings.HasPrefix(text, "five in "+stage) || !strings.Contains(text, "TestPanic") || running.Load() != 0 {
					t.Errorf("%s: recovered %.60q, %d stages are running", stage, text, running.Load())
				}
			}()
			n := 0
			err := Run(context.Background(), 3, func(context.Context) (int, error) {
				n++
				fail("next", n)
				return n, nil
			}, func(_, n int) (int, error) {
				fail("work", n)
				return n, nil
			}, func(n int) error {
				fail("collect", n)
				return nil
			})
			t.Errorf("%s: it ended with %v", stage, err)
		}()
	}
}

// sized is an item of so many bytes.
type sized int64

func (s sized) Size() int64 { return int64(s) }

// TestSized: large items are in flight only as far as they fit, whatever the number of workers, and one that never fits
// is alone.
func TestSized(t *testing.T) {
	for _, size := range []sized{1 << 20, inFlight, 3 * inFlight, 100 * inFlight} {
		const workers, items = 8, 60
		var now, most atomic.Int64
		n := 0
		err := Run(t.Context(), workers, func(context.Context) (sized, error) {
			if n++; n > items {
				return 0, io.EOF
			}
			return size, nil
		}, func(_ int, s sized) (sized, error) {
			held := now.Add(1)
			for m := most.Load(); held > m && !most.CompareAndSwap(m, held); m = most.Load() {
			}
			time.Sleep(time.Millisecond)
			return s, nil
		}, func(sized) error { now.Add(-1); return nil })
		if limit := max(1, workers*inFlight/int64(size)); err != nil || most.Load() > limit {
			t.Errorf("%d items of %d bytes in flight, want %d at most; %v", most.Load(), size, limit, err)
		}
	}
}

// TestSlice hands out every item once, in order.
func TestSlice(t *testing.T) {
	next := Slice([]string{"a", "b", "c"})
	for _, want := range []string{"a", "b", "c"} {
		if got, err := next(t.Context()); err != nil || got != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
	if _, err := next(t.Context()); err != io.EOF {
		t.Errorf("behind the last: %v", err)
	}
}
