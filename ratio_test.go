package nbsvm

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
)

// TestRatioByDefinition computes the ratio of every class from the matrix, entry by
// entry, and holds what the model keeps against it: with two classes all ratios,
// with more only those of features that the class has (see ratio).
func TestRatioByDefinition(t *testing.T) {
	ctx := context.Background()
	for _, classes := range []int{2, 3, 7} {
		for _, weights := range []bool{false, true} {
			s := small.with(func(s *shape) { s.classes, s.weights = classes, weights })
			for _, combination := range combinations() {
				if combination.kind != NBSVM {
					continue
				}
				t.Run(fmt.Sprint(classes, "/weights=", weights, "/", combination), func(t *testing.T) {
					o := options(combination.apply, func(o *Options) { o.Alpha = 0.7 })
					in := s.input()
					if weights {
						in = weighted(s.records())
					}
					ds := readAll(t, in, &o)
					d, err := newDesign(ctx, ds, ds.all(), &o, false)
					if err != nil {
						t.Fatal(err)
					}
					m, f := fitAll(t, ds, d, &o)
					c := &Classifier{m: m}
					for output := range f.outputs {
						want := ratioByDefinition(ds, d, outputClass(m, output), o.Alpha)
						for j, id := range d.ids {
							row, ok := m.IDs.Row(id)
							if !ok {
								t.Fatalf("the model lacks feature %d", id)
							}
							if got := c.ratio(row, output); !near(got, want[j], 2e-6) {
								t.Fatalf("output %d, feature %d: ratio %v, by its definition %v", output, id, got, want[j])
							}
						}
						checkNorms(t, ds, d, c, output, want, &o)
					}
				})
			}
		}
	}
}

// ratioByDefinition is r of every column, in float64 throughout.
func ratioByDefinition(ds *dataset, d *design, class int, alpha float64) []float64 {
	p, q := make([]float64, d.x.Cols), make([]float64, d.x.Cols)
	for i := range d.x.Rows {
		side := q
		if slices.Contains(ds.classes.labelsOf(i), int32(class)) {
			side = p
		}
		cols, f := row(d, i)
		for n, j := range cols {
			side[j] += f[n] * weightOf(ds, i)
		}
	}
	var sumP, sumQ float64 // ‖p‖₁, ‖q‖₁
	for j := range p {
		p[j], q[j] = p[j]+alpha, q[j]+alpha
		sumP, sumQ = sumP+p[j], sumQ+q[j]
	}
	r := make([]float64, d.x.Cols)
	for j := range r {
		r[j] = math.Log((p[j] / sumP) / (q[j] / sumQ))
	}
	return r
}

// row is a document's features, all scaling but the ratio's and that to unit
// length after it applied.
func row(d *design, i int) (cols []uint32, f []float64) {
	cols, values := d.x.Row(i)
	f = make([]float64, len(cols))
	for n, j := range cols {
		f[n] = 1
		if values != nil {
			f[n] = float64(values[n])
		}
		if d.idf != nil {
			f[n] *= float64(d.idf[j])
		}
		if d.rowScale != nil {
			f[n] *= d.rowScale[i]
		}
	}
	return cols, f
}

// checkNorms compares what brings the scorer's rows to unit length with Σ (f·r)².
func checkNorms(t *testing.T, ds *dataset, d *design, c *Classifier, output int, r []float64, o *Options) {
	t.Helper()
	if !o.Normalize {
		return
	}
	s := newScorer(t, c)
	for _, b := range ds.batches {
		for k := range b.ends {
			lo, hi := b.bounds(k)
			var counts []uint32
			if b.counts != nil {
				counts = b.counts[lo:hi]
			}
			s.hashed(b.hashes[lo:hi], counts)
			s.predict()
			var want float64
			cols, f := row(d, b.first+k)
			for n, j := range cols {
				want += f[n] * f[n] * r[j] * r[j]
			}
			if got := s.squares[output]; math.Abs(got-want) > 1e-5*want+1e-12 {
				t.Fatalf("document %d, output %d: squared norm %v, by its definition %v", b.first+k, output, got, want)
			}
		}
	}
}

// TestRatioWithoutDocuments: a class that a fold lacks has a ratio, too.
func TestRatioWithoutDocuments(t *testing.T) {
	s := small.with(func(s *shape) { s.classes = 3 })
	o := options()
	ds := readAll(t, s.input(), &o)
	c, err := ds.train(context.Background(), roaring.AndNot(ds.all(), ds.classes.sets[2]), &o)
	if err != nil {
		t.Fatal(err)
	}
	err = ds.predict(context.Background(), predictions{c: c, rows: ds.all(), threads: 3}, func(doc int, p *Prediction) {
		for _, m := range p.Margins {
			if math.IsNaN(m) || math.IsInf(m, 0) {
				t.Fatalf("document %d has the margins %v", doc, p.Margins)
			}
		}
		if p.Labels[0] == 2 {
			t.Errorf("document %d gets the class that has no documents", doc)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

func weightOf(ds *dataset, doc int) float64 {
	if ds.weights == nil {
		return 1
	}
	return float64(ds.weights[doc])
}
