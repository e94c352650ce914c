package tests

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// ratioOf is a feature's ratio; 1 in models without.
func ratioOf(m *model.Model, row int) float64 {
	if m.Ratio == nil {
		return 1
	}
	return float64(m.Ratio.At(row))
}

// primals computes the primal objective of each output of a model in plain loops: losses from what the opened model
// predicts for the documents, and the length of its weights, divided by the ratios of exact.
func primals(t *testing.T, c *nbsvm.Classifier, exact *model.Model, docs []record, o *nbsvm.Options) []float64 {
	t.Helper()
	m, labels := modelOf(t, c), c.Labels()
	sums, weights := make([]float64, m.Outputs), make([]float64, m.Outputs)
	for row, id := range m.Keys.All() {
		m.RowWeights(row, weights)
		at, _ := exact.Keys.Rank(id)
		for k, w := range weights {
			if w != 0 {
				w /= ratioOf(exact, at)
				sums[k] += w * w / 2
			}
		}
	}
	for k, b := range m.Bias {
		sums[k] += b * b / (o.Bias * o.Bias) / 2
	}
	s := newScorer(t, c)
	for _, d := range docs {
		for k, z := range predict(t, s, d.text).Margins {
			label := labels[k]
			if m.Outputs == 1 {
				label = labels[1]
			}
			cost, other := o.C, 1.0
			if f, ok := o.ClassWeight.Weights[label]; ok {
				cost *= f
			}
			if f, ok := o.ClassWeight.Weights[labels[0]]; ok && m.Outputs == 1 {
				other = f
			}
			if d.label != label {
				cost, z = o.C*other, -z
			}
			if d.weight > 0 {
				cost *= float64(d.weight)
			}
			switch miss := max(0, 1-z); o.Loss {
			case "hinge":
				sums[k] += cost * miss
			case "squared-hinge":
				sums[k] += cost * miss * miss
			default:
				sums[k] += cost * math.Log1p(math.Exp(-z))
			}
		}
	}
	return sums
}

// TestStoredGap: the recorded gap of the weights as stored is that of the opened model, computed in plain loops; the
// solver's gap where nothing changed them. Quantizing makes it unknown.
func TestStoredGap(t *testing.T) {
	ofNumbers(t)
	const tol = 1e-5 // what is left of the difference is rounding of margins
	kind := func(k nbsvm.Kind, loss string) func(*nbsvm.Options) {
		return func(o *nbsvm.Options) { o.Kind, o.Loss, o.Tol, o.Beta, o.MinDF = k, loss, tol, 1, 1 }
	}
	two, four := small.with(func(s *shape) { s.vocabulary = 3000 }), small.with(func(s *shape) { s.vocabulary, s.classes = 3000, 4 })
	var labels []string
	for _, d := range two.records() {
		if !slices.Contains(labels, d.label) {
			labels = append(labels, d.label)
		}
	}
	for _, test := range []struct {
		name    string
		s       shape
		base    func(*nbsvm.Options)
		change  func(*nbsvm.Options) // what moves the weights that are stored; nil stores them as they are
		changes bool
	}{
		{"svm, unrounded", two, kind(nbsvm.SVM, "squared-hinge"), nil, false},
		{"nbsvm of four classes, unrounded", four, kind(nbsvm.NBSVM, "squared-hinge"), nil, false},
		{"svm, rounded", two, kind(nbsvm.SVM, "hinge"), func(*nbsvm.Options) {}, true},
		{"logistic, rounded", two, kind(nbsvm.Logistic, "logistic"), func(*nbsvm.Options) {}, true},
		{"nbsvm, rounded", two, kind(nbsvm.NBSVM, "squared-hinge"), func(*nbsvm.Options) {}, true},
		{"nbsvm, interpolated", two, kind(nbsvm.NBSVM, "squared-hinge"), func(o *nbsvm.Options) { o.Beta = 0.25 }, true},
		{"nbsvm, not normalized", two, func(o *nbsvm.Options) { kind(nbsvm.NBSVM, "logistic")(o); o.Normalize = false }, nil, false},
		{"nbsvm of tf-idf", two, func(o *nbsvm.Options) { kind(nbsvm.NBSVM, "squared-hinge")(o); o.Values = nbsvm.TFIDF }, func(*nbsvm.Options) {}, true},
		{"weights of documents", two.with(func(s *shape) { s.weights = true }), kind(nbsvm.SVM, "squared-hinge"), func(*nbsvm.Options) {}, true},
		{"class weights", two, func(o *nbsvm.Options) {
			kind(nbsvm.SVM, "squared-hinge")(o)
			o.ClassWeight.Weights = map[string]float64{labels[0]: 3, labels[1]: 0.5}
		}, func(*nbsvm.Options) {}, true},
		{"four classes, rounded", four, kind(nbsvm.NBSVM, "squared-hinge"), func(*nbsvm.Options) {}, true},
		{"twenty classes, small weights left out", four.with(func(s *shape) { s.classes = 20 }), kind(nbsvm.SVM, "squared-hinge"), func(*nbsvm.Options) {}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			model.KeepWeights = true
			plain, _ := mustTrain(t, test.s.input(), options(test.base))
			o := options(test.base)
			if model.KeepWeights = test.change == nil; test.change != nil {
				test.change(&o)
			}
			trained, report := mustTrain(t, test.s.input(), o)
			c, err := nbsvm.OpenBytes(encode(t, trained))
			must.OK(t, err)
			ratios, docs := modelOf(t, plain), test.s.records()
			best := primals(t, plain, ratios, docs, &o)
			var want []float64 // by class: it is that of the class which the solver left with the largest gap
			for k, primal := range primals(t, c, ratios, docs, &o) {
				want = append(want, (primal-best[k])/primal)
			}
			opened, err := c.Report()
			must.OK(t, err)
			got := opened.Solution.StoredGap
			if got == nil || report.Solution.StoredGap == nil || *report.Solution.StoredGap != *got {
				t.Fatalf("the model says %v, training %v", got, report.Solution.StoredGap)
			}
			if !slices.ContainsFunc(want, func(gap float64) bool { return math.Abs(*got-gap) <= 1e-4 }) {
				t.Errorf("stored gap %v, by plain loops %v", *got, want)
			}
			if same := math.Abs(*got-report.Solution.Gap) < 1e-6; same == test.changes {
				t.Errorf("stored gap %v, the solver's %v", *got, report.Solution.Gap)
			}
			if modelOf(t, c).Bits() == 8 {
				return
			}
			after, err := quantize(t, c).Report()
			if err != nil || after.Solution.StoredGap != nil || after.Solution.Gap != report.Solution.Gap {
				t.Errorf("once changed, the model says %+v (%v)", after.Solution, err)
			}
		})
	}
	exactWeights(t)
	before, _ := mustTrain(t, two.input(), options(kind(nbsvm.NBSVM, "squared-hinge")))
	_, report := mustTrain(t, two.with(func(s *shape) { s.seed = 5 }).input(), options(kind(nbsvm.NBSVM, "squared-hinge"), func(o *nbsvm.Options) {
		o.From, o.Text, o.MinDF = before, before.Text(), 1
	}))
	if s := report.Solution; math.Abs(*s.StoredGap-s.Gap) > 1e-6 {
		t.Errorf("of an updated model, the stored gap is %v, the solver's %v", *s.StoredGap, s.Gap)
	}
	c, _ := mustTrain(t, two.input(), options(func(o *nbsvm.Options) { o.Kind = nbsvm.Multinomial }))
	if r, err := c.Report(); err != nil || r.Solution != nil || bytes.Contains(encode(t, c), []byte("stored_gap")) {
		t.Errorf("naive Bayes has a gap: %+v (%v)", r, err)
	}
}

