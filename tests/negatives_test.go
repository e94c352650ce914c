package tests

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/splitmix"
)

// families are documents of classes in families of eight. Those of a family share words, as similar languages do.
func families(n, docs int, multi bool) (records []record) {
	random := splitmix.Source(5)
	for range docs {
		family, class := random.IntN(n), random.IntN(8)
		r := record{label: fmt.Sprintf("f%d-%d", family, class)}
		if multi && random.IntN(4) == 0 {
			r.label += fmt.Sprintf(",f%d-%d", random.IntN(n), random.IntN(8))
		}
		words := make([]string, 12)
		for k := range words {
			word := random.IntN(40)
			if k < 5 {
				word = 5*class + random.IntN(5)
			}
			words[k] = fmt.Sprintf("w%dx%d", family, word)
		}
		r.text = strings.Join(words, " ")
		records = append(records, r)
	}
	return records
}

// TestNearNegatives: with near negatives most rows are left out, the model is nearly the one with all, and the same
// with any number of threads and where it is resumed.
func TestNearNegatives(t *testing.T) {
	ofNumbers(t)
	for name, test := range map[string]struct {
		multi  bool
		change func(*nbsvm.Options)
	}{
		"nbsvm":       {false, func(*nbsvm.Options) {}},
		"svm":         {false, func(o *nbsvm.Options) { o.Kind = nbsvm.SVM }},
		"multi-label": {true, func(o *nbsvm.Options) { o.Kind, o.Loss = nbsvm.SVM, "hinge" }},
	} {
		t.Run(name, func(t *testing.T) {
			records := families(6, 1500, test.multi)
			in := func() corpus.Input {
				in := input(tsv(records), corpus.TSV)
				if test.multi {
					in.LabelSep = ","
				}
				return in
			}
			o := options(test.change)
			all, exact := mustTrain(t, in(), o)
			o.Negatives = nbsvm.NearNegatives
			model, report := mustTrain(t, in(), o)
			s, e := report.Solution, exact.Solution
			if e.Share != 0 || s.Share < 0.02 || s.Share > 0.5 {
				t.Errorf("classes were trained on %v of the documents, and without a choice on %v", s.Share, e.Share)
			}
			if s.Primal > e.Primal*(1+o.Tol) || s.Primal < 0.9*e.Primal {
				t.Errorf("the objective is %v, with all negatives %v", s.Primal, e.Primal)
			}
			same, a, b := 0, newScorer(t, all), newScorer(t, model)
			for _, r := range records {
				p, q := predict(t, a, r.text), predict(t, b, r.text)
				if slices.Equal(p.Labels, q.Labels) {
					same++
				}
			}
			if share := float64(same) / float64(len(records)); share < 0.9 {
				t.Errorf("%.3f of the documents get the same label", share)
			}
			o.Threads = 3
			if again, _ := mustTrain(t, in(), o); !bytes.Equal(encode(t, again), encode(t, model)) {
				t.Error("three threads give another model")
			}
		})
	}
}
