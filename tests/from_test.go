package tests

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/inside"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/solver"
)

// learnsOn trains on some documents, and updates that.
func learnsOn(t *testing.T, from *nbsvm.Classifier, in corpus.Input, change func(*nbsvm.Options)) (*nbsvm.Classifier, *nbsvm.Report) {
	t.Helper()
	made, err := from.Report()
	must.OK(t, err)
	o := made.Options
	o.From, o.Threads = from, 2
	change(&o)
	return mustTrain(t, in, o)
}

// withoutLoss makes new documents count for next to nothing.
func withoutLoss(o *nbsvm.Options) { o.C = 1e-12 }

// TestFromKeeps: where new documents of known n-grams count for nothing, the model stays what it is, whatever
// features are multiplied by and however ratios and weights are stored.
func TestFromKeeps(t *testing.T) {
	exactWeights(t)
	few := small.with(func(s *shape) { s.docs = 120 })
	for _, s := range []shape{few, few.with(func(s *shape) { s.classes = 25 }), few.with(func(s *shape) { s.classes, s.multi = 4, true })} {
		docs := s.records()
		few := s.docs / 3 // of which all n-grams are known, and which lack none of the labels
		for _, c := range combinations() {
			if !solved(c.kind) || s.classes > 2 && (c.prenormalize || c.values == nbsvm.LogCount || c.values == nbsvm.LogTFIDF) {
				continue
			}
			o := options(c.apply)
			o.Threads = 2
			in := func(docs []record) corpus.Input {
				in := input(tsv(docs), corpus.TSV)
				in.ManyClasses = true
				if s.multi {
					in.LabelSep = ","
				}
				return in
			}
			old, _ := mustTrain(t, in(docs), o)
			now, report := learnsOn(t, old, in(docs[:few]), func(o *nbsvm.Options) {
				withoutLoss(o)
				o.Seed = 7 // of the order of documents: n-grams are hashed as they were
			})
			if report.Earlier != int64(s.docs) || report.Documents != few {
				t.Errorf("%s: the report has %d documents and %d earlier ones", c, report.Documents, report.Earlier)
			}
			before, after := newScorer(t, old), newScorer(t, now)
			for _, d := range docs {
				want, got := predict(t, before, d.text), predict(t, after, d.text)
				for k, margin := range want.Margins {
					if math.Abs(got.Margins[k]-margin) > 1e-5*max(1, math.Abs(margin)) {
						t.Fatalf("%s, %d classes: margin %d of %q is %v, and was %v", c, s.classes, k, d.text, got.Margins[k], margin)
					}
				}
			}
		}
	}
}

// TestFromTwoClasses: a model of two classes has one output, of which those of three begin with both sides.
func TestFromTwoClasses(t *testing.T) {
	exactWeights(t)
	docs := small.records()
	old, _ := mustTrain(t, input(tsv(docs), corpus.TSV), options(func(o *nbsvm.Options) { o.Kind = nbsvm.SVM }))
	third := append(slices.Clone(docs), record{label: "third", text: "w0", weight: 1})
	now, _ := learnsOn(t, old, input(tsv(third), corpus.TSV), withoutLoss)
	before, after := newScorer(t, old), newScorer(t, now)
	for _, d := range docs {
		want, got := predict(t, before, d.text).Margins[0], predict(t, after, d.text).Margins
		if !near(got[0], -want, 1e-5) || !near(got[1], want, 1e-5) {
			t.Fatalf("margins are %v, and of two classes the margin was %v", got, want)
		}
	}
}

// TestFromKeepsTuning: thresholds and probabilities stay those of the model, and labels that are new have the mean of
// the others.
func TestFromKeepsTuning(t *testing.T) {
	exactWeights(t)
	for _, s := range []shape{small, small.with(func(s *shape) { s.classes = 4 }), small.with(func(s *shape) { s.classes, s.multi = 4, true })} {
		docs := s.records()
		in := func(data []byte) corpus.Input {
			in := input(data, corpus.TSV)
			if s.multi {
				in.LabelSep = ","
			}
			return in
		}
		old, _ := mustTrain(t, in(tsv(docs)), options(func(o *nbsvm.Options) { o.Calibrate, o.MinDF = true, 1 }))
		now, _ := learnsOn(t, old, in(tsv(docs[:50])), withoutLoss)
		if !slices.Equal(inside.Classifier(now).Model().Threshold, inside.Classifier(old).Model().Threshold) {
			t.Errorf("thresholds are %v, and were %v", inside.Classifier(now).Model().Threshold, inside.Classifier(old).Model().Threshold)
		}
		before, after := newScorer(t, old), newScorer(t, now)
		for _, d := range docs[50:100] {
			want, got := predict(t, before, d.text), predict(t, after, d.text)
			for k, score := range want.Scores {
				if math.Abs(got.Scores[k]-score) > 1e-4 {
					t.Fatalf("score %d of %q is %v, and was %v", k, d.text, got.Scores[k], score)
				}
			}
		}
		if !s.multi {
			continue
		}
		more, _ := learnsOn(t, old, in([]byte(strings.Repeat("new\tsomething else\n", 9))), func(*nbsvm.Options) {})
		sum := 0.0
		for _, threshold := range inside.Classifier(old).Model().Threshold {
			sum += threshold
		}
		if got, want := inside.Classifier(more).Model().Threshold, append(inside.Classifier(old).Model().Threshold, sum/4); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("with a new label, thresholds are %v, want %v", got, want)
		}
	}
}

