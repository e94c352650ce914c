package tests

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestBalancedEqualClasses: of classes of the same size, balanced weights change nothing, whatever the kind of model.
func TestBalancedEqualClasses(t *testing.T) {
	for _, kind := range []nbsvm.Kind{nbsvm.NBSVM, nbsvm.SVM, nbsvm.Logistic, nbsvm.Perceptron, nbsvm.PassiveAggressive, nbsvm.GBDT, nbsvm.KNN} {
		for _, classes := range []int{2, 3, 4} {
			for _, tree := range []string{"", "/"} {
				if tree != "" && (classes != 4 || !slices.Contains([]nbsvm.Kind{nbsvm.NBSVM, nbsvm.SVM, nbsvm.Logistic}, kind)) {
					continue
				}
				t.Run(fmt.Sprint(kind, classes, tree), func(t *testing.T) {
					all := small.with(func(s *shape) { s.classes = classes }).records()
					size := map[string]int{}
					var docs []record
					for _, d := range all {
						if size[d.label]++; size[d.label] <= 40 {
							if tree != "" {
								d.label = map[string]string{"class00": "a/a", "class01": "a/b", "class02": "b/a", "class03": "b/b"}[d.label]
							}
							docs = append(docs, d)
						}
					}
					train := func(balanced bool) *nbsvm.Classifier {
						c, _ := mustTrain(t, input(tsv(docs), corpus.TSV), options(func(o *nbsvm.Options) {
							o.Kind, o.MinDF, o.ClassWeight.Balanced = kind, 1, balanced
							o.Hierarchy = tree
							o.Trees.Rounds = 5
						}))
						return c
					}
					balanced, plain := newScorer(t, train(true)), newScorer(t, train(false))
					for _, d := range docs {
						a, b := predict(t, balanced, d.text), predict(t, plain, d.text)
						if !slices.Equal(a.Margins, b.Margins) || !slices.Equal(a.Scores, b.Scores) {
							t.Fatalf("margins %v balanced, %v not", a.Margins, b.Margins)
						}
					}
				})
			}
		}
	}
}

// TestBalancedAsScikitLearn has the weights of LinearSVC(C=1, tol=1e-12, class_weight="balanced", fit_intercept=False)
// of scikit-learn 1.2.1: class k has the weight n/(K·n_k) against 1 of all others, as LIBLINEAR's -wi has it.
func TestBalancedAsScikitLearn(t *testing.T) {
	const rows = "0 1:1 2:0.5\n0 1:2 2:0.25\n0 1:0.5 2:1\n0 1:1.5 2:1\n0 1:1 2:0.75\n0 1:2 2:1\n" +
		"1 1:0.5 2:2\n1 1:0.25 2:1\n1 1:1 2:1.5\n2 1:-1 2:-0.5\n2 1:0.5 2:-1\n"
	exactWeights(t)
	want := [][]float64{{0.52092055, -0.30902281}, {-0.74701448, 0.63739421}, {-0.37340422, -1.00722549}}
	c, _ := mustTrain(t, input([]byte(rows), corpus.SVMLight), options(func(o *nbsvm.Options) {
		o.Kind, o.Loss, o.C, o.Bias, o.Tol, o.Normalize, o.MaxEpochs = nbsvm.SVM, "squared-hinge", 1, 0, 1e-12, false, 100_000
		o.MinDF, o.ClassWeight.Balanced = 1, true
	}))
	scorer := newScorer(t, c)
	for j := range 2 {
		p, err := scorer.PredictFeatures([]byte(fmt.Sprintf("%d:1", j+1)))
		must.OK(t, err)
		for k, margin := range p.Margins {
			if math.Abs(margin-want[k][j]) > 1e-5 {
				t.Errorf("class %d, feature %d: weight %v, scikit-learn has %v", k, j+1, margin, want[k][j])
			}
		}
	}
}

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
