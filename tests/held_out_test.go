package tests

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// holdsOut are options that learn from documents held out, by name.
var holdsOut = map[string]func(o *nbsvm.Options){
	"calibrate": func(o *nbsvm.Options) { o.Calibrate = true },
	"hold-out":  func(o *nbsvm.Options) { o.HoldOut, o.MaxEpochs = 0.2, 50; o.Trees.Rounds = 60 },
	"max-model": func(o *nbsvm.Options) { o.MaxModel = 10_000 },
	"none":      func(*nbsvm.Options) {}, // thresholds of several labels
}

// eachHoldOut calls test for each kind of model, number of classes and option that holds documents out.
func eachHoldOut(t *testing.T, test func(t *testing.T, s shape, o nbsvm.Options)) {
	// One kind of each learner that does with its folds in its own way.
	for _, kind := range []nbsvm.Kind{nbsvm.NBSVM, nbsvm.Multinomial, nbsvm.Perceptron, nbsvm.GBDT, nbsvm.KNN} {
		for name, s := range map[string]shape{
			"two":     {docs: 600, classes: 2, vocabulary: 1500, words: 10, signal: 0.08, seed: 3},
			"several": {docs: 600, classes: 3, vocabulary: 1500, words: 10, signal: 0.15, seed: 3, multi: true},
		} {
			for option, change := range holdsOut {
				o := options(func(o *nbsvm.Options) { o.Kind, o.MinDF = kind, 1 }, change)
				if o.Text.Families[0].NgramHi = 1; option != "hold-out" {
					o.Trees.Rounds = 25
				}
				if !kind.Online() && kind != nbsvm.GBDT {
					o.MaxEpochs = 1000
				}
				if option != "none" && !takes(kind, option) || option == "none" && !s.multi {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/%s", kind, name, option), func(t *testing.T) { test(t, s, o) })
			}
		}
	}
}

func takes(kind nbsvm.Kind, option string) bool { return !slices.Contains(kind.Ignores(), option) }

// labelledInput has documents, with weights if there are any but 1.
func labelledInput(docs []record, multi bool) corpus.Input {
	var b strings.Builder
	for _, d := range docs {
		fmt.Fprintf(&b, "{\"label\":%s,\"weight\":%d,\"text\":%q}\n", labelsJSON(d.label, multi), d.weight, d.text)
	}
	in := input([]byte(b.String()), corpus.JSONL)
	if in.WeightField = "weight"; multi {
		in.LabelSep = ","
	}
	return in
}

func labelsJSON(label string, multi bool) string {
	if !multi {
		return fmt.Sprintf("%q", label)
	}
	var quoted []string
	for _, l := range slices.Compact(strings.FieldsFunc(label, func(r rune) bool { return r == ',' })) {
		quoted = append(quoted, fmt.Sprintf("%q", l))
	}
	return "[" + strings.Join(quoted, ",") + "]"
}

func evaluated(t *testing.T, c *nbsvm.Classifier, docs []record, multi bool) *metrics.Report {
	t.Helper()
	in := labelledInput(docs, multi)
	in.WeightField = ""
	r, err := c.Evaluate(t.Context(), in, nbsvm.ScoreOptions{})
	must.OK(t, err)
	return r
}

// TestCopiesAreOneDocument: documents that are written four times teach as much as once with four times the cost. What
// is learned from those held out is about the same, as no copy of theirs is trained on.
func TestCopiesAreOneDocument(t *testing.T) {
	must.SkipUnderRace(t)
	eachHoldOut(t, func(t *testing.T, s shape, o nbsvm.Options) {
		docs := s.records()
		var copies []record
		for range 4 {
			copies = append(copies, docs...)
		}
		rand.New(rand.NewPCG(1, 2)).Shuffle(len(copies), func(i, j int) { copies[i], copies[j] = copies[j], copies[i] })
		written, writtenReport := mustTrain(t, labelledInput(copies, s.multi), o)
		if o.C *= 4; !takes(o.Kind, "C") {
			o.C /= 4
			for i := range docs {
				docs[i].weight = 4
			}
		}
		once, onceReport := mustTrain(t, labelledInput(docs, s.multi), o)
		unseen := s.with(func(s *shape) { s.seed, s.docs = 99, 3000 }).records()
		want, got := evaluated(t, once, unseen, s.multi), evaluated(t, written, unseen, s.multi)
		if math.Abs(got.MicroF1-want.MicroF1) > 0.04 {
			t.Errorf("micro F1 %.3f, of documents written once %.3f", got.MicroF1, want.MicroF1)
		}
		if o.Calibrate && math.Abs(*got.LogLoss-*want.LogLoss) > 0.03 {
			t.Errorf("log loss %.3f, of documents written once %.3f", *got.LogLoss, *want.LogLoss)
		}
		if o.Calibrate && *got.ECE > *want.ECE+0.05 {
			t.Errorf("ece %.3f, of documents written once %.3f", *got.ECE, *want.ECE)
		}
		if got, want := len(writtenReport.Rounds), len(onceReport.Rounds); got > 2*want+10 {
			t.Errorf("%d rounds, of documents written once %d", got, want)
		}
	})
}

// TestWeightIsRepetitionHeldOut: a document of weight k is k documents, among those that are held out, too.
func TestWeightIsRepetitionHeldOut(t *testing.T) {
	must.SkipUnderRace(t)
	eachHoldOut(t, func(t *testing.T, s shape, o nbsvm.Options) {
		if o.Kind == nbsvm.KNN || o.Kind.Online() || o.Kind == nbsvm.GBDT {
			t.Skip("see TestWeightIsRepetition")
		}
		o.Tol = 1e-6
		s.weights, s.docs = true, 300
		docs := s.records()
		for i := range docs {
			if docs[i].label == "class00" { // so that weights tell which class is rare
				docs[i].weight *= 3
			}
		}
		a, _ := mustTrain(t, labelledInput(docs, s.multi), o)
		b, _ := mustTrain(t, labelledInput(repeated(docs), s.multi), o)
		x, y := modelOf(t, a), modelOf(t, b)
		tolerance := 0.02
		for k := range y.Threshold {
			// Of many documents of a label, thresholds that are far from each other may be about as good.
			if !s.multi && !near(x.Threshold[k], y.Threshold[k], tolerance) {
				t.Errorf("threshold %v with weights, %v with repetition", x.Threshold[k], y.Threshold[k])
			}
		}
		unseen := s.with(func(s *shape) { s.seed, s.docs = 99, 3000 }).records()
		if got, want := evaluated(t, a, unseen, s.multi).MicroF1, evaluated(t, b, unseen, s.multi).MicroF1; math.Abs(got-want) > 0.03 {
			t.Errorf("micro F1 %v with weights, %v with repetition", got, want)
		}
		for k := range y.Platt {
			if !near(x.Platt[k].A, y.Platt[k].A, tolerance) || !near(x.Platt[k].B, y.Platt[k].B, tolerance) {
				t.Errorf("sigmoid %v with weights, %v with repetition", x.Platt[k], y.Platt[k])
			}
		}
		if !near(x.Temperature, y.Temperature, tolerance) {
			t.Errorf("temperature %v with weights, %v with repetition", x.Temperature, y.Temperature)
		}
	})
}

// TestCalibratedProbabilities: on unseen documents, those with a probability of
// about p are positive in a share of about p.
func TestCalibratedProbabilities(t *testing.T) {
	s := small.with(func(s *shape) { s.docs, s.signal, s.words = 3000, 0.05, 10 })
	c, _ := mustTrain(t, s.input(), options(func(o *nbsvm.Options) { o.Calibrate = true }))
	if !c.Probabilities() {
		t.Fatal("a calibrated model has no probabilities")
	}
	scorer := newScorer(t, c)
	var expected, found, n [5]float64
	for _, d := range s.with(func(s *shape) { s.seed = 99 }).records() {
		p := predict(t, scorer, d.text).Scores[1]
		bin := min(int(p*5), 4)
		expected[bin] += p
		n[bin]++
		if d.label == "class01" {
			found[bin]++
		}
	}
	for bin := range n {
		// Three standard deviations of a binomial share, and 4 % for the fit.
		if noise := 1.5/math.Sqrt(n[bin]) + 0.04; n[bin] > 0 && math.Abs(expected[bin]-found[bin])/n[bin] > noise {
			t.Errorf("bin %d: mean probability %.3f, share of positives %.3f", bin, expected[bin]/n[bin], found[bin]/n[bin])
		}
	}
}