// TestSmallWeights: of 20 classes, or of any number in a grown tree, the weights that are kept are those that reach the
// share of their class's root mean square; of 19, all are kept. They are rounded to 8 bits.
func TestSmallWeights(t *testing.T) {
	for _, kind := range treeKinds {
		for _, shaped := range []struct {
			classes int
			tree    nbsvm.Tree
			drops   bool
		}{{19, nbsvm.NeverTree, false}, {20, nbsvm.NeverTree, true}, {12, nbsvm.AlwaysTree, true}, {22, nbsvm.AlwaysTree, true}} {
			classes := shaped.classes
			in := small.with(func(s *shape) { s.classes, s.docs = classes, 10*classes })
			const share = 0.1
			o := options(func(o *nbsvm.Options) { o.Kind, o.Tree = kind, shaped.tree })
			model.KeepWeights = true
			all, _ := mustTrain(t, in.input(), o)
			model.KeepWeights = false
			some, _ := mustTrain(t, in.input(), o)
			m, n := modelOf(t, all), modelOf(t, some)
			w, v := make([]float64, m.Outputs), make([]float64, m.Outputs)
			squares, stored := make([]float64, m.Outputs), make([]float64, m.Outputs)
			for row := range m.Keys.Size() {
				m.RowWeights(row, w)
				for k, x := range w {
					if squares[k] += x * x; x != 0 {
						stored[k]++
					}
				}
			}
			dropped := 0
			for row := range m.Keys.Size() {
				m.RowWeights(row, w)
				n.RowWeights(row, v)
				for k, x := range w {
					least := share * math.Sqrt(squares[k]/stored[k])
					switch {
					case v[k] == x, (v[k] != 0 || !shaped.drops) && math.Abs(v[k]-x) < 0.1*least/share+0.03*math.Abs(x): // rounded to 8 bits
					case v[k] == 0 && math.Abs(x) < least*(1+1e-9):
						dropped++
					default:
						t.Fatalf("%s, %d classes: a weight of %v became %v, the least is %v", kind, classes, x, v[k], least)
					}
					if v[k] != 0 && shaped.drops && math.Abs(x) < least*(1-1e-9) {
						t.Fatalf("%s: a weight of %v is kept, the least is %v", kind, x, least)
					}
				}
			}
			if (dropped > 0) != shaped.drops {
				t.Errorf("%s, %d classes: %d weights were dropped", kind, classes, dropped)
			}
		}
	}
}
