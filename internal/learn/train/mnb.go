package train

import (
	"context"

	"github.com/seed-167f963f/nbsvm/bayes"
)

// Multinomial is multinomial naive Bayes.
const Multinomial Kind = "mnb"

type multinomial struct{ counted }

func (multinomial) fit(ctx context.Context, t *trainer) ([]output, error) {
	return t.naiveBayes(ctx, func(weights, sums []float64, _ float64) float64 {
		bayes.MultinomialLogProb(weights, sums, t.o.Alpha)
		return 0
	})
}
