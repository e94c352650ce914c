package tests

import (
	"fmt"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestStrangers: n-grams that were never seen have no weight, unless their keys are those of others.
func TestStrangers(t *testing.T) {
	s := small.with(func(s *shape) { s.vocabulary = 300 })
	for _, bits := range []int{12, 40} {
		o := options(func(o *nbsvm.Options) {
			o.Text.Bits, o.MinDF = bits, 1
			o.Text.NgramLo, o.Text.NgramHi, o.AutoNgrams = 1, 1, false
		})
		c, _ := mustTrain(t, s.input(), o)
		scorer := newScorer(t, c)
		m := modelOf(t, c)
		extract, err := hashing.NewExtractor(c.Text())
		must.OK(t, err)
		taken := 0
		for i := range 5000 {
			word := fmt.Sprintf("stranger%d", i)
			_, known := m.Keys.Rank(hashing.Key(extract.AppendHashes(nil, []byte(word))[0], bits))
			x, err := scorer.ExplainText([]byte(word))
			must.OK(t, err)
			if known != (len(x.Contributions) > 0) {
				t.Errorf("%d bits: %s is known: %t, and has %d contributions", bits, word, known, len(x.Contributions))
			}
			if known {
				taken++
			}
		}
		if taken < 100 && bits == 12 || taken > 0 && bits == 40 {
			t.Errorf("%d bits: %d of 5000 strangers pass for features", bits, taken)
		}
	}
}

// TestRareNgramsStayOut: with rare n-grams left out, the training documents are
// scored as they were trained on: the solver's objective is that of the exported
// margins.
func TestRareNgramsStayOut(t *testing.T) {
	exactWeights(t)
	s := small.with(func(s *shape) { s.vocabulary = 3000 })
	o := options(func(o *nbsvm.Options) {
		o.MinDF, o.Normalize, o.Bias, o.Beta, o.AutoBeta = 3, false, 0, 1, false
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
		if r := ratioOf(m, row); r != 0 {
			square += float64(w) / r * float64(w) / r
		}
	}
	if got, want := square/2+losses, report.Solution.Primal; !near(got, want, 1e-3) {
		t.Errorf("the objective is %g by margins, %g by the solver", got, want)
	}
}
