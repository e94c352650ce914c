package score_test

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestSiblingRows: a document has the same scores and margins, bit for bit, from a table with sibling rows as from the
// model itself, and some outputs are not reached.
func TestSiblingRows(t *testing.T) {
	for name, test := range map[string]struct {
		classes int
		several bool
		change  func(*nbsvm.Options)
	}{
		"nbsvm":            {60, false, func(*nbsvm.Options) {}},
		"svm":              {60, false, func(o *nbsvm.Options) { o.Kind = nbsvm.SVM }},
		"logistic":         {60, false, func(o *nbsvm.Options) { o.Kind, o.Bias = nbsvm.Logistic, 3 }},
		"rows as they are": {60, false, func(o *nbsvm.Options) { o.Normalize = false }},
		"several labels":   {30, true, func(*nbsvm.Options) {}},
		"few":              {5, false, func(*nbsvm.Options) {}},
		"calibrated":       {50, false, func(o *nbsvm.Options) { o.Calibrate = true }},
	} {
		t.Run(name, func(t *testing.T) {
			docs := records(test.classes, test.several)
			c := train(t, docs, func(o *nbsvm.Options) {
				o.Tree = nbsvm.AlwaysTree
				test.change(o)
			})
			quantized, _, err := c.Quantize()
			must.OK(t, err)
			narrow := *c.Model()
			meta := *narrow.Meta.Paths
			meta.Beam, narrow.Meta.Paths = 1, &meta
			for _, m := range []*model.Model{c.Model(), quantized.Model(), &narrow} {
				if c.TableSize() == 0 {
					t.Fatal("the model has no table")
				}
				checkSiblingRows(t, m, docs)
			}
		})
	}
}

func checkSiblingRows(t *testing.T, m *model.Model, docs []string) {
	t.Helper()
	if m.Sparse == nil {
		m = withSparse(m)
	}
	c := score.WithSiblingRows(m)
	s, byFile, missing := newScorer(t, c), newScorer(t, score.WithTable(m, 0)), 0
	for i, d := range append(docs, "label\tunknown words alone", "label\t") {
		got, want := predict(t, s, d), predict(t, byFile, d)
		if !slices.Equal(got.Margins, want.Margins) || !slices.Equal(got.Scores, want.Scores) || !slices.Equal(got.Labels, want.Labels) {
			t.Fatalf("document %d has margins %v, want %v", i, got.Margins, want.Margins)
		}
		_, text, _ := strings.Cut(d, "\t")
		e, err := s.ExplainText([]byte(text))
		must.OK(t, err)
		if f, err := byFile.ExplainText([]byte(text)); err != nil || !reflect.DeepEqual(e, f) {
			t.Fatalf("document %d is explained as %+v, want %+v (%v)", i, e, f, err)
		}
		if math.IsInf(slices.Min(got.Margins), -1) {
			missing++
		}
	}
	for name, s := range map[string]*score.Scorer{"the table": s, "the file": byFile} {
		_, text, _ := strings.Cut(docs[0], "\t")
		if n := testing.AllocsPerRun(10, func() { _, _ = s.Predict([]byte(text)) }); n > 1 { // the text itself
			t.Errorf("with %s, a prediction allocates memory %v times", name, n)
		}
	}
	if !c.HasTable() {
		t.Error("no table was made")
	}
	if m.Meta.Paths.Beam == 1 && missing == 0 {
		t.Error("all outputs are reached for all documents")
	}
}
