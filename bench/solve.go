package bench

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/inside"
)

// solveDefaults sets all losses at C 1 down to a gap of 1e-3 on a generated corpus.
func solveDefaults(c *Config, quick bool) {
	c.Generated.Words = 200
	c.Losses, c.Cs, c.Tols = []string{"hinge", "squared-hinge", "logistic"}, []float64{1}, []float64{1e-1, 1e-2, 1e-3}
	if quick {
		c.Tols = c.Tols[:2]
	}
}

// grid returns every combination of loss, C and tolerance.
func (c *Config) grid(base nbsvm.Options) (grid []nbsvm.Options) {
	for _, loss := range c.Losses {
		for _, C := range c.Cs {
			for _, tol := range c.Tols {
				o := base
				o.Loss, o.C, o.Tol = loss, C, tol
				grid = append(grid, o)
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
	o := j.Options
	ds, err := inside.Prepare(ctx, j.in, &o, false)
	if err != nil {
		return nil, err
	}
	var x *dataset.Matrix
	closeMatrix := func() error {
		if x != nil {
			x.Close()
		}
		return nil
	}
	j.ends = append(j.ends, ds.Close, closeMatrix)
	cases := []Case{{Labels("stage", "layout"), func(ctx context.Context) ([]Value, error) {
		if x != nil {
			x.Close()
		}
		start := time.Now()
		if x, err = inside.LayOut(ctx, ds, ds.All(), &o); err != nil {
			return nil, err
		}
		seconds := time.Since(start).Seconds()
		return []Value{
			{"s", seconds},
			{"rows", float64(ds.Documents)},
			{"columns", float64(x.Stats.Selected)},
			{"non-zeros", float64(x.Stats.NonZeros)},
		}, nil
	}}}
	for _, o := range j.grid(o) {
		labels := Labels("stage", "solve", "loss", o.Loss, "C", o.C, "tol", strconv.FormatFloat(o.Tol, 'g', -1, 64))
		cases = append(cases, Case{labels, func(ctx context.Context) ([]Value, error) {
			return solve(ctx, ds, x, &o)
		}})
	}
	return cases, nil
}

func solve(ctx context.Context, ds *dataset.Dataset, x *dataset.Matrix, o *nbsvm.Options) ([]Value, error) {
	start := time.Now()
	f, err := inside.Fit(ctx, ds, x, o)
	if err != nil {
		return nil, err
	}
	s, _, took := f.Solution()
	if s == nil {
		return nil, errors.New("bench: naive Bayes has no solver to measure; choose another model")
	}
	wall, seconds := time.Since(start).Seconds(), took.Seconds()
	visited := float64(s.Steps) * float64(x.Stats.NonZeros) / float64(ds.Documents)
	return []Value{
		{"s", seconds},
		{"epochs", float64(s.Epochs)},
		{"gap", s.Gap},
		{"ns/nnz", seconds * 1e9 / visited},
		{"wall s", wall},
		{"primal", s.Primal},
		{"dual", s.Dual},
	}, nil
}
