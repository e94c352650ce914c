package tests

import (
	"context"
	"math"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/data/matrix"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// alphas are what is added to the counts of two sides with these totals.
func alphas(o *nbsvm.Options, sumP, sumQ float64) (alphaP, alphaQ float64) {
	alphaP, alphaQ = o.Alpha, o.Alpha
	switch ratio := max(sumP, 1) / max(sumQ, 1); {
	case o.AlphaBySize && ratio < 1:
		alphaP *= math.Sqrt(ratio)
	case o.AlphaBySize && ratio > 1:
		alphaQ /= math.Sqrt(ratio)
	}
	return alphaP, alphaQ
}

// row is a document's features, all scaling but the ratio's and that to unit
// length after it applied.
func row(d *matrix.Matrix, i int) (cols []uint32, f []float64) {
	cols, values := d.X.Row(i)
	f = make([]float64, len(cols))
	for n, j := range cols {
		f[n] = 1
		if values != nil {
			f[n] = float64(values[n])
		}
		if d.IDF != nil {
			f[n] *= float64(d.IDF[j])
		}
		if d.RowScale != nil {
			f[n] *= d.RowScale[i]
		}
	}
	return cols, f
}

// TestRatioWithoutDocuments: a class that a fold lacks has a ratio, too.
func TestRatioWithoutDocuments(t *testing.T) {
	s := small.with(func(s *shape) { s.classes = 3 })
	o := options()
	ds := readAll(t, s.input(), &o)
	c := trainRows(t, ds, roaring.AndNot(ds.All(), ds.Classes.Sets[2]), &o)
	err := score.PredictRows(context.Background(), inner(t, c), ds, ds.All(), 3, func(doc int, p *score.Prediction) {
		for _, m := range p.Margins {
			if math.IsNaN(m) || math.IsInf(m, 0) {
				t.Fatalf("document %d has the margins %v", doc, p.Margins)
			}
		}
		if p.Labels[0] == 2 {
			t.Errorf("document %d gets the class that has no documents", doc)
		}
	})
	must.OK(t, err)
}
