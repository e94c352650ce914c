package tests

import (
	"bytes"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestEarlyStopping: with documents to stop on, the weights are those of the best epoch, and training ends when some
// have brought nothing; held-out documents are trained on in the end.
func TestEarlyStopping(t *testing.T) {
	for name, s := range map[string]shape{
		"two classes": small.with(func(s *shape) { s.signal = 0.15 }),
		"four":        small.with(func(s *shape) { s.classes, s.signal = 4, 0.15 }),
		"multi-label": small.with(func(s *shape) { s.classes, s.multi, s.signal = 4, true, 0.15 }),
	} {
		for _, kind := range []nbsvm.Kind{nbsvm.Perceptron, nbsvm.PassiveAggressive} {
			t.Run(name+"/"+string(kind), func(t *testing.T) {
				o := options(func(o *nbsvm.Options) { o.Kind, o.MaxEpochs, o.Text.Bits = kind, 50, 20 })
				var shown []string
				o.Progress = func(p corpus.Progress) {
					if p.Stage == "solve" {
						shown = append(shown, p.Detail)
					}
				}
				valid := s.with(func(s *shape) { s.seed = 77 }).input()
				valid.Documents = nil
				path := writeFile(t, "valid.tsv", tsv(s.with(func(s *shape) { s.seed = 77 }).records()))
				valid.Paths, valid.Stdin = []string{path}, nil
				o.Valid = &valid
				c, report := mustTrain(t, s.input(), o)
				best := 0
				for i, e := range report.Epochs {
					if e.Accuracy > report.Epochs[best].Accuracy {
						best = i
					}
				}
				if n := len(report.Epochs); n != 50 && n != best+4 && report.Epochs[n-1].Mistakes > 0 {
					t.Errorf("%d epochs, the best is number %d", n, best+1)
				}
				if len(shown) != len(report.Epochs) || !strings.Contains(shown[0], "mistakes, accuracy 0.") {
					t.Errorf("progress %q of %d epochs", shown, len(report.Epochs))
				}
				if c.MultiLabel() {
					return // thresholds are learned besides
				}
				again, err := c.Evaluate(t.Context(), valid.Again(), nbsvm.ScoreOptions{})
				must.OK(t, err)
				if want := report.Epochs[best].Accuracy; again.Accuracy != want {
					t.Errorf("accuracy %v, in the best epoch %v", again.Accuracy, want)
				}
				o.Valid, o.Progress, o.MaxEpochs = nil, nil, best+1
				plain, _ := mustTrain(t, s.input(), o)
				if !bytes.Equal(unmade(t, c), unmade(t, plain)) {
					t.Error("weights are not those after so many epochs")
				}

				o.MaxEpochs, o.HoldOut = 50, 0.2
				held, report := mustTrain(t, s.input(), o)
				o.MaxEpochs, o.HoldOut = len(report.Epochs), 0
				plain, _ = mustTrain(t, s.input(), o)
				if !bytes.Equal(unmade(t, held), unmade(t, plain)) {
					t.Error("held-out documents are not trained on for the number of epochs that suits them")
				}
			})
		}
	}
}

// TestClassWeightZero: documents whose mistakes cost nothing change nothing, but for which n-grams there are.
func TestClassWeightZero(t *testing.T) {
	s := small.with(func(s *shape) { s.classes = 3 })
	o := options(func(o *nbsvm.Options) {
		o.Kind, o.ClassWeight.Weights = nbsvm.Perceptron, map[string]float64{"class02": 0}
	})
	c, _ := mustTrain(t, s.input(), o)
	scorer := newScorer(t, c)
	for _, d := range s.records() {
		p := predict(t, scorer, d.text)
		if p.Margins[2] > max(p.Margins[0], p.Margins[1]) {
			t.Fatalf("a class that was not trained on wins: %v", p.Margins)
		}
	}
}
