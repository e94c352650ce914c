package learn

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/solver"
)

// ordinal is a model of levels, numbers in an order: all thresholds between them share the weights (all-threshold loss of
// Rennie and Srebro 2005). For each threshold, the logistic loss makes a probability that a document's level is above;
// the prediction is the expectation. The sum of a document's hinge losses is a bound of its absolute error in levels, so
// that with hinge loss, the prediction is the level itself (Chu and Keerthi 2007).
type ordinal struct{}

func (ordinal) link(p *Params, _ string) string {
	if p.Solver.Loss == solver.Logistic {
		return "levels"
	}
	return "level"
}

// MostLevels is how many levels there may be: each but the last takes a row of the problem for each document.
const MostLevels = 100

// fit trains the weights and the thresholds. A document is a row for each threshold.
func (ordinal) fit(ctx context.Context, t *trainer) ([]output, error) {
	s := t.standardize()
	levels := Levels(func(yield func(float64) bool) {
		for i, x := range s.numbers {
			if (t.mass == nil || t.mass[i] > 0) && !yield(x) {
				return
			}
		}
	})
	switch {
	case len(levels) < 2:
		return nil, oneLevel(t, s)
	case len(levels) > MostLevels:
		return nil, fmt.Errorf("nbsvm: %s has %d different numbers, and model %s takes %d levels at most: use model nbsvr, or make levels of ranges of numbers", t.ds.From(), len(levels), t.Kind, MostLevels)
	}
	return t.fitLevels(ctx, s, levels, len(levels)-1, true, func(x float64, add func(threshold int, positive bool, share float64)) {
		for k, level := range levels[1:] {
			add(k, x >= level, 1)
		}
	})
}

// Levels returns the numbers that are different, ascending.
func Levels(numbers iter.Seq[float64]) []float64 {
	levels := map[float64]bool{}
	for x := range numbers {
		levels[x] = true
	}
	return slices.Sorted(maps.Keys(levels))
}

// oneLevel returns the error about documents with equal numbers.
func oneLevel(t *trainer, s *standard) error {
	return fmt.Errorf("nbsvm: %s: the documents to train on (%d) have the number %v alone, and model %s with %s loss takes two levels or more: use squared errors (model nbsvr), or fewer folds", t.ds.From(), len(s.numbers), s.mean, t.Kind, t.Solver.Loss)
}

// fitLevels trains weights and thresholds. rows adds the rows of the problem that a document with a number is, each at
// most: they speak for or against a threshold with a share of the document's weight.
func (t *trainer) fitLevels(
	ctx context.Context, s *standard, levels []float64, each int, weighted bool,
	rows func(x float64, add func(threshold int, positive bool, share float64)),
) ([]output, error) {
	p := solver.Problem{
		ColScale: t.x.IDF, Costs: solver.Costs{Positive: t.C, Negative: t.C},
	}
	if weighted {
		var err error
		if t.ratio, err = t.newSoftRatio(ctx, s); err != nil {
			return nil, err
		}
		p.ColScale = t.ratio.scale
	}
	t.scaleRows(&p)
	scale, n := p.RowScale, each*len(s.numbers)
	p.Row, p.Positive, p.Mass = make([]int32, 0, n), make([]bool, 0, n), make([]float64, 0, n)
	if len(levels) > 2 { // else a bias feature is not needed
		p.Threshold = make([]uint8, 0, n)
	}
	if scale != nil {
		p.RowScale = make([]float64, 0, n)
	}
	for i, x := range s.numbers {
		rows(x, func(threshold int, positive bool, share float64) {
			p.Row = append(p.Row, int32(i))
			if p.Threshold != nil {
				p.Threshold = append(p.Threshold, uint8(threshold))
			}
			p.Positive = append(p.Positive, positive)
			if t.mass != nil {
				share *= t.mass[i]
			}
			p.Mass = append(p.Mass, share)
			if p.RowScale != nil {
				p.RowScale = append(p.RowScale, scale[i])
			}
		})
	}
	out, intercepts, err := t.solveOne(ctx, p, len(p.Row), t.Solver)
	if err != nil {
		return nil, err
	}
	out.bias = intercepts[0] // so that the margin of two levels is their log odds
	for k := range intercepts {
		intercepts[k] -= out.bias
	}
	t.levels = &model.Levels{Numbers: levels, Intercepts: intercepts}
	return []output{out}, nil
}
