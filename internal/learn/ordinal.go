package learn

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/solver"
)

// ordinal is a model of levels, numbers in an order: all thresholds between them share the weights (all-threshold loss of
// Rennie and Srebro 2005). For each threshold, the logistic loss makes a probability that a document's level is above.
type ordinal struct{}

func (ordinal) link(*Params, string) string { return "levels" }

// mostLevels is how many levels there may be: each but the last takes a row of the problem for each document.
const mostLevels = 100

// fit trains the weights and the thresholds. A document is a row for each threshold.
func (ordinal) fit(ctx context.Context, t *trainer) ([]output, error) {
	s := t.standardize()
	var levels []float64
	for i, x := range s.numbers {
		if t.mass == nil || t.mass[i] > 0 {
			levels = append(levels, x)
		}
	}
	slices.Sort(levels)
	levels = slices.Compact(levels)
	if len(levels) > mostLevels {
		return nil, fmt.Errorf("nbsvm: %s has %d different numbers, and model %s takes %d levels at most: use model nbsvr, or make levels of ranges of numbers", t.ds.From(), len(levels), t.Kind, mostLevels)
	}
	var err error
	if t.ratio, err = t.newSoftRatio(ctx, s); err != nil {
		return nil, err
	}
	thresholds := max(len(levels)-1, 1)
	n := len(s.numbers) * thresholds
	p := solver.Problem{
		Row: make([]int32, 0, n), Threshold: make([]uint8, 0, n), Positive: make([]bool, 0, n),
		UnitRows: t.Normalize, ColScale: t.ratio.scale,
		Costs: solver.Costs{Positive: t.C, Negative: t.C}, Start: t.duals.of(0),
	}
	for i, x := range s.numbers {
		for k := range thresholds {
			p.Row, p.Threshold = append(p.Row, int32(i)), append(p.Threshold, uint8(k))
			p.Positive = append(p.Positive, x > levels[k])
			if t.mass != nil {
				p.Mass = append(p.Mass, t.mass[i])
			}
			if t.x.RowScale != nil {
				p.RowScale = append(p.RowScale, t.x.RowScale[i])
			}
		}
	}
	so := t.Solver
	so.Bias, so.Threads, so.Progress = t.stiffBias(), max(t.Threads, 1), t.progress(1)
	if t.duals != nil {
		t.duals.begin(so.Loss, n, 1)
	}
	c := &oneAgainstRest{trainer: t, threads: so.Threads, classes: make([]classMemory, 1)}
	defer c.close()
	outputs := make([]output, 1)
	if err := c.solve(ctx, []solver.Problem{p}, so, outputs); err != nil {
		return nil, err
	}
	t.duals.keep(0, func(dst []float64) []float64 { return c.solver.Alpha(0, dst) })
	outputs[0].bias = 0
	t.levels = &model.Levels{Numbers: levels, Intercepts: c.solver.Intercepts(0, nil)}
	return outputs, nil
}
