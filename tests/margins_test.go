package tests

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/inside"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/boost"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// combination is a way in which features can be scaled.
type combination struct {
	kind                    nbsvm.Kind
	values                  nbsvm.Values
	normalize, prenormalize bool
}

func (c combination) String() string {
	return fmt.Sprintf("%s/%s/normalize=%v/prenormalize=%v", c.kind, c.values, c.normalize, c.prenormalize)
}

func (c combination) apply(o *nbsvm.Options) {
	o.Kind, o.Values, o.Normalize, o.Prenormalize = c.kind, c.values, c.normalize, c.prenormalize
	o.MinDF, o.Text.Bits = 1, 11 // n-grams share keys
	o.Trees.Rounds = 10
}

// combinations are all of NBSVM or, with -short, a fifth, and a fifth of the others, which are scaled by the same code:
// each kind and option is among them.
func combinations() []combination {
	var all []combination
	n := 0
	for _, kind := range classKinds() {
		if kind == nbsvm.KNN {
			continue // its margins are no sums of weights; TestNeighboursOfTraining has them
		}
		for _, values := range []nbsvm.Values{nbsvm.Binary, nbsvm.Count, nbsvm.LogCount, nbsvm.TFIDF, nbsvm.LogTFIDF} {
			if kind == nbsvm.Bernoulli && values != nbsvm.Binary {
				continue
			}
			for bits := range 4 {
				c := combination{kind, values, bits&1 > 0, bits&2 > 0}
				if kind == nbsvm.Bernoulli && c.prenormalize {
					continue
				}
				if n++; n%5 == 0 || kind == nbsvm.NBSVM && !testing.Short() {
					all = append(all, c)
				}
			}
		}
	}
	return all
}

// TestTrainingMatrixAndScorerAgree scores the training documents by the matrix that
// the solver saw and the weights that it found.
func TestTrainingMatrixAndScorerAgree(t *testing.T) {
	ctx := context.Background()
	for _, classes := range []int{2, 4} {
		s := small.with(func(s *shape) { s.classes, s.docs = classes, 120 })
		for _, c := range combinations() {
			t.Run(fmt.Sprint(classes, "/", c), func(t *testing.T) {
				o := options(c.apply, func(o *nbsvm.Options) { o.Beta = 0.4 })
				ds := readAll(t, s.input(), &o)
				d, err := inside.LayOut(ctx, ds, ds.All(), &o)
				must.OK(t, err)
				m, _ := fitAll(t, ds, d, &o)
				err = score.PredictRows(context.Background(), score.New(m), ds, ds.All(), 3, func(doc int, p *score.Prediction) {
					for k := range m.Outputs {
						if want := margin(m, k, d, doc, &o); !near(p.Margins[k], want, 1e-5) {
							t.Fatalf("document %d, output %d: margin %v, by the matrix %v", doc, k, p.Margins[k], want)
						}
					}
				})
				must.OK(t, err)
			})
		}
	}
}

// margin is a document's, by the definition: bias + Σ f·weight, divided by
// ‖f∘r‖ where rows have unit length.
func margin(m *model.Model, output int, d *dataset.Matrix, doc int, o *nbsvm.Options) float64 {
	cols, f := row(d, doc)
	if m.Rule != nil {
		return m.Bias[output] + treesMargin(m, output, d, cols, f)
	}
	weights := make([]float64, m.Outputs)
	var sum, square float64
	for n, j := range cols {
		at, _ := m.Keys.Rank(d.Keys[j])
		m.RowWeights(at, weights)
		r := ratioOf(m, at)
		sum, square = sum+f[n]*weights[output], square+f[n]*f[n]*r*r
	}
	if o.Normalize && !counted(o.Kind) && square > 0 {
		sum /= math.Sqrt(square)
	}
	return sum + m.Bias[output]
}

// treesMargin is the sum of the values of an output's trees for a row of a matrix.
func treesMargin(m *model.Model, output int, d *dataset.Matrix, cols []uint32, f []float64) (sum float64) {
	forest, err := boost.Decode(m.Rule.Data, m.Outputs, m.Keys.Size())
	if err != nil {
		panic(err)
	}
	values := make([]float32, m.Keys.Size())
	for n, j := range cols {
		if at, ok := m.Keys.Rank(d.Keys[j]); ok {
			values[at] = float32(f[n])
		}
	}
	for _, tree := range forest.Of(output) {
		sum += float64(tree.Value(values))
	}
	return sum
}

// TestExportedMatrixTimesWeights: what LIBLINEAR would compute from the two
// exports is the margin.
func TestExportedMatrixTimesWeights(t *testing.T) {
	must.SkipUnderRace(t)
	for _, classes := range []int{2, 3} {
		s := small.with(func(s *shape) { s.classes, s.docs = classes, 120 })
		for _, combination := range combinations() {
			if !solved(combination.kind) {
				continue
			}
			t.Run(fmt.Sprint(classes, "/", combination), func(t *testing.T) {
				c, _ := mustTrain(t, s.input(), options(combination.apply, func(o *nbsvm.Options) { o.Beta = 0.6 }))
				var outputs []string
				if classes > 2 && combination.kind == nbsvm.NBSVM {
					outputs = c.Labels()
				} else {
					outputs = []string{""}
				}
				scorer := newScorer(t, c)
				for k, class := range outputs {
					x := exportMatrix(t, c, s.input(), class)
					w := exportWeights(t, c, class)
					for i, d := range s.records() {
						margins := predict(t, scorer, d.text).Margins
						if class != "" {
							margins = margins[k : k+1]
						}
						for n, want := range margins {
							if got := x.dot(i, w, n); !near(got, want, 1e-5) {
								t.Fatalf("document %d, class %q: margin %v, matrix times weights %v", i, class, want, x.dot(i, w, n))
							}
						}
					}
				}
			})
		}
	}
}

// TestSubsetIsWhole: training on rows of a larger dataset is training on a file of just these, but for rounding:
// columns are in the order of the larger one. Trees are left out, as that order decides between features that split
// alike, and online learners, whose updates rounding can set off.
func TestSubsetIsWhole(t *testing.T) {
	exactWeights(t)
	for _, c := range combinations() {
		if c.kind == nbsvm.NBSVM && c.normalize || c.kind == nbsvm.GBDT || c.kind == nbsvm.Perceptron || c.kind == nbsvm.PassiveAggressive {
			continue
		}
		s := small.with(func(s *shape) { s.classes = 3 })
		o := options(c.apply, func(o *nbsvm.Options) { o.Tol, o.MaxEpochs = 1e-6, 10000 })
		ds := readAll(t, s.input(), &o)
		rows := roaring.New()
		var kept []record
		for i, d := range s.records() {
			if i%3 != 1 {
				rows.Add(uint32(i))
				kept = append(kept, d)
			}
		}
		a := trainRows(t, ds, rows, &o)
		in := s.input()
		in.Stdin = bytes.NewReader(tsv(kept))
		other := readAll(t, in, &o)
		b := trainRows(t, other, other.All(), &o)
		one, two := newScorer(t, a), newScorer(t, b)
		for _, d := range s.records() {
			p, q := predict(t, one, d.text), predict(t, two, d.text)
			for k := range p.Margins {
				if !near(p.Margins[k], q.Margins[k], 3e-3) {
					t.Fatalf("%v: a subset gives the margin %v, a file of it %v", c, p.Margins[k], q.Margins[k])
				}
			}
		}
	}
}

// ratioOf is a feature's ratio; 1 in models without.
func ratioOf(m *model.Model, row int) float64 {
	if m.Ratio == nil {
		return 1
	}
	return float64(m.Ratio.At(row))
}
