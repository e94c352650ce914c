package learn

import (
	"context"
	"math"

	"github.com/RoaringBitmap/roaring/v2"
)

type rocchio struct{}

// pathScale is small because cosines of documents differ little.
func (rocchio) pathScale(*Params) (scale, temperature float64) { return 0.01, 0 }

// fit gives every class the mean of its documents. Where rows have unit length, so have centroids, and margins are
// cosines. Otherwise the margin x·c − ‖c‖²/2 is largest where the Euclidean distance is smallest. Where a class stands
// against another or against the rest, the margin is the difference of the two.
func (rocchio) fit(ctx context.Context, t *trainer) ([]output, error) {
	if t.Normalize {
		t.unitRows()
	}
	return t.eachOutput(ctx, func(class int) (out output) {
		inside := t.rowsOf(class)
		centroid, bias := t.centroid(inside)
		if t.opposed() {
			other, otherBias := t.centroid(roaring.Flip(inside, 0, uint64(t.x.Rows())))
			bias -= otherBias
			for j, c := range other {
				centroid[j] -= c
			}
		}
		weights := make([]float32, len(centroid))
		for j, c := range centroid {
			weights[j] = float32(c)
		}
		out.bias = bias
		out.take(weights)
		return out
	})
}

// unitRows makes rows of unit length what is added up.
func (t *trainer) unitRows() {
	t.scale = t.x.X.InverseNorms(t.x.IDF)
	for i, mass := range t.mass {
		t.scale[i] *= mass
	}
}

// centroid returns the mean of some documents, 0 where there are none, as weights, and its bias.
func (t *trainer) centroid(rows *roaring.Bitmap) (weights []float64, bias float64) {
	weights = make([]float64, len(t.x.Keys))
	mass := t.massOf(rows)
	if mass == 0 {
		return weights, 0
	}
	t.sums(weights, rows)
	var square float64
	for j := range weights {
		weights[j] /= mass
		square += float64(weights[j] * weights[j])
	}
	if !t.Normalize {
		return weights, -square / 2
	}
	if length := math.Sqrt(square); length > 0 {
		for j := range weights {
			weights[j] /= length
		}
	}
	return weights, 0
}
