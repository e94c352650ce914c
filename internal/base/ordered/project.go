package ordered

import (
	"context"
	"io"
	"slices"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/base/parallel"
)

// project is Run under a projection: reading, work and collecting take turns, and from how long each item takes
// in each of them follows when it would have come where. workers is at least 1.
func project[T, R any](ctx context.Context, clock *parallel.Clock, workers int, next func(context.Context) (T, error), work func(worker int, item T) (R, error), collect func(R) error) error {
	began := clock.Now()
	var total, read, collected time.Duration  // times since then, but for total
	free := make([]time.Duration, workers)    // when a worker is
	taken := make([]time.Duration, 2*workers) // when the last results were
	timed := func(f func()) time.Duration {
		took := clock.Time(f)
		total += took
		return took
	}
	for n := 0; ; n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		var item T
		var result R
		var err error
		read += timed(func() { item, err = next(ctx) })
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		worker := slices.Index(free, slices.Min(free))
		read = max(read, free[worker], taken[n%len(taken)])
		worked := timed(func() { result, err = work(worker, item) })
		if err != nil {
			return err
		}
		free[worker] = read + worked
		took := max(collected, free[worker])
		taken[n%len(taken)] = took
		collected = took + timed(func() { err = collect(result) })
		if err != nil {
			return err
		}
	}
	if workers > 1 {
		clock.Took(began, max(read, collected, total/time.Duration(workers)))
	}
	return nil
}
