package train

import (
	"context"
	"math"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/bayes"
	"github.com/seed-167f963f/nbsvm/internal/ordered"
)

// logLikelihoods gives every feature its weight from the sums over some documents, and returns what they have in
// common, which is part of the bias.
type logLikelihoods func(weights, sums []float64, documents float64) (bias float64)

// naiveBayes fits naive Bayes: one output per class with its joint log-likelihood, or
// the difference of two where a class stands against another or against the
// rest, which is the log-odds of the posterior.
func (t *trainer) naiveBayes(ctx context.Context, weigh logLikelihoods) (*Fitted, error) {
	if err := t.checkNonNegative(ctx); err != nil {
		return nil, err
	}
	mass := t.massOf(nil)
	classes := t.outputClasses()
	against := len(classes) == 1 || t.ds.Classes.Multi
	f := &Fitted{Outputs: make([]Output, len(classes))}
	err := ordered.Each(ctx, t.o.threads(), len(classes), func(_, i int) error {
		rows := t.rowsOf(classes[i])
		out, err := t.likelihood(ctx, rows, mass, weigh)
		if err != nil {
			return err
		}
		if against {
			rest, err := t.likelihood(ctx, roaring.Flip(rows, 0, uint64(t.x.Rows())), mass, weigh)
			if err != nil {
				return err
			}
			out = subtract(out, rest)
		}
		f.Outputs[i] = out
		t.finished(1, len(classes))
		return ctx.Err()
	})
	return f, err
}

// likelihood is the joint log-likelihood of the documents in rows, as a linear
// function of features. Features that no such document has share one weight,
// which goes into base.
func (t *trainer) likelihood(ctx context.Context, rows *roaring.Bitmap, mass float64, weigh logLikelihoods) (Output, error) {
	sums := make([]float64, len(t.x.IDs))
	if err := t.sums(ctx, sums, rows); err != nil {
		return Output{}, err
	}
	inside := t.massOf(rows)
	weights := make([]float64, len(sums))
	var out Output
	out.Bias = -1e9 // a class without documents; no document is from there
	if inside > 0 {
		prior := [2]float64{}
		bayes.LogPrior(prior[:], []float64{inside, max(mass-inside, math.SmallestNonzeroFloat64)})
		out.Bias = prior[0]
	}
	out.Bias += weigh(weights, sums, inside)
	for j, s := range sums {
		if s == 0 {
			out.Base = weights[j]
			break
		}
	}
	for j, w := range weights {
		if w != out.Base {
			out.Columns, out.Weights = append(out.Columns, uint32(j)), append(out.Weights, float32(w-out.Base))
		}
	}
	return out, nil
}

// subtract is a − b.
func subtract(a, b Output) Output {
	d := Output{Base: a.Base - b.Base, Bias: a.Bias - b.Bias}
	for i, k := 0, 0; i < len(a.Columns) || k < len(b.Columns); {
		switch {
		case k == len(b.Columns) || i < len(a.Columns) && a.Columns[i] < b.Columns[k]:
			d.Columns, d.Weights = append(d.Columns, a.Columns[i]), append(d.Weights, a.Weights[i])
			i++
		case i == len(a.Columns) || b.Columns[k] < a.Columns[i]:
			d.Columns, d.Weights = append(d.Columns, b.Columns[k]), append(d.Weights, -b.Weights[k])
			k++
		default:
			d.Columns, d.Weights = append(d.Columns, a.Columns[i]), append(d.Weights, a.Weights[i]-b.Weights[k])
			i, k = i+1, k+1
		}
	}
	return d
}
