package tests

import (
	"slices"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestOneLabel: where documents have any number of labels, and there is one in all, the model is that of two classes,
// those that have it and the others.
func TestOneLabel(t *testing.T) {
	must.SkipUnderRace(t)
	s := small.with(func(s *shape) { s.weights = true })
	docs, marked := s.records(), []record{}
	for i, d := range docs {
		if docs[i].label = "other"; d.label == "class00" {
			docs[i].label = "the one"
			marked = append(marked, record{label: "the one", text: d.text, weight: d.weight})
		} else {
			marked = append(marked, record{text: d.text, weight: d.weight})
		}
	}
	one := documents(marked)
	one.LabelSep = ","
	for _, kind := range classKinds() {
		for name, change := range map[string]func(*nbsvm.Options){
			"defaults":     func(*nbsvm.Options) {},
			"class weight": func(o *nbsvm.Options) { o.ClassWeight.Weights = map[string]float64{"the one": 3} },
			"calibrated":   func(o *nbsvm.Options) { o.Calibrate = solved(kind) },
		} {
			o := options(change, func(o *nbsvm.Options) { o.Kind = kind })
			c, _ := mustTrain(t, one, o)
			two, _ := mustTrain(t, documents(docs), o)
			if !c.MultiLabel() || !slices.Equal(c.Labels(), []string{"the one"}) {
				t.Fatalf("%s, %s: labels are %q, any number: %t", kind, name, c.Labels(), c.MultiLabel())
			}
			got, want := newScorer(t, c), newScorer(t, two)
			right := 0
			for _, d := range docs {
				p, q := predict(t, got, d.text), predict(t, want, d.text)
				if solved(kind) && p.Margins[0] != q.Margins[0] {
					t.Fatalf("%s, %s: margin %v of %q, want %v", kind, name, p.Margins[0], d.text, q.Margins[0])
				}
				if (len(p.Labels) == 1) == (d.label == "the one") {
					right++
				}
			}
			if 10*right < 9*len(docs) {
				t.Errorf("%s, %s: %d of %d are right", kind, name, right, len(docs))
			}
		}
	}
}
