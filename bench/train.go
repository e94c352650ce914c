package bench

import (
	"context"
	"io"
	"time"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/base/process"
)

// trainDefaults train on 20,000 generated documents.
func trainDefaults(c *Config, quick bool) {
	c.Generated.Documents, c.Generated.Words, c.Generated.Lengths = 20_000, 200, logNormal
	if quick {
		c.Generated.Documents = 5_000
	}
}

// trainCases measure whole trainings, text to model: seconds in all and per stage, the
// model written to nowhere included; MB/s of text; and, where the system tells, the peak
// of memory and that divided by the non-zeros of the matrix.
func trainCases(_ context.Context, j *job) (cases []Case, err error) {
	for _, threads := range j.Threads {
		o := j.Options
		o.Threads = threads
		cases = append(cases, Case{Labels("threads", threads), func(ctx context.Context) ([]Value, error) {
			return trainOnce(ctx, j.in, o)
		}})
	}
	return cases, nil
}

func trainOnce(ctx context.Context, in corpus.Input, o nbsvm.Options) ([]Value, error) {
	process.ResetPeakMemory()
	start := time.Now()
	classifier, r, err := nbsvm.Train(ctx, in, o)
	if err != nil {
		return nil, err
	}
	trained := time.Now()
	if _, err := classifier.WriteTo(io.Discard); err != nil {
		return nil, err
	}
	end := time.Now()
	values := []Value{{"s", lower, end.Sub(start).Seconds()}}
	for _, stage := range r.Stages {
		values = append(values, Value{stage.Name + " s", lower, stage.Took.Seconds()})
	}
	values = append(values, Value{"write s", lower, end.Sub(trained).Seconds()},
		Value{"MB/s", higher, float64(r.Bytes) / 1e6 / end.Sub(start).Seconds()})
	if peak, ok := process.PeakMemory(); ok {
		values = append(values, Value{"peak MiB", lower, float64(peak) / (1 << 20)},
			Value{"bytes/nnz", lower, float64(peak) / float64(r.Features.NonZeros)})
	}
	return values, nil
}
