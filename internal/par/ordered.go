// Package par has work on several threads: pipelines of a reading, a working and a collecting stage side by side, where
// one goroutine reads items, several work on them, and the results are collected in the order in which the items were
// read, and what is in flight is bounded; ways to share work that needs no pipeline; and the names that stages have in
// profiles.
package par

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"
)

// MostThreads is how many threads the engine uses at most, however many are asked for: each takes memory of its own.
const MostThreads = 1024

// Threads returns how many threads to use where n are asked for; less than one stands for all processors.
func Threads(n int) int {
	if n < 1 {
		n = Processors()
	}
	return min(n, MostThreads)
}

// Sized is implemented by items that may be large. Run keeps the sum of the sizes of items in flight below inFlight for
// each worker, or has a single item in flight.
type Sized interface{ Size() int64 }

// inFlight is in bytes of input. Usual items are a mebibyte, and there are three for each worker.
const inFlight = 4 << 20

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
		size   int64
	}
	workers = max(workers, 1)
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
	order := make(chan job, 2*workers)
	most := int64(workers) * inFlight
	room := semaphore.NewWeighted(most)
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
			j := job{item: item, result: make(chan R, 1)}
			if sized, is := any(item).(Sized); is {
				j.size = min(sized.Size(), most)
			}
			if err := room.Acquire(ctx, j.size); err != nil {
				return err
			}
			select {
			case order <- job{result: j.result, size: j.size}:
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
		for j := range order {
			if err := ctx.Err(); err != nil {
				return err
			}
			select {
			case r := <-j.result:
				if err := collect(r); err != nil {
					return err
				}
				room.Release(j.size)
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

// Map is like Run for the numbers below n as items. A single one is worked on by the caller.
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

// Slice returns the items of a slice one after the other, for Run.
func Slice[T any](items []T) func(context.Context) (T, error) {
	next := 0
	return func(context.Context) (item T, err error) {
		if next == len(items) {
			return item, io.EOF
		}
		next++
		return items[next-1], nil
	}
}
