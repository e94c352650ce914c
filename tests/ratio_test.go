package tests

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/inside"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestRatioByDefinition computes the ratio of every class from the matrix, entry by entry, and holds what the model
// keeps against it: its size with two classes, and with more the root of three tenths of the mean square over classes
// and seven tenths of that over occurrences.
func TestRatioByDefinition(t *testing.T) {
	must.SkipUnderRace(t)
	ctx := context.Background()
	for _, classes := range []int{2, 7} {
		for _, weights := range []bool{false, true} {
			s := small.with(func(s *shape) { s.classes, s.weights = classes, weights })
			for _, combination := range combinations() {
				if combination.kind != nbsvm.NBSVM {
					continue
				}
				t.Run(fmt.Sprint(classes, "/weights=", weights, "/", combination), func(t *testing.T) {
					o := options(combination.apply, func(o *nbsvm.Options) { o.Alpha, o.AlphaBySize = 0.7, !weights })
					records := s.records()
					for i := range records {
						if classes == 7 && i%2 == 0 {
							records[i].label = "class06" // which then has more than half of all
						}
					}
					in := input(tsv(records), corpus.TSV)
					if weights {
						in = weighted(records)
					}
					ds := readAll(t, in, &o)
					d, err := inside.LayOut(ctx, ds, ds.All(), &o)
					must.OK(t, err)
					m, _ := fitAll(t, ds, d, &o)
					want := make([]float64, len(d.Keys))
					over, counts := make([]float64, len(d.Keys)), make([]float64, len(d.Keys))
					for output := range m.Outputs {
						r, sums := ratioByDefinition(ds, d, m.OutputClass(output), &o)
						for j, r := range r {
							want[j] += r * r / float64(m.Outputs)
							over[j] += sums[j] * r * r
							counts[j] += sums[j]
						}
					}
					for j, id := range d.Keys {
						if m.Outputs > 1 {
							want[j] = 0.3*want[j] + 0.7*over[j]/counts[j]
						}
						want[j] = math.Sqrt(want[j])
						row, ok := m.Keys.Rank(id)
						if !ok {
							t.Fatalf("the model lacks feature %d", id)
						}
						if got := float64(m.Ratio.At(row)); !near(got, want[j], 2e-6) {
							t.Fatalf("feature %d: ratio %v, by its definition %v", id, got, want[j])
						}
					}
				})
			}
		}
	}
}

// ratioByDefinition is r of every column, in float64 throughout, and the sums of the class.
func ratioByDefinition(ds *dataset.Dataset, d *dataset.Matrix, class int, o *nbsvm.Options) (r, sums []float64) {
	p, q := make([]float64, d.X.Cols), make([]float64, d.X.Cols)
	for i := range d.X.Rows {
		side := q
		if slices.Contains(ds.Classes.LabelsOf(i), int32(class)) {
			side = p
		}
		cols, f := row(d, i)
		for n, j := range cols {
			side[j] += f[n] * weightOf(ds, i)
		}
	}
	sums = slices.Clone(p)
	var sumP, sumQ float64
	for j := range p {
		sumP, sumQ = sumP+p[j], sumQ+q[j]
	}
	alphaP, alphaQ := alphas(o, sumP, sumQ)
	sumP, sumQ = 0, 0 // ‖p‖₁, ‖q‖₁
	for j := range p {
		p[j], q[j] = p[j]+alphaP, q[j]+alphaQ
		sumP, sumQ = sumP+p[j], sumQ+q[j]
	}
	r = make([]float64, d.X.Cols)
	for j := range r {
		r[j] = math.Log((p[j] / sumP) / (q[j] / sumQ))
	}
	return r, sums
}

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
func row(d *dataset.Matrix, i int) (cols []uint32, f []float64) {
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

func weightOf(ds *dataset.Dataset, doc int) float64 {
	if ds.Weights == nil {
		return 1
	}
	return float64(ds.Weights[doc])
}
