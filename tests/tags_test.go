package tests

import (
	"fmt"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestStrangers: an n-gram that was never seen is not taken for another of its
// bucket, unless several share that or, once in 65535 times, the tag is the same.
func TestStrangers(t *testing.T) {
	s := small.with(func(s *shape) { s.vocabulary = 300 })
	o := options(func(o *nbsvm.Options) {
		o.Text.Bits, o.MinDF = 12, 1
		o.Text.NgramLo, o.Text.NgramHi, o.AutoNgrams = 1, 1, false
	})
	c, _ := mustTrain(t, s.input(), o)
	scorer := newScorer(t, c)
	m := modelOf(t, c)
	extract, err := hashing.NewExtractor(c.Text())
	must.OK(t, err)
	met, taken := 0, 0
	for i := range 5000 {
		word := fmt.Sprintf("stranger%d", i)
		h := extract.AppendHashes(nil, []byte(word))[0]
		row, occupied := m.IDs.Rank(hashing.Bucket(h, o.Text.Bits))
		if !occupied || m.Tags[row] == 0 {
			continue
		}
		met++
		x, err := scorer.ExplainText([]byte(word))
		must.OK(t, err)
		if len(x.Contributions) > 0 {
			taken++
		}
	}
	if met < 100 {
		t.Fatalf("only %d strangers fall on a feature's bucket", met)
	}
	if taken > 1 {
		t.Errorf("%d of %d strangers pass for features", taken, met)
	}
}

// TestRareNgramsStayOut: with rare n-grams left out, the training documents are
// scored as they were trained on: the solver's objective is that of the exported
// margins.
func TestRareNgramsStayOut(t *testing.T) {
	exactWeights(t)
	s := small.with(func(s *shape) { s.vocabulary = 3000 })
	o := options(func(o *nbsvm.Options) {
		o.MinDF, o.Normalize, o.Bias, o.Beta, o.AutoBeta, o.KeepRatio = 3, false, 0, 1, false, true
		o.Loss, o.Tol = "hinge", 1e-3
	})
	c, report := mustTrain(t, s.input(), o)
	scorer := newScorer(t, c)
	var losses float64
	for _, r := range s.records() {
		margin := predict(t, scorer, r.text).Margins[0]
		if r.label == c.Labels()[0] {
			margin = -margin
		}
		losses += o.C * max(0, 1-margin)
	}
	var square float64
	m := modelOf(t, c)
	for row, w := range m.Dense.(model.Float32s) {
		if r := m.RatioAt(row, 0); r != 0 {
			square += float64(w) / r * float64(w) / r
		}
	}
	if got, want := square/2+losses, report.Solution.Primal; !near(got, want, 1e-3) {
		t.Errorf("the objective is %g by margins, %g by the solver", got, want)
	}
}
