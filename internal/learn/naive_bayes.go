package learn

import (
	"context"
	"math"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/bayes"
	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// counted is embedded in the kinds of naive Bayes, whose margins are log-likelihoods.
type counted struct{}

func (counted) link(_ *Params, task string) string {
	if task == "multiclass" {
		return "softmax"
	}
	return "sigmoid"
}

func (counted) pathScale(*Params) (scale, temperature float64) { return 1, 0 }

type multinomial struct{ counted }

func (multinomial) fit(ctx context.Context, t *trainer) ([]output, error) {
	return t.naiveBayes(ctx, func(weights, sums []float64, _ float64) float64 {
		bayes.MultinomialLogProb(weights, sums, t.Alpha)
		return 0
	})
}

type bernoulli struct{ counted }

func (bernoulli) fit(ctx context.Context, t *trainer) ([]output, error) {
	return t.naiveBayes(ctx, func(weights, sums []float64, documents float64) float64 {
		return bayes.BernoulliLogOdds(weights, sums, documents, t.Alpha)
	})
}

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
	return t.eachOutput(ctx, func(class int) (out output) {
		inside, rest := make([]float64, len(all)), make([]float64, len(all))
		t.sums(inside, t.rowsOf(class))
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
		out.take(weights)
		return out
	})
}

// logLikelihoods gives every feature its weight from the sums over some documents, and returns what they have in
// common, which is part of the bias.
type logLikelihoods func(weights, sums []float64, documents float64) (bias float64)

// naiveBayes fits naive Bayes: one output per class with its joint log-likelihood, or
// the difference of two where a class stands against another or against the
// rest, which is the log-odds of the posterior.
func (t *trainer) naiveBayes(ctx context.Context, weigh logLikelihoods) ([]output, error) {
	if err := t.checkNonNegative(); err != nil {
		return nil, err
	}
	mass := t.massOf(nil)
	return t.eachOutput(ctx, func(class int) output {
		rows := t.rowsOf(class)
		out := t.likelihood(rows, mass, weigh)
		if t.opposed() {
			rest := t.likelihood(roaring.Flip(rows, 0, uint64(t.x.Rows())), mass, weigh)
			out = subtract(out, rest, len(t.x.Keys))
		}
		return out
	})
}

// eachOutput fits the output of each class, several at a time.
func (t *trainer) eachOutput(ctx context.Context, fit func(class int) output) ([]output, error) {
	classes := t.outputClasses()
	outputs := make([]output, len(classes))
	err := par.Each(ctx, t.Threads, len(classes), func(_, i int) error {
		outputs[i] = fit(classes[i])
		t.finished(1, len(classes))
		return ctx.Err()
	})
	return outputs, err
}

// likelihood returns the joint log-likelihood of the documents in rows, as a linear
// function of features. Features that no such document has share one weight,
// which goes into base.
func (t *trainer) likelihood(rows *roaring.Bitmap, mass float64, weigh logLikelihoods) output {
	sums := make([]float64, len(t.x.Keys))
	t.sums(sums, rows)
	inside := t.massOf(rows)
	weights := make([]float64, len(sums))
	var out output
	out.bias = -1e9 // a class without documents; no document is from there
	if inside > 0 {
		out.bias = xmath.Log(inside) - xmath.Log(inside+max(mass-inside, math.SmallestNonzeroFloat64)) // the prior
	}
	out.bias += weigh(weights, sums, inside)
	for j, s := range sums {
		if s == 0 {
			out.base = weights[j]
			break
		}
	}
	for j, w := range weights {
		if w != out.base {
			out.columns, out.values = append(out.columns, uint32(j)), append(out.values, float32(w-out.base))
		}
	}
	return out
}

// subtract returns a − b for this many columns.
func subtract(a, b output, columns int) output {
	d := output{base: a.base - b.base, bias: a.bias - b.bias}
	values, stored := make([]float32, columns), make([]bool, columns)
	a.each(func(j uint32, v float32) { values[j], stored[j] = v, true })
	b.each(func(j uint32, v float32) { values[j], stored[j] = values[j]-v, true })
	for j, is := range stored {
		if is {
			d.columns, d.values = append(d.columns, uint32(j)), append(d.values, values[j])
		}
	}
	return d
}
