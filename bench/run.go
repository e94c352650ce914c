package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// Config says how to run a workload. Each workload reads some of it, see [Run].
type Config struct {
	Runs    int   // samples of each case
	Threads []int // numbers of threads to measure with

	// The corpus to measure on: the files of Input or, where it names none, a generated one.
	Input     corpus.Input
	Generated Corpus

	Options nbsvm.Options // of training
	Model   string        // path of the model to score with; empty to train

	Losses   []string
	Cs, Tols []float64

	Text     hashing.Options // NgramLo and NgramHi come from Orders
	Orders   [][2]int        // of n-grams
	MaxBytes int             // of text are measured on, the first of the corpus; 0 for all

	StreamBytes int           // read in order
	TableBytes  []int         // of the tables accessed at random
	RowLengths  []int         // those longer than half a table are left out there
	SampleTime  time.Duration // for which a pass is repeated; the fastest is the sample
}

// workload is something to measure.
type workload struct {
	read     bool // a corpus is read
	defaults func(c *Config, quick bool)
	cases    func(ctx context.Context, j *job) ([]Case, error)
}

var workloads = map[string]workload{
	"cpu":     {false, cpuDefaults, cpuCases},
	"kernels": {false, kernelDefaults, kernelCases},
	"text":    {true, textDefaults, textCases},
	"solve":   {true, solveDefaults, solveCases},
	"score":   {true, scoreDefaults, scoreCases},
}

// Defaults returns how a workload is run unless told otherwise, within a minute if it has to be quick; of
// "gen", the corpus that is generated.
func Defaults(workload string, quick bool) Config {
	c := Config{
		Runs: 5, Generated: defaultCorpus(), Options: nbsvm.DefaultOptions(), Text: nbsvm.DefaultOptions().Text,
		Threads: slices.Compact([]int{1, runtime.GOMAXPROCS(0)}),
	}
	if w, ok := workloads[workload]; ok {
		w.defaults(&c, quick)
	}
	if quick {
		c.Runs = 3
	}
	return c
}

// generate writes a corpus to a temporary file, unless it is there.
func (j *job) generate(ctx context.Context, c Corpus) (corpus.Input, error) {
	name := fmt.Sprintf("generated-%d-%d-%d-%d.tsv", c.Documents, c.Words, c.Classes, c.Seed)
	in := corpus.Input{Paths: []string{filepath.Join(j.folder, name)}}
	if _, err := os.Stat(in.Paths[0]); err == nil {
		return in, nil
	}
	return in, osfile.WriteFile(in.Paths[0], func(w io.Writer) error { return c.WriteTSV(ctx, w, 0) })
}

// job is one run of a workload.
type job struct {
	Config
	folder string       // for temporary files, removed in the end
	in     corpus.Input // the corpus
	notes  []string
	ends   []func() error // what is to be done in the end, the last first
}

// Run measures a workload: "cpu" what the machine allows at best, "kernels" the inner loops over random rows, "text"
// the way from text to features, "solve" the solver, "score" scoring from file to file. The first two make
// [kernels.Use] choose implementations: no other work with kernels may go on. progress, where not nil, is called after
// every sample.
func Run(ctx context.Context, workload string, c Config, progress func(done, total int)) (r *Report, err error) {
	w := workloads[workload]
	if err := c.validate(); err != nil {
		return nil, ConfigError{err}
	}
	j := &job{Config: c}
	defer func() {
		for _, end := range slices.Backward(j.ends) {
			err = errors.Join(err, end())
		}
	}()
	if w.read {
		folder, err := os.MkdirTemp("", "nbsvm-bench-")
		if err != nil {
			return nil, fmt.Errorf("bench: making a folder for temporary files: %w", err)
		}
		j.folder, j.ends = folder, append(j.ends, func() error { return os.RemoveAll(folder) })
		if j.in = c.Input; len(c.Input.Paths) == 0 {
			if j.in, err = j.generate(ctx, c.Generated); err != nil {
				return nil, err
			}
		}
	}
	cases, err := w.cases(ctx, j)
	if err != nil {
		return nil, err
	}
	r = &Report{
		Workload: workload, Started: time.Now().UTC().Truncate(time.Second), Machine: ThisMachine(), Notes: j.notes,
	}
	r.Results, err = Measure(ctx, j.Runs, cases, progress)
	return r, err
}

// ConfigError says what is wrong with a configuration, before anything is measured.
type ConfigError struct{ Err error }

func (e ConfigError) Error() string { return e.Err.Error() }

// validate reports the first setting of a workload out of its range.
func (c Config) validate() error {
	if c.Runs < 1 {
		return fmt.Errorf("bench: runs must be 1 or more, got %d", c.Runs)
	}
	if len(c.Threads) == 0 {
		return errors.New("bench: give at least one number of threads")
	}
	for _, n := range c.Threads {
		if n < 1 || n > 1024 {
			return fmt.Errorf("bench: threads must be from 1 to 1024, got %d", n)
		}
	}
	for _, orders := range c.Orders {
		if err := c.text(orders).Validate(); err != nil {
			return err
		}
	}
	for _, o := range c.grid(c.Options) {
		if err := o.Validate(); err != nil {
			return err
		}
	}
	return c.Options.Validate()
}

// Case is one thing to measure.
type Case struct {
	Labels []label
	// Sample does it once and gives one value for each of its metrics, the same
	// metrics in the same order every time.
	Sample func(ctx context.Context) ([]Value, error)
}

// Value is one sample of one metric.
type Value struct {
	Name  string
	Value float64
}

// Measure takes runs samples of every case, in turns: each case once, then each
// case again. progress, where not nil, is called after every sample.
func Measure(ctx context.Context, runs int, cases []Case, progress func(done, total int)) ([]Result, error) {
	results := make([]Result, len(cases))
	for run := range runs {
		for i, c := range cases {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if c.Sample == nil {
				return nil, fmt.Errorf("bench: case %d of %d has no Sample", i+1, len(cases))
			}
			values, err := c.Sample(ctx)
			if err != nil {
				return nil, err
			}
			if err := results[i].add(c.Labels, values); err != nil {
				return nil, err
			}
			if progress != nil {
				progress(run*len(cases)+i+1, runs*len(cases))
			}
		}
	}
	return results, nil
}

// add adds a sample, which has the metrics of the first.
func (r *Result) add(labels []label, values []Value) error {
	if r.Metrics == nil {
		r.Case = labels
		for _, v := range values {
			r.Metrics = append(r.Metrics, Metric{Name: v.Name})
		}
	}
	if !slices.EqualFunc(r.Metrics, values, func(m Metric, v Value) bool { return m.Name == v.Name }) {
		return fmt.Errorf("bench: case %v: the metrics %v differ from those of the first sample, %v", r.Case, values, r.Metrics)
	}
	for k, v := range values {
		r.Metrics[k].Samples = append(r.Metrics[k].Samples, v.Value)
	}
	return nil
}
