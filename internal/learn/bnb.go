package learn

import (
	"context"

	"github.com/seed-167f963f/nbsvm/bayes"
)

type bernoulli struct{ counted }

func (bernoulli) fit(ctx context.Context, t *trainer) ([]output, error) {
	return t.naiveBayes(ctx, func(weights, sums []float64, documents float64) float64 {
		return bayes.BernoulliLogOdds(weights, sums, documents, t.Alpha)
	})
}
