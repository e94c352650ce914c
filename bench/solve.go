package bench

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/seed-167f963f/nbsvm"
)

// solveDefaults are all losses at C 1 down to a gap of 1e-3 on a generated corpus.
func solveDefaults(c *Config, quick bool) {
	c.Generated.Words = 200
	c.Losses, c.Cs, c.Tols = []string{"hinge", "squared-hinge", "logistic"}, []float64{1}, []float64{1e-1, 1e-2, 1e-3}
	if quick {
		c.Tols = c.Tols[:2]
	}
}

// grid is every combination of loss, C and tolerance.
func (c *Config) grid() (grid []nbsvm.SolverOptions) {
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

// solveCases measure the solver: the corpus is read once, its matrix laid out once a run,
// and solved for every loss, C and tolerance. Metrics of the stage solve: s is the time in
// the solver alone, summed over classes; wall s has ratios and interpolation as well;
// ns/nnz is solver time over the non-zeros of the rows visited.
func solveCases(ctx context.Context, j *job) ([]Case, error) {
	in, err := j.open(ctx, j.Generated)
	if err != nil {
		return nil, err
	}
	ds, err := nbsvm.ReadDataset(ctx, in, j.Options)
	if err != nil {
		return nil, err
	}
	var layout *nbsvm.Layout
	closeLayout := func() error {
		if layout == nil {
			return nil
		}
		return layout.Close()
	}
	j.ends = append(j.ends, ds.Close, closeLayout)
	j.Options = ds.Options()
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
			{"s", lower, seconds},
			{"rows", "", float64(ds.Documents())},
			{"columns", "", float64(f.Buckets)},
			{"non-zeros", "", float64(f.NonZeros)},
		}, nil
	}}}
	for _, so := range j.grid() {
		labels := Labels("stage", "solve", "loss", so.Loss, "C", so.C, "tol", strconv.FormatFloat(so.Tol, 'g', -1, 64))
		cases = append(cases, Case{labels, func(ctx context.Context) ([]Value, error) {
			return solve(ctx, ds, layout, so)
		}})
	}
	return cases, nil
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
		{"s", lower, seconds},
		{"epochs", lower, float64(s.Epochs)},
		{"gap", "", s.Gap},
		{"ns/nnz", lower, seconds * 1e9 / visited},
		{"wall s", lower, wall},
		{"primal", "", s.Primal},
		{"dual", "", s.Dual},
	}, nil
}
