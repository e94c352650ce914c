package tests

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// steps are documents of ten measurements: a word for each step that a measurement is above, so that documents of some
// 120 words share nearly all n-grams of characters, which are in dozens of them. The number is a sum of the measurements.
func steps() (docs []record) {
	rng := rand.New(rand.NewPCG(5, 2))
	for range 200 {
		var words []string
		sum := 0.0
		for j := range 10 {
			v := rng.NormFloat64()
			sum += float64(v * float64(j))
			for step := -12; step <= 12; step++ {
				if 2*v > float64(step) {
					words = append(words, fmt.Sprintf("c%dx%d", j, step))
				}
			}
		}
		docs = append(docs, record{label: fmt.Sprint(sum), text: strings.Join(words, " ")})
	}
	return docs
}

// TestByWordRounded: weights of n-grams that are in dozens of a document's words are rounded with as little harm as
// others.
func TestByWordRounded(t *testing.T) {
	docs := steps()
	in := func() corpus.Input { return input(tsv(docs), corpus.TSV) }
	o := ofNumbers(nbsvm.NBSVR, "")
	o.Values, o.Text.Bits, o.C = nbsvm.ByWord, 40, 0
	o.Text.Families = hashing.Families{{Tokenizer: hashing.Word, NgramLo: 1, NgramHi: 2}, {Tokenizer: hashing.CharWB, NgramLo: 2, NgramHi: 5}}
	r2 := func() float64 {
		c, report := mustTrain(t, in(), o)
		if got := report.Options.Values; got != nbsvm.ByWord {
			t.Fatalf("values are %s", got)
		}
		e, err := c.Evaluate(t.Context(), in(), nbsvm.ScoreOptions{})
		must.OK(t, err)
		return *e.Regression.R2
	}
	rounded := r2()
	exactWeights(t)
	if exact := r2(); exact < 0.5 || rounded < exact-0.01 {
		t.Errorf("R² is %.3f with rounded weights, and %.3f with exact ones", rounded, exact)
	}
}
