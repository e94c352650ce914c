package tests

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// saturated are models whose probabilities round to 1 where words are repeated often.
func saturated() map[string]func(*nbsvm.Options) {
	return map[string]func(*nbsvm.Options){
		"logistic":   func(o *nbsvm.Options) { o.Kind, o.C = nbsvm.Logistic, 100 },
		"svm, Platt": func(o *nbsvm.Options) { o.Kind, o.C, o.Calibrate = nbsvm.SVM, 100, true },
		"multinomial": func(o *nbsvm.Options) {
			o.Kind = nbsvm.Multinomial
		},
		"multinomial, calibrated": func(o *nbsvm.Options) { o.Kind, o.Calibrate = nbsvm.Multinomial, true },
	}
}

// repeatedWords is a text with words so many times each.
func repeatedWords(counts map[string]int) string {
	var b strings.Builder
	for _, word := range []string{"apple", "bread", "cheese"} {
		b.WriteString(strings.Repeat(word+" ", counts[word]))
	}
	return b.String()
}

// TestSaturatedProbabilities orders classes and documents where probabilities round to the same number: the predicted
// class, the best ones and the areas under curves follow the margins.
func TestSaturatedProbabilities(t *testing.T) {
	for name, change := range saturated() {
		for _, classes := range []int{2, 3} {
			for _, sep := range []string{"", ","} {
				t.Run(fmt.Sprint(name, "/", classes, "/", sep), func(t *testing.T) {
					words := []string{"apple", "bread", "cheese"}[:classes]
					var train []record
					for i := range 60 {
						word := words[i%classes]
						train = append(train, record{label: word, text: fmt.Sprintf("%s%d %s", word, i, word)})
						if i%10 == 0 { // so that calibration finds mistakes
							train = append(train, record{label: words[(i+1)%classes], text: fmt.Sprintf("%s%d %s", word, i, word)})
						}
					}
					in := input(tsv(train), corpus.TSV)
					in.LabelSep = sep
					c, _ := mustTrain(t, in, options(change, func(o *nbsvm.Options) {
						o.Values, o.Normalize, o.MinDF, o.Text.Families[0].NgramHi = nbsvm.Count, false, 2, 1
					}))
					scorer := newScorer(t, c)
					ties := 0
					for n := 1; n < 5000; n += 1 + n/3 {
						p := predict(t, scorer, repeatedWords(map[string]int{words[0]: n, words[classes-1]: n + n/10 + 1}))
						order := best(c, &p, classes)
						margin := func(k int) float64 {
							if len(p.Margins) == 1 {
								return float64(2*k-1) * p.Margins[0]
							}
							return p.Margins[k]
						}
						if !slices.IsSortedFunc(order, func(a, b int) int {
							switch {
							case margin(a) > margin(b):
								return -1
							case margin(a) < margin(b):
								return 1
							}
							return 0
						}) {
							t.Fatalf("%d times: best are %v of margins %v, scores %v", n, order, p.Margins, p.Scores)
						}
						if !c.MultiLabel() && p.Labels[0] != order[0] {
							t.Fatalf("%d times: predicted %v, best %v of margins %v", n, p.Labels, order, p.Margins)
						}
						if slices.Max(p.Scores) == 1 || p.Scores[order[0]] == p.Scores[order[1]] {
							ties++
						}
						for k, score := range p.Scores {
							if !(score >= 0 && score <= 1) {
								t.Fatalf("%d times: score %v of class %d", n, score, k)
							}
						}
					}
					// The documents of the last class have its word more often, and all so often that the model is sure.
					var test []record
					for i := range 40 {
						label := words[0]
						if i >= 20 {
							label = words[classes-1]
						}
						test = append(test, record{label: label, text: repeatedWords(map[string]int{words[classes-1]: 400 + 100*i})})
					}
					in = input(tsv(test), corpus.TSV)
					in.LabelSep = sep
					r, err := c.Evaluate(context.Background(), in, nbsvm.ScoreOptions{})
					must.OK(t, err)
					last := r.PerClass[classes-1]
					if last.ROCAUC == nil || *last.ROCAUC != 1 || *last.PRAUC != 1 {
						t.Errorf("area under the curve %v, average precision %v, want 1", *last.ROCAUC, *last.PRAUC)
					}
					if ties == 0 {
						t.Error("no probability was rounded to 1, so this tests nothing")
					}
				})
			}
		}
	}
}
