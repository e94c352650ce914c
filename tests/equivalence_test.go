package tests

import (
	"slices"
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

// TestWeightIsRepetition: a document of weight k is k documents. Naive Bayes counts
// whole numbers, so that its models are the same, but for the order of
// Bernoulli's sum over features; a solver's optimum has the same objective.
func TestWeightIsRepetition(t *testing.T) {
	for _, classes := range []int{2, 3} {
		s := small.with(func(s *shape) { s.weights, s.classes = true, classes })
		docs := s.records()
		for _, kind := range nbsvm.Kinds() {
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

// TestWeightZeroIsAbsence: a document of weight 0 changes neither ratio nor
// solution.
func TestWeightZeroIsAbsence(t *testing.T) {
	s := small.with(func(s *shape) { s.weights = true })
	docs := s.records()
	var present []record
	for i := range docs {
		if i%5 == 4 {
			docs[i].weight = 0
			// No n-gram of its own, which would count among the features.
			docs[i].text = docs[i-1].text
			continue
		}
		present = append(present, docs[i])
	}
	o := options(func(o *nbsvm.Options) { o.MinDF, o.Tol = 1, exact })
	_, with := mustTrain(t, weighted(docs), o)
	_, without := mustTrain(t, weighted(present), o)
	if x, y := with.Solution.Primal, without.Solution.Primal; !near(x, y, exact) {
		t.Errorf("objective %v with documents of weight 0, %v without them", x, y)
	}
}

// TestSwappedClasses: of two classes, it does not matter which is the positive one.
func TestSwappedClasses(t *testing.T) {
	docs := small.records()
	swapped := slices.Clone(docs)
	for i := range swapped {
		swapped[i].label = map[string]string{"class00": "class01", "class01": "class00"}[docs[i].label]
	}
	for name, change := range variants() {
		t.Run(name, func(t *testing.T) {
			o := options(change)
			a, _ := mustTrain(t, input(tsv(docs), corpus.TSV), o)
			b, _ := mustTrain(t, input(tsv(swapped), corpus.TSV), o)
			sa, sb := newScorer(t, a), newScorer(t, b)
			for _, d := range docs {
				pa, pb := predict(t, sa, d.text), predict(t, sb, d.text)
				// The ratio of tf-idf is made of rounded sums, a difference on one side.
				same := o.Values != nbsvm.TFIDF && o.Kind != nbsvm.Bernoulli
				x, y := pa.Margins[0], -pb.Margins[0]
				if same && x != y || !near(x, y, 1e-4) {
					t.Fatalf("margin %v, and with swapped classes %v", x, -y)
				}
				if !near(pa.Scores[0], pb.Scores[1], 1e-3) {
					t.Fatalf("scores %v, and with swapped classes %v", pa.Scores, pb.Scores)
				}
			}
		})
	}
}

// TestRenamedClasses: with more classes, names only number the outputs, and the rows in
// the solver, whose tolerance says how far that may lead.
func TestRenamedClasses(t *testing.T) {
	s := small.with(func(s *shape) { s.classes = 4 })
	docs := s.records()
	names := map[string]string{"class00": "z", "class01": "b", "class02": "ä", "class03": "a"}
	renamed := slices.Clone(docs)
	for i := range renamed {
		renamed[i].label = names[docs[i].label]
	}
	for name, change := range variants() {
		t.Run(name, func(t *testing.T) {
			o := options(change)
			if o.Kind.Online() {
				return // the first of equal rivals is moved
			}
			if o.Kind == nbsvm.GBDT {
				return // each output has samples of its own, by its number
			}
			if o.Calibrate {
				return // folds deal documents out class by class
			}
			o.Tol = 1e-7
			a, _ := mustTrain(t, input(tsv(docs), corpus.TSV), o)
			b, _ := mustTrain(t, input(tsv(renamed), corpus.TSV), o)
			if !slices.IsSorted(b.Labels()) {
				t.Fatalf("labels %q are not ascending", b.Labels())
			}
			sa, sb := newScorer(t, a), newScorer(t, b)
			for _, d := range docs {
				pa, pb := predict(t, sa, d.text), predict(t, sb, d.text)
				for k, label := range a.Labels() {
					other := slices.Index(b.Labels(), names[label])
					if !near(pa.Margins[k], pb.Margins[other], 0.01) {
						t.Fatalf("class %s: margin %v, and when it is called %s, %v", label, pa.Margins[k], names[label], pb.Margins[other])
					}
				}
			}
		})
	}
}
