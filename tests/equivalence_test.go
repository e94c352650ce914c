package tests

import (
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
)

// exact is a gap that leaves objectives no room to differ by more than that.
const exact = 1e-4

// repeated writes out what weights say.
func repeated(docs []record) []record {
	var all []record
	for _, d := range docs {
		for range d.weight {
			all = append(all, record{d.label, d.text, 1})
		}
	}
	return all
}

func weighted(docs []record) corpus.Input {
	in := input(csv(docs), corpus.CSV)
	in.WeightField = "weight"
	return in
}

// TestWeightIsRepetition: a document of weight k is k documents, and one of weight 0 is absent. Naive Bayes counts
// whole numbers, so that its models are the same, but for the order of
// Bernoulli's sum over features; a solver's optimum has the same objective.
func TestWeightIsRepetition(t *testing.T) {
	for _, classes := range []int{2, 3} {
		s := small.with(func(s *shape) { s.weights, s.classes = true, classes })
		docs := s.records()
		for i := 4; i < len(docs); i += 5 {
			docs[i].weight, docs[i].text = 0, docs[i-1].text // no n-gram of its own, which would count among the features
		}
		for _, kind := range classKinds() {
			for _, loss := range []string{"hinge", "squared-hinge", "logistic"} {
				if kind.Online() || kind == nbsvm.GBDT || kind == nbsvm.KNN {
					// What an online model learns from a document twice is not what it learns from it once. The derivatives
					// that trees are trained on are rounded document by document, which decides between splits that tie.
					// Of the nearest documents two are two; one of weight 2 leaves room for another.
					continue
				}
				if !solved(kind) && loss != "hinge" || kind == nbsvm.Logistic && loss != "logistic" {
					continue
				}
				o := options(func(o *nbsvm.Options) {
					if o.Kind, o.MinDF, o.Tol = kind, 1, exact; solved(kind) {
						o.Loss = loss
					}
				})
				a, ra := mustTrain(t, weighted(docs), o)
				b, rb := mustTrain(t, input(tsv(repeated(docs)), corpus.TSV), o)
				name := string(kind) + " " + loss
				if solved(kind) {
					if ra.Solution.Gap > exact || rb.Solution.Gap > exact {
						t.Errorf("%s: gaps %v and %v", name, ra.Solution.Gap, rb.Solution.Gap)
					}
					if x, y := ra.Solution.Primal, rb.Solution.Primal; !near(x, y, exact) {
						t.Errorf("%s: objective %v with weights, %v with repetition", name, x, y)
					}
					continue
				}
				sa, sb := newScorer(t, a), newScorer(t, b)
				for _, d := range docs[:50] {
					pa, pb := predict(t, sa, d.text), predict(t, sb, d.text)
					for k := range pa.Margins {
						x, y := pa.Margins[k], pb.Margins[k]
						if kind == nbsvm.Multinomial && x != y || !near(x, y, 1e-12) {
							t.Fatalf("%s: margin %v with weights, %v with repetition", name, x, y)
						}
					}
				}
			}
		}
	}
}
