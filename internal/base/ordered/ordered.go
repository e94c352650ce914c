// Package ordered runs a reading, a working and a collecting stage side by
// side: one goroutine reads items, several work on them, and the results are
// collected in the order in which the items were read. What is in flight is
// bounded.
package ordered

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/seed-167f963f/nbsvm/internal/base/parallel"
)

// MostThreads is how many threads the engine uses at most, however many are asked for: each takes memory of its own.
const MostThreads = 1024

// Threads is how many threads to use where n are asked for; less than one stands for all processors.
func Threads(n int) int {
	if n < 1 {
		n = parallel.Processors()
	}
	return min(n, MostThreads)
}

// Run reads items with next until it returns io.EOF (itself: an error that wraps
// it is an error), turns each into a result with work, and hands the results to
// collect in order. work is called from several goroutines at once, next and
// collect each from one; worker is below workers and names the goroutine, so
// that it can own scratch memory. The context of next ends when any stage fails: a next
// that waits must return then, since Run waits for it. Run returns the first error of any stage or of
// ctx, once all its goroutines have ended. Less than one worker counts as one. A panic of a stage becomes one of Run,
// so that callers can recover from it, with the stack of the goroutine that it was on.
func Run[T, R any](ctx context.Context, workers int, next func(context.Context) (T, error), work func(worker int, item T) (R, error), collect func(R) error) error {
	type job struct {
		item   T
		result chan R
	}
	workers = max(workers, 1)
	if clock := parallel.Projection(); clock != nil {
		return project(ctx, clock, workers, next, work, collect)
	}
	group, ctx := errgroup.WithContext(ctx)
	var panicked atomic.Pointer[string]
	start := func(stage func() error) {
		group.Go(func() (err error) {
			defer func() {
				if r := recover(); r != nil {
					text := fmt.Sprintf("%v\n\n%s", r, debug.Stack())
					panicked.CompareAndSwap(nil, &text)
					err = errPanicked
				}
			}()
			return stage()
		})
	}
	jobs := make(chan job)
	// Its capacity bounds the finished results that wait for an earlier one.
	order := make(chan chan R, 2*workers)
	start(func() error {
		defer close(jobs)
		defer close(order)
		for {
			// The selects below choose at random where several cases are ready.
			if err := ctx.Err(); err != nil {
				return err
			}
			item, err := next(ctx)
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			j := job{item, make(chan R, 1)}
			select {
			case order <- j.result:
			case <-ctx.Done():
				return ctx.Err()
			}
			select {
			case jobs <- j:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	})
	for worker := range workers {
		start(func() error {
			for j := range jobs {
				r, err := work(worker, j.item)
				if err != nil {
					return err
				}
				j.result <- r
			}
			return nil
		})
	}
	start(func() error {
		for result := range order {
			if err := ctx.Err(); err != nil {
				return err
			}
			select {
			case r := <-result:
				if err := collect(r); err != nil {
					return err
				}
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	err := group.Wait()
	if text := panicked.Load(); text != nil {
		panic(*text)
	}
	return err
}

// errPanicked ends the other stages when one has panicked.
var errPanicked = errors.New("ordered: a stage has panicked")

// Each calls work for every number below n, spread over the workers. It stops
// at the first error, which it returns.
func Each(ctx context.Context, workers, n int, work func(worker, i int) error) error {
	return Map(ctx, workers, n, func(worker, i int) (struct{}, error) {
		return struct{}{}, work(worker, i)
	}, func(struct{}) error { return nil })
}

// Map is Run for the numbers below n as items. A single one is worked on by the caller.
func Map[R any](ctx context.Context, workers, n int, work func(worker, i int) (R, error), collect func(R) error) error {
	if n == 1 {
		if err := ctx.Err(); err != nil {
			return err
		}
		r, err := work(0, 0)
		if err != nil {
			return err
		}
		return collect(r)
	}
	numbers := 0
	return Run(ctx, min(workers, max(n, 1)), func(context.Context) (int, error) {
		if numbers == n {
			return 0, io.EOF
		}
		numbers++
		return numbers - 1, nil
	}, work, collect)
}

// Both runs two functions side by side, whose context ends when either fails, and returns the first error. Under a
// projection, which has one thread, the second comes after the first.
func Both(ctx context.Context, first, second func(context.Context) error) error {
	group, ctx := errgroup.WithContext(ctx)
	if parallel.Projection() != nil {
		group.SetLimit(1)
	}
	group.Go(func() error { return first(ctx) })
	group.Go(func() error { return second(ctx) })
	return group.Wait()
}
