package nbsvm

import (
	"context"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/data/matrix"
	"github.com/seed-167f963f/nbsvm/internal/model"
)

// storedGap returns the relative duality gap of a model's weights as its file has them: interpolated, rounded, or dropped. The
// primal objective is that of these weights, the dual objective the solver's, both of the class whose gap was the largest
// when the solver stopped: those of all 20 classes of 20 Newsgroups took a third of the command's CPU time. It returns
// nil where no solver was used, where outputs were trained on some of the documents (in trees, with near negatives), and
// for rows on disk.
func (f *fitted) storedGap(ctx context.Context, m *model.Model) (*float64, error) {
	kind, solved := f.o.Kind.learner().(linear)
	if !solved || f.tree != nil || f.o.Negatives == NearNegatives || f.x.Disk != nil {
		return nil, nil
	}
	t := newTrainer(f.ds, f.x, f.o, nil)
	t.prior = t.newPrior(f.o.from())
	stored, classes, worst := t.newPrior(m), t.outputClasses(), 0
	for k := range classes {
		if f.outputs[k].stats.Gap > f.outputs[worst].stats.Gap {
			worst = k
		}
	}
	if t.absent = f.absent; kind.weighted && f.outputs[0].ratio == nil {
		if err := t.count(ctx, len(classes)); err != nil {
			return nil, err
		}
	}
	c := &oneAgainstRest{trainer: t, weighted: kind.weighted, threads: t.o.threads(), mass: t.mass, fitted: f.outputs}
	c.classes = make([]classMemory, 1)
	primal, err := c.primal(ctx, classes[worst], stored)
	if err != nil {
		return nil, err
	}
	gap := 0.0
	if primal > 0 {
		gap = max(0, (primal-f.outputs[worst].stats.Dual)/primal)
	}
	return &gap, nil
}

// primal returns the primal objective of the weights that a model has for a class, in terms of the solver's problem.
func (c *oneAgainstRest) primal(ctx context.Context, class int, stored *prior) (float64, error) {
	m := &c.classes[0]
	_, p, err := c.problem(ctx, class, m)
	if err != nil {
		return 0, err
	}
	var bias float64
	c.weights, bias = stored.take(c.outputOf(class), c.weights, c.o.solverLoss())
	c.solved = slices.Grow(c.solved[:0], len(c.weights))[:len(c.weights)]
	for j, w := range c.weights {
		w := float64(w)
		if c.prior != nil {
			w -= float64(m.prior[j])
		}
		if c.x.IDF != nil {
			w *= float64(c.x.IDF[j])
		}
		if p.ColScale != nil && w != 0 {
			w /= float64(p.ColScale[j])
		}
		c.solved[j] = w
	}
	if c.prior != nil {
		bias -= m.priorBias
	}
	if (stored.Keys.Size() < len(c.x.Keys) || stored.Bits() < 32) && (p.UnitRows || c.o.Prenormalize) {
		p.RowScale, p.UnitRows = c.lengthsIn(stored, c.outputOf(class), p.UnitRows), false
	}
	so := c.o.solverOptions()
	so.Bias, so.Threads = c.o.stiffBias(), c.threads
	return p.Primal(c.x.X, c.solved, bias, so), nil
}

// lengthsIn returns what gives rows unit length in a model: it knows some of the features, and its ratios, which count
// if lengths are taken after they are applied, are rounded.
func (c *oneAgainstRest) lengthsIn(stored *prior, output int, after bool) []float64 {
	scale := make([]float32, len(c.x.Keys))
	for j, row := range stored.rows {
		if row >= 0 {
			scale[j] = 1
		}
	}
	if after {
		stored.takeRatio(output, scale)
	}
	for j, idf := range c.x.IDF {
		scale[j] *= idf
	}
	return matrix.InverseNorms(c.x.X, scale, c.threads)
}
