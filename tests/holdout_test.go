package tests

import (
	"math"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/inside"
)

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

// TestThresholdsOfModel: a multi-label model has thresholds of held-out margins,
// and predicts by them.
func TestThresholdsOfModel(t *testing.T) {
	s := small.with(func(s *shape) { s.classes, s.multi, s.docs = 4, true, 400 })
	c, _ := mustTrain(t, s.input(), options())
	if !c.MultiLabel() || c.Probabilities() {
		t.Fatalf("multi-label %v, probabilities %v", c.MultiLabel(), c.Probabilities())
	}
	zero := 0
	for _, threshold := range inside.Classifier(c).Model().Threshold {
		if threshold == 0 {
			zero++
		}
	}
	if zero == len(c.Labels()) {
		t.Errorf("thresholds %v were not tuned", inside.Classifier(c).Model().Threshold)
	}
	scorer := newScorer(t, c)
	for _, d := range s.records()[:100] {
		p := predict(t, scorer, d.text)
		chosen := map[int]bool{}
		for _, k := range p.Labels {
			chosen[k] = true
		}
		for k, m := range p.Margins {
			if chosen[k] != (m > inside.Classifier(c).Model().Threshold[k]) {
				t.Fatalf("margin %v, threshold %v, chosen %v", m, inside.Classifier(c).Model().Threshold[k], chosen[k])
			}
		}
	}
}
