package nbsvm

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-167f963f/nbsvm/bayes"
	"github.com/seed-167f963f/nbsvm/internal/data/packed"
)

type bernoulli struct{ counted }

func (bernoulli) check(o *Options) error {
	if o.Values != Binary {
		return fmt.Errorf("nbsvm: model bnb needs binary values, not %s: leave out Options.Values, or use model mnb",
			o.Values)
	}
	if o.Prenormalize {
		return errors.New("nbsvm: model bnb only considers whether features occur, so Options.Prenormalize must be off")
	}
	return nil
}

func (bernoulli) checkFeatures(kind packed.Values) error {
	if kind != packed.Binary {
		return errors.New("nbsvm: model bnb needs features that are 0 or 1: use mnb or another model")
	}
	return nil
}

func (bernoulli) fit(ctx context.Context, t *trainer) ([]output, error) {
	return t.naiveBayes(ctx, func(weights, sums []float64, documents float64) float64 {
		return bayes.BernoulliLogOdds(weights, sums, documents, t.o.Alpha)
	})
}
