package tests

import (
	"math"
	"testing"

	"github.com/seed-167f963f/nbsvm"
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
