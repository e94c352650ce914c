package tests

import (
	"math"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
)

// TestClassWeightIsWeight: a class of weight 4 is a class whose documents have weight 4, for margins, labels and
// calibrated probabilities. Ratios count documents without the weights of classes, but smoothing is all that this
// changes.
func TestClassWeightIsWeight(t *testing.T) {
	exactWeights(t)
	for _, test := range []struct {
		kind      nbsvm.Kind
		classes   int
		tolerance float64
	}{{nbsvm.SVM, 2, 1e-4}, {nbsvm.Logistic, 2, 1e-4}, {nbsvm.NBSVM, 2, 0.05}} {
		s := small.with(func(s *shape) { s.signal, s.own, s.classes = 0.15, 2, test.classes })
		docs := s.records()
		for i := range docs {
			if docs[i].weight = 1; docs[i].label == "class01" {
				docs[i].weight = 4
			}
		}
		train := func(weigh bool) *nbsvm.Scorer {
			in := input(tsv(docs), corpus.TSV)
			if weigh {
				in = input(csv(docs), corpus.CSV)
				in.WeightField = "weight"
			}
			c, _ := mustTrain(t, in, options(func(o *nbsvm.Options) {
				o.Kind, o.Calibrate, o.MinDF, o.Tol, o.Alpha = test.kind, true, 1, 1e-6, 0.01
				if !weigh {
					o.ClassWeight.Weights = map[string]float64{"class01": 4}
				}
			}))
			return newScorer(t, c)
		}
		byClass, byDocument := train(false), train(true)
		for _, d := range docs {
			a, b := predict(t, byClass, d.text), predict(t, byDocument, d.text)
			if math.Abs(a.Scores[1]-b.Scores[1]) > test.tolerance {
				t.Errorf("%s of %d classes: probabilities %v by class weights, %v by weights of documents", test.kind, test.classes, a.Scores, b.Scores)
				break
			}
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
