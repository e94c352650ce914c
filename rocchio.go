package nbsvm

import (
	"context"
	"math"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/sparse"
)

type rocchio struct{}

func (rocchio) values() (values Values, sublinear bool) { return TFIDF, true }

// pathScale is small because cosines of documents differ little.
func (rocchio) pathScale(*Options) (scale, temperature float64) { return 0.01, 0 }

// fit gives every class the mean of its documents, less Gamma times the mean of all others. Where rows have unit
// length, so have centroids, and margins are cosines. Otherwise the margin x·c − ‖c‖²/2 is largest where the Euclidean
// distance is smallest. Where a class stands against another or against the rest, the margin is the difference of the
// two.
func (rocchio) fit(ctx context.Context, t *trainer) ([]output, error) {
	if t.o.Normalize {
		if err := t.unitRows(ctx); err != nil {
			return nil, err
		}
	}
	classes := t.outputClasses()
	outputs := make([]output, len(classes))
	err := par.Each(ctx, t.o.threads(), len(classes), func(_, i int) error {
		inside := t.rowsOf(classes[i])
		outside := roaring.Flip(inside, 0, uint64(t.x.Rows()))
		var rest []float64
		mean, err := t.mean(ctx, inside)
		if err == nil && (t.opposed() || t.o.Gamma > 0) {
			rest, err = t.mean(ctx, outside)
		}
		if err != nil {
			return err
		}
		centroid, bias := t.centroid(mean, rest)
		if t.opposed() {
			other, otherBias := t.centroid(rest, mean)
			bias -= otherBias
			for j, c := range other {
				centroid[j] -= c
			}
		}
		weights := make([]float32, len(centroid))
		for j, c := range centroid {
			weights[j] = float32(c)
		}
		outputs[i].bias = bias
		outputs[i].take(weights)
		t.finished(1, len(classes))
		return ctx.Err()
	})
	return outputs, err
}

// unitRows makes rows of unit length what is added up.
func (t *trainer) unitRows(ctx context.Context) error {
	t.scale = make([]float64, 0, t.x.Rows())
	err := t.x.Each(ctx, func(_ int, x *sparse.CSR) error {
		t.scale = append(t.scale, x.InverseNorms(t.x.IDF)...)
		return nil
	})
	for i, mass := range t.mass {
		t.scale[i] *= mass
	}
	return err
}

// mean is that of some documents; 0 where there are none.
func (t *trainer) mean(ctx context.Context, rows *roaring.Bitmap) ([]float64, error) {
	sums, mass := make([]float64, len(t.x.Keys)), t.massOf(rows)
	if mass == 0 {
		return sums, nil
	}
	if err := t.sums(ctx, sums, rows); err != nil {
		return nil, err
	}
	for j := range sums {
		sums[j] /= mass
	}
	return sums, nil
}

// centroid is a mean less Gamma times the mean of the rest, as weights, and its bias.
func (t *trainer) centroid(mean, rest []float64) (weights []float64, bias float64) {
	weights = make([]float64, len(mean))
	var square float64
	for j, c := range mean {
		if t.o.Gamma > 0 {
			c -= float64(t.o.Gamma * rest[j])
		}
		weights[j] = c
		square += float64(c * c)
	}
	if !t.o.Normalize {
		return weights, -square / 2
	}
	if length := math.Sqrt(square); length > 0 {
		for j := range weights {
			weights[j] /= length
		}
	}
	return weights, 0
}
