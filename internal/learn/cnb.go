package learn

import (
	"context"

	"github.com/seed-167f963f/nbsvm/bayes"
	"github.com/seed-167f963f/nbsvm/internal/par"
)

type complement struct{ counted }

// fit gives every class the weights −log P(j|rest), where the rest are the documents of all other classes: a feature
// that is rare elsewhere is evidence for the class. There is no prior, as in scikit-learn. Where a class stands against
// another or against the rest, the margin is the difference of the two.
func (complement) fit(ctx context.Context, t *trainer) ([]output, error) {
	if err := t.checkNonNegative(); err != nil {
		return nil, err
	}
	all := make([]float64, len(t.x.Keys))
	t.sums(all, nil)
	classes := t.outputClasses()
	outputs := make([]output, len(classes))
	err := par.Each(ctx, t.Threads, len(classes), func(_, i int) error {
		inside, rest := make([]float64, len(all)), make([]float64, len(all))
		t.sums(inside, t.rowsOf(classes[i]))
		for j, sum := range all {
			rest[j] = max(0, sum-inside[j]) // rounding may have left it below 0
		}
		weights := make([]float32, len(all))
		if t.opposed() {
			bayes.LogRatio(weights, inside, rest, bayes.Equal(t.Alpha))
		} else {
			bayes.MultinomialLogProb(rest, rest, t.Alpha)
			for j, p := range rest {
				weights[j] = float32(-p)
			}
		}
		outputs[i].take(weights)
		t.finished(1, len(classes))
		return ctx.Err()
	})
	return outputs, err
}
