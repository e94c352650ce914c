package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/bench"
	"github.com/seed-167f963f/nbsvm/corpus"
)

type benchCmd struct {
	CPU     benchCPUCmd     `cmd:"" name:"cpu" help:"Measure memory and caches: what the hardware allows."`
	Kernels benchKernelsCmd `cmd:"" help:"Measure the inner loops, and compare them with what the hardware allows."`
	Text    benchTextCmd    `cmd:"" help:"Measure text to features: reading, hashing, distinct n-grams, counting."`
	Solve   benchSolveCmd   `cmd:"" help:"Measure the solver: time, epochs and gap for each loss."`
	Score   benchScoreCmd   `cmd:"" help:"Measure scoring, from file to file."`
	Train   benchTrainCmd   `cmd:"" help:"Measure whole trainings: seconds a stage, peak memory."`
	Pack    benchPackCmd    `cmd:"" help:"Measure how the cost of packing, training and scoring grows with documents."`
	Gen     benchGenCmd     `cmd:"" help:"Make a corpus of any size."`
}

// benchFlags are the flags of every workload.
type benchFlags struct {
	Runs  int  `group:"bench" placeholder:"N" help:"Samples of each case, taken in turns (default: ${runs}; 3 with --quick)."`
	Quick bool `group:"bench" help:"Fewer cases and samples, to finish within a minute."`

	Benchfmt bool `group:"bench" help:"Print samples in the format of Go's benchmarks, for benchstat to compare."`
}

// runs is how many samples to take, where a workload takes so many by default.
func (f benchFlags) runs(byDefault int) (int, error) {
	switch {
	case f.Runs < 0:
		return 0, usageError{fmt.Errorf("--runs is %d, want 1 or more", f.Runs)}
	case f.Runs > 0:
		return f.Runs, nil
	case f.Quick:
		return 3, nil
	}
	return byDefault, nil
}

// workload is what package bench measures.
type workload interface {
	Run(ctx context.Context, progress func(done, total int)) (*bench.Report, error)
}

// measure runs a workload and prints its report.
func (f benchFlags) measure(c *call, w workload) error {
	if f.Benchfmt && c.JSON {
		return usageError{errors.New("--benchfmt and --json are two ways to print: choose one")}
	}
	progress := newProgress(c)
	defer progress.clear()
	report, err := w.Run(c.ctx, func(done, total int) {
		progress.show(nbsvm.Progress{Stage: "bench", Done: int64(done), Total: int64(total), Unit: "samples"})
	})
	if err != nil {
		return wrongConfig(err)
	}
	progress.clear()
	if f.Benchfmt {
		return report.WriteBenchmarks(c.out)
	}
	return c.printReport(report)
}

// wrongConfig is the error of wrong usage if a configuration was refused.
func wrongConfig(err error) error {
	if wrong, ok := errors.AsType[bench.ConfigError](err); ok {
		return usageError{wrong}
	}
	return err
}

// corpusFlags name the corpus to measure on.
type corpusFlags struct {
	Input []string `arg:"" optional:"" help:"Files of documents (default: a generated corpus)."`
	inputFlags
}

// source is the corpus to measure on: it can be read any number of times.
func (f *corpusFlags) source(c *call, generated bench.Corpus) (bench.Source, error) {
	source := bench.Source{Generated: generated}
	if len(f.Input) == 0 {
		return source, nil
	}
	if usesStdin(f.Input) {
		return source, usageError{errors.New("a benchmark reads its corpus several times; name a file instead of standard input")}
	}
	if f.OnBad != corpus.Fail {
		return source, usageError{errors.New("--on-bad: a benchmark reads its corpus several times and fails at a bad record; take bad records out first")}
	}
	in, err := f.input(c, f.Input, false)
	source.Input = in
	return source, err
}

// threadsFlag says with how many threads to measure.
type threadsFlag struct {
	ByThreads []int `group:"bench" placeholder:"N" help:"Numbers of threads to measure with (default: that of --threads, or 1 and all)."`
}

// apply overwrites a workload's numbers of threads where the flags name some.
func (f threadsFlag) apply(c *call, threads *[]int) {
	if c.Threads > 0 {
		*threads = []int{c.Threads}
	}
	given(threads, f.ByThreads)
}

// given overwrites a list if there is one.
func given[T any](dst *[]T, list []T) {
	if len(list) > 0 {
		*dst = list
	}
}
