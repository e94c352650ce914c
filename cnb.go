package nbsvm

import (
	"context"

	"github.com/seed-167f963f/nbsvm/bayes"
	"github.com/seed-167f963f/nbsvm/internal/par"
)

type complement struct{ counted }

// pathScale is far smaller for weights whose magnitudes add up to 1.
func (complement) pathScale(o *Options) (scale, temperature float64) {
	if o.NormalizeWeights {
		return 0.00001, 0
	}
	return 1, 0
}

// fit gives every class the weights −log P(j|rest), where the rest are the documents of all other classes: a feature
// speaks for a class that is rare elsewhere. There is no prior, as in scikit-learn. Where a class stands against
// another or against the rest, the margin is the difference of the two. With NormalizeWeights, the weights of a class
// are divided by the sum of their magnitudes (WCNB, section 3.2 of the paper).
func (complement) fit(ctx context.Context, t *trainer) ([]output, error) {
	if err := t.checkNonNegative(ctx); err != nil {
		return nil, err
	}
	all := make([]float64, len(t.x.Keys))
	if err := t.sums(ctx, all, nil); err != nil {
		return nil, err
	}
	classes := t.outputClasses()
	outputs := make([]output, len(classes))
	err := par.Each(ctx, t.o.threads(), len(classes), func(_, i int) error {
		inside, rest := make([]float64, len(all)), make([]float64, len(all))
		if err := t.sums(ctx, inside, t.rowsOf(classes[i])); err != nil {
			return err
		}
		for j, sum := range all {
			rest[j] = max(0, sum-inside[j]) // rounding may have left it below 0
		}
		weights := make([]float32, len(all))
		if t.opposed() && !t.o.NormalizeWeights {
			bayes.LogRatio(weights, inside, rest, bayes.Equal(t.o.Alpha))
		} else {
			t.complementWeights(rest)
			if t.opposed() {
				t.complementWeights(inside)
			} else {
				clear(inside)
			}
			for j, w := range rest {
				weights[j] = float32(w - inside[j])
			}
		}
		outputs[i].take(weights)
		t.finished(1, len(classes))
		return ctx.Err()
	})
	return outputs, err
}

// complementWeights makes weights of a class of the sums of features over all other documents.
func (t *trainer) complementWeights(sums []float64) {
	bayes.MultinomialLogProb(sums, sums, t.o.Alpha)
	scale := -1.0
	if t.o.NormalizeWeights {
		scale = 0
		if total := bayes.Total(sums); total != 0 { // a feature that is the only one has no weight
			scale = 1 / total
		}
	}
	for j := range sums {
		sums[j] *= scale
	}
}
