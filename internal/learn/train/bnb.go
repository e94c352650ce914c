package train

import (
	"context"
	"fmt"

	"github.com/seed-167f963f/nbsvm/bayes"
)

// Bernoulli is Bernoulli naive Bayes.
const Bernoulli Kind = "bnb"

type bernoulli struct{}

func (bernoulli) traits() traits {
	return traits{Kind: Bernoulli, Counted: true, Binary: true}
}

func (bernoulli) validate(o *Options) error {
	if o.Values != Binary {
		return fmt.Errorf("nbsvm: model bnb takes binary values, not %s: leave --values out, or take model mnb", o.Values)
	}
	if o.Prenormalize {
		return fmt.Errorf("nbsvm: model bnb asks whether features occur; prenormalize is for the other models")
	}
	return nil
}

func (bernoulli) fit(ctx context.Context, t *trainer) ([]output, error) {
	return t.naiveBayes(ctx, func(weights, sums []float64, documents float64) float64 {
		return bayes.BernoulliLogOdds(weights, sums, documents, t.o.Alpha)
	})
}