// TestFromObjective: the objective that the report has is that of the new model, as it scores the new documents, plus
// half the distance from the old one. Here features are themselves, so that the distance can be seen in the weights.
func TestFromObjective(t *testing.T) {
	exactWeights(t)
	docs := small.records()
	for _, loss := range []solver.Loss{solver.SquaredHinge, solver.Logistic, solver.Hinge} {
		o := options(func(o *nbsvm.Options) {
			o.Kind, o.Loss, o.C, o.MinDF, o.Tol, o.Text.Bits = nbsvm.SVM, loss.String(), 0.5, 1, 1e-6, 24
		})
		old, made := mustTrain(t, input(tsv(docs[:200]), corpus.TSV), o)
		now, report := learnsOn(t, old, input(tsv(docs[200:]), corpus.TSV), func(*nbsvm.Options) {})
		weightsOf := func(c *nbsvm.Classifier) map[uint64]float64 {
			m, weights, row := modelOf(t, c), map[uint64]float64{}, make([]float64, 1)
			for rank, id := range m.Keys.All() {
				m.RowWeights(rank, row)
				weights[id] = row[0]
			}
			return weights
		}
		before, after := weightsOf(old), weightsOf(now)
		scorer, sum := newScorer(t, now), 0.0
		squares := map[uint64]float64{} // Σ C·x² of the new documents
		for _, d := range docs[200:] {
			margin := predict(t, scorer, d.text).Margins[0]
			if d.label == "class00" {
				margin = -margin
			}
			switch loss {
			case solver.SquaredHinge:
				sum += o.C * math.Pow(max(0, 1-margin), 2)
			case solver.Hinge:
				sum += o.C * max(0, 1-margin)
			default:
				sum += o.C * math.Log1p(math.Exp(-margin))
			}
			ids := featuresOf(t, now, d.text)
			for _, id := range ids {
				squares[id] += o.C / float64(len(ids))
			}
		}
		times := 4 * float64(made.Documents) / float64(report.Documents)
		if loss == solver.Logistic {
			times /= 8
		}
		for id, w := range after {
			h := 1.0
			earlier, known := before[id]
			if known {
				h += times * squares[id]
			}
			sum += h * math.Pow(w-earlier, 2) / 2
		}
		stiff := 1 + 4*o.C*float64(made.Documents)
		if loss == solver.Logistic {
			stiff = 1 + (stiff-1)/8
		}
		bias := (modelOf(t, now).Bias[0] - modelOf(t, old).Bias[0]) / o.Bias
		sum += stiff * bias * bias / 2
		if got := report.Solution.Primal; math.Abs(got-sum) > 1e-4*sum {
			t.Errorf("%v: the objective is %v by the report, and %v by its formula", loss, got, sum)
		}
	}
}

