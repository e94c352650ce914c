package bench

import (
	"context"
	"errors"
	"io"
	"runtime/debug"
	"time"

	"github.com/seed-167f963f/nbsvm"
)

// TrainConfig measures whole trainings, text to model.
type TrainConfig struct {
	Source  Source `json:"Corpus"`
	Options nbsvm.Options
	Threads []int
	Runs    int
}

// DefaultTrainConfig trains on 20,000 generated documents, with one thread and all.
func DefaultTrainConfig() TrainConfig {
	generated := DefaultCorpus()
	generated.Documents, generated.Words, generated.Lengths = 20_000, 200, logNormal
	return TrainConfig{Source: Source{Generated: generated}, Options: nbsvm.DefaultOptions(), Threads: oneAndAll(), Runs: 5}
}

// validate reports the first setting out of its range.
func (c TrainConfig) validate() error {
	if err := errors.Join(validRuns(c.Runs), validThreads(c.Threads)); err != nil {
		return err
	}
	return c.Options.Validate()
}

// Run measures: seconds in all and per stage, the model written to nowhere included;
// MB/s of text; and, where the system tells, the peak of memory and that divided by
// the non-zeros of the matrix.
func (c TrainConfig) Run(ctx context.Context, progress func(done, total int)) (*Report, error) {
	return c.Source.measure(ctx, "train", c, c.Runs, progress, func(in nbsvm.Input) ([]Case, error) {
		var cases []Case
		for _, threads := range c.Threads {
			o := c.Options
			o.Threads = threads
			cases = append(cases, Case{Labels("threads", threads), func(ctx context.Context) ([]Value, error) {
				return trainOnce(ctx, in, o)
			}})
		}
		return cases, nil
	})
}

func trainOnce(ctx context.Context, in nbsvm.Input, o nbsvm.Options) ([]Value, error) {
	debug.FreeOSMemory() // what the run before left behind
	resetPeakMemory()
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
	values := []Value{{"s", Lower, end.Sub(start).Seconds()}}
	for _, stage := range r.Stages {
		values = append(values, Value{stage.Name + " s", Lower, stage.Took.Seconds()})
	}
	values = append(values, Value{"write s", Lower, end.Sub(trained).Seconds()},
		Value{"MB/s", Higher, float64(r.Bytes) / 1e6 / end.Sub(start).Seconds()})
	if peak, ok := peakMemory(); ok {
		values = append(values, Value{"peak MiB", Lower, float64(peak) / (1 << 20)},
			Value{"bytes/nnz", Lower, float64(peak) / float64(r.Features.NonZeros)})
	}
	return values, nil
}
