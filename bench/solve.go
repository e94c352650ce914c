package bench

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/seed-167f963f/nbsvm"
)

// SolveConfig measures the solver: a corpus is read once, its matrix laid out once
// a run, and solved for every loss, C and tolerance.
type SolveConfig struct {
	Source  Source `json:"Corpus"`
	Options nbsvm.Options
	Losses  []string
	Cs      []float64
	Tols    []float64
	Runs    int
}

// DefaultSolveConfig is all losses at C 1 down to a gap of 1e-3 on a generated
// corpus.
func DefaultSolveConfig() SolveConfig {
	generated := DefaultCorpus()
	generated.Words = 200
	return SolveConfig{
		Source: Source{Generated: generated}, Options: nbsvm.DefaultOptions(),
		Losses: []string{"hinge", "squared-hinge", "logistic"}, Cs: []float64{1}, Tols: []float64{1e-1, 1e-2, 1e-3}, Runs: 5,
	}
}

// validate reports the first setting out of its range.
func (c SolveConfig) validate() error {
	if err := validRuns(c.Runs); err != nil {
		return err
	}
	for _, so := range c.grid() {
		o := c.Options
		o.Loss, o.C, o.Tol = so.Loss, so.C, so.Tol
		if err := o.Validate(); err != nil {
			return err
		}
	}
	return nil
}

// grid is every combination of loss, C and tolerance.
func (c SolveConfig) grid() []nbsvm.SolverOptions {
	var grid []nbsvm.SolverOptions
	for _, loss := range c.Losses {
		for _, C := range c.Cs {
			for _, tol := range c.Tols {
				so := c.Options.Solver()
				so.Loss, so.C, so.Tol = loss, C, tol
				grid = append(grid, so)
			}
		}
	}
	return grid
}

// Run reads the corpus and measures. Metrics of the stage solve: s is the time in
// the solver alone, summed over classes; wall s has ratios and interpolation as
// well; ns/nnz is solver time over the non-zeros of the rows visited.
func (c SolveConfig) Run(ctx context.Context, progress func(done, total int)) (report *Report, err error) {
	var ds *nbsvm.Dataset
	var layout *nbsvm.Layout
	closeLayout := func() error {
		if layout == nil {
			return nil
		}
		return layout.Close()
	}
	defer func() {
		if err = errors.Join(err, closeLayout()); ds != nil {
			err = errors.Join(err, ds.Close())
		}
	}()
	return c.Source.measure(ctx, "solve", &c, c.Runs, progress, func(in nbsvm.Input) ([]Case, error) {
		if ds, err = nbsvm.ReadDataset(ctx, in, c.Options); err != nil {
			return nil, err
		}
		c.Options = ds.Options()
		cases := []Case{{Labels("stage", "layout"), func(ctx context.Context) ([]Value, error) {
			if err := closeLayout(); err != nil {
				return nil, err
			}
			start := time.Now()
			if layout, err = ds.Layout(ctx); err != nil {
				return nil, err
			}
			seconds, f := time.Since(start).Seconds(), layout.Features()
			return []Value{
				{"s", Lower, seconds},
				{"rows", Neither, float64(ds.Documents())},
				{"columns", Neither, float64(f.Buckets)},
				{"non-zeros", Neither, float64(f.NonZeros)},
			}, nil
		}}}
		for _, so := range c.grid() {
			labels := Labels("stage", "solve", "loss", so.Loss, "C", so.C, "tol", strconv.FormatFloat(so.Tol, 'g', -1, 64))
			cases = append(cases, Case{labels, func(ctx context.Context) ([]Value, error) {
				return solve(ctx, ds, layout, so)
			}})
		}
		return cases, nil
	})
}

func solve(ctx context.Context, ds *nbsvm.Dataset, layout *nbsvm.Layout, so nbsvm.SolverOptions) ([]Value, error) {
	start := time.Now()
	s, err := layout.Solve(ctx, so)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return nil, fmt.Errorf("bench: naive Bayes has no solver to measure; take another model")
	}
	wall, seconds := time.Since(start).Seconds(), s.Took.Seconds()
	visited := float64(s.Steps) * float64(layout.Features().NonZeros) / float64(ds.Documents())
	return []Value{
		{"s", Lower, seconds},
		{"epochs", Lower, float64(s.Epochs)},
		{"gap", Neither, s.Gap},
		{"ns/nnz", Lower, seconds * 1e9 / visited},
		{"wall s", Lower, wall},
		{"primal", Neither, s.Primal},
		{"dual", Neither, s.Dual},
	}, nil
}