// featuresOf returns the keys of a text's features that a model knows.
func featuresOf(t *testing.T, c *nbsvm.Classifier, text string) (keys []uint64) {
	t.Helper()
	o := c.Text()
	extract, err := hashing.NewExtractor(o)
	must.OK(t, err)
	m := modelOf(t, c)
	for hash := range extract.Ngrams([]byte(text)) {
		key := hashing.Key(hash, o.Bits)
		if _, known := m.Keys.Rank(key); known && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// TestFromSameBytes: the number of threads makes no difference.
func TestFromSameBytes(t *testing.T) {
	for _, classes := range []int{2, 5} {
		s := small.with(func(s *shape) { s.classes, s.docs = classes, 600 })
		docs := s.records()
		old, _ := mustTrain(t, input(tsv(docs[:400]), corpus.TSV), options())
		var all [][]byte
		for _, threads := range []int{1, 2, 5} {
			c, _ := learnsOn(t, old, input(tsv(docs[400:]), corpus.TSV), func(o *nbsvm.Options) { o.Threads = threads })
			all = append(all, encode(t, c))
		}
		if len(slices.CompactFunc(all, bytes.Equal)) > 1 {
			t.Errorf("%d classes: models differ by the number of threads", classes)
		}
	}
}

// TestFromReadyMade: features with numbers beyond those of the model are added.
func TestFromReadyMade(t *testing.T) {
	old, _ := mustTrain(t, input([]byte(strings.Repeat("+1 1:1 3:2\n-1 2:1 3:1\n", 20)), corpus.SVMLight), options(func(o *nbsvm.Options) { o.Kind = nbsvm.SVM }))
	now, _ := learnsOn(t, old, input([]byte(strings.Repeat("+1 9:1\n-1 4:1\n", 20)), corpus.SVMLight), func(*nbsvm.Options) {})
	scorer := newScorer(t, now)
	for text, want := range map[string]string{"1:1": "1", "2:1": "-1", "9:1": "1", "4:1": "-1"} {
		p, err := scorer.PredictFeatures([]byte(text))
		must.OK(t, err)
		if now.Labels()[p.Labels[0]] != want {
			t.Errorf("%s is %s, want %s", text, now.Labels()[p.Labels[0]], want)
		}
	}
}

// TestFromRefusals: a model that cannot be updated is refused, with a reason.
func TestFromRefusals(t *testing.T) {
	docs := small.records()
	text := func() corpus.Input { return input(tsv(docs), corpus.TSV) }
	plain, _ := mustTrain(t, text(), options())
	ready, _ := mustTrain(t, input([]byte(strings.Repeat("+1 1:1 3:2\n-1 2:1 3:1\n", 20)), corpus.SVMLight), options(func(o *nbsvm.Options) { o.Kind = nbsvm.SVM }))
	bayes, _ := mustTrain(t, text(), options(func(o *nbsvm.Options) { o.Kind = nbsvm.Multinomial }))
	linear, _ := mustTrain(t, text(), options(func(o *nbsvm.Options) { o.Kind = nbsvm.SVM }))
	tree, _ := mustTrain(t, input(tsv(small.with(func(s *shape) { s.classes = 8 }).records()), corpus.TSV), options(func(o *nbsvm.Options) { o.Tree = nbsvm.AlwaysTree }))
	several := text()
	several.LabelSep = "0"
	o := options(func(o *nbsvm.Options) { o.From = plain })
	file := corpus.Input{Paths: []string{writeFile(t, "docs.tsv", tsv(docs))}}
	_, crossValidated := nbsvm.CrossValidate(context.Background(), file, o, 3)
	_, tuned := nbsvm.Tune(context.Background(), file, nbsvm.TuneOptions{Base: o, Trials: 1})
	for _, err := range []error{crossValidated, tuned} {
		if err == nil || !strings.Contains(err.Error(), "From is for Train alone") {
			t.Errorf("where it would be ignored: %v", err)
		}
	}
	for _, test := range []struct {
		from   *nbsvm.Classifier
		in     corpus.Input
		change func(*nbsvm.Options)
		want   string
	}{
		{plain, text(), func(o *nbsvm.Options) { o.Kind = nbsvm.Perceptron }, "model perceptron can't"},
		{plain, text(), func(o *nbsvm.Options) { o.Kind = nbsvm.SVM }, "which model svm does not use"},
		{plain, text(), func(o *nbsvm.Options) { o.Text.Lowercase = false }, "lowercase true"},
		{plain, text(), func(o *nbsvm.Options) { o.Text.Families[0].NgramHi = 3 }, "word:1-2, not word:1-3"},
		{plain, text(), func(o *nbsvm.Options) { o.Text.Bits = 20 }, "keys have 18 bits, not 20"},
		{plain, text(), func(o *nbsvm.Options) { o.Values = nbsvm.TFIDF }, "values binary"},
		{plain, text(), func(o *nbsvm.Options) { o.Normalize = false }, "scales documents differently"},
		{plain, text(), func(o *nbsvm.Options) { o.MaxModel = 1 << 20 }, "Options.MaxModel"},
		{plain, text(), func(o *nbsvm.Options) { o.Memory = 1 }, "Options.Memory"},
		{plain, several, func(*nbsvm.Options) {}, "several labels"},
		{plain, input([]byte("a 1:1\nb 2:1\n"), corpus.SVMLight), func(*nbsvm.Options) {}, "takes texts"},
		{ready, text(), func(*nbsvm.Options) {}, "takes ready-made features"},
		{bayes, text(), func(o *nbsvm.Options) { o.Kind = nbsvm.NBSVM }, "scales documents differently"},
		{linear, text(), func(o *nbsvm.Options) { o.Kind = nbsvm.NBSVM }, "no log-count ratios"},
		{tree, text(), func(*nbsvm.Options) {}, "labels in a tree can't be updated"},
	} {
		made, err := test.from.Report()
		must.OK(t, err)
		o := made.Options
		o.From = test.from
		test.change(&o)
		if _, _, err := nbsvm.Train(context.Background(), test.in, o); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("want an error with %q, got %v", test.want, err)
		}
	}
}
