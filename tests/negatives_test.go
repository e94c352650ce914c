package tests

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
)

// TestNearNegatives: with near negatives most rows are left out, the model is nearly the one with all, and the same with
// any number of threads and where it is resumed.
func TestNearNegatives(t *testing.T) {
	ofNumbers(t)
	for name, test := range map[string]struct {
		shape
		change func(*nbsvm.Options)
	}{
		"nbsvm":       {shape{docs: 1600, classes: 72, vocabulary: 2000, words: 20, signal: 0.6, seed: 1}, func(*nbsvm.Options) {}},
		"svm":         {shape{docs: 1500, classes: 70, vocabulary: 2000, words: 20, signal: 0.6, seed: 2}, func(o *nbsvm.Options) { o.Kind = nbsvm.SVM }},
		"multi-label": {shape{docs: 1500, classes: 30, vocabulary: 2000, words: 20, signal: 0.6, seed: 3, multi: true}, func(o *nbsvm.Options) { o.Kind = nbsvm.Logistic }},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(test.change)
			all, exact := mustTrain(t, test.input(), o)
			o.Negatives = nbsvm.NearNegatives
			model, report := mustTrain(t, test.input(), o)
			s, e := report.Solution, exact.Solution
			if e.Share != 0 || s.Share < 0.02 || s.Share > 0.9 {
				t.Errorf("classes were trained on %v of the documents, and without a choice on %v", s.Share, e.Share)
			}
			if s.Primal > e.Primal*(1+o.Tol) || s.Primal < 0.9*e.Primal {
				t.Errorf("the objective is %v, with all negatives %v", s.Primal, e.Primal)
			}
			same, a, b := 0, newScorer(t, all), newScorer(t, model)
			records := test.records()
			for _, r := range records {
				p, q := predict(t, a, r.text), predict(t, b, r.text)
				if slices.Equal(p.Labels, q.Labels) {
					same++
				}
			}
			if share := float64(same) / float64(len(records)); share < 0.95 {
				t.Errorf("%.3f of the documents get the same label", share)
			}
			o.Checkpoint.Path = filepath.Join(t.TempDir(), "check")
			o.Threads = 3
			watch := o
			watched, files := watched(t, test.input(), watch)
			if watched == nil || !bytes.Equal(encode(t, watched), encode(t, model)) {
				t.Fatal("three threads give another model")
			}
			for _, file := range spread(files, 2) {
				if err := os.WriteFile(o.Checkpoint.Path, file, 0o600); err != nil {
					t.Fatal(err)
				}
				said := ""
				o.Progress = func(p corpus.Progress) {
					if p.Stage == "resume" {
						said = p.Detail
					}
				}
				again, _ := mustTrain(t, test.input(), o)
				if !bytes.Equal(encode(t, again), encode(t, model)) || !strings.Contains(said, "resumes from") {
					t.Errorf("another model, which %s", said)
				}
			}
		})
	}
}
