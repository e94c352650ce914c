package fasttext

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// linearOf is a classifier of words w0 to w9 with numbers that float32 has.
func linearOf(labels, outputs int, several bool) (l Linear, weights [][]float64) {
	r := rand.New(rand.NewPCG(uint64(labels), 7))
	number := func() float64 { return float64(r.IntN(65)-32) / 8 }
	for k := range labels {
		l.Labels = append(l.Labels, "c d"[:1+k%3]+string(rune('a'+k)))
	}
	for range outputs {
		l.Bias = append(l.Bias, number())
	}
	for i := range 10 {
		l.Words = append(l.Words, "w"+string(rune('0'+i)))
		var row []float64
		for range outputs {
			row = append(row, number())
		}
		weights = append(weights, row)
	}
	l.Any = several
	l.Weights = func(i int, dst []float64) { copy(dst, weights[i]) }
	return l, weights
}

// TestLinear compares labels with sums of weights, before and after the model is written.
func TestLinear(t *testing.T) {
	for _, test := range []struct {
		labels, outputs int
		several         bool
	}{{2, 1, false}, {3, 3, false}, {9, 9, false}, {1, 1, true}, {2, 2, true}, {5, 5, true}} {
		l, weights := linearOf(test.labels, test.outputs, test.several)
		sorted := map[string]int{}
		for k, label := range l.Labels {
			sorted[oneWord(label)] = k
		}
		m, err := NewLinear(l)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := m.Write(&b); err != nil {
			t.Fatal(err)
		}
		read, err := Read(b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(8, 8))
		for range 300 {
			text, sums := "unknown", append([]float64(nil), l.Bias...)
			for range r.IntN(8) {
				i := r.IntN(10)
				text += " " + l.Words[i]
				for k, x := range weights[i] {
					sums[k] += x
				}
			}
			for _, m := range []*Model{m, read} {
				scores := make([]float64, test.labels)
				best, err := m.NewScorer().Score([]byte(text), scores, false)
				if err != nil {
					t.Fatal(err)
				}
				if test.several {
					for k, label := range m.labels {
						if got, want := scores[k] >= 0.5, sums[sorted[label]] >= 0; got != want {
							t.Errorf("%d labels, %q: label %s has %v, the sum is %v", test.labels, text, label, scores[k], sums[sorted[label]])
						}
					}
					continue
				}
				want := 0
				for k, x := range sums {
					if x > sums[want] {
						want = k
					}
				}
				if test.outputs == 1 && sums[0] > 0 {
					want = 1
				}
				if got := sorted[m.labels[best]]; got != want {
					t.Errorf("%d labels, %q: label %d, want %d of %v", test.labels, text, got, want, sums)
				}
			}
		}
	}
}

// TestLinearRefused: what fastText can't have is an error.
func TestLinearRefused(t *testing.T) {
	for says, change := range map[string]func(l *Linear){
		"is not one word":            func(l *Linear) { l.Words[3] = "a b" },
		`"" is not one word`:         func(l *Linear) { l.Words[3] = "" },
		"the end of a line":          func(l *Linear) { l.Words[3] = "</s>" },
		"is a word and a label":      func(l *Linear) { l.Words[3] = labelPrefix + oneWord(l.Labels[0]) },
		"or also the label":          func(l *Linear) { l.Labels[0], l.Labels[1] = "a b", "a_b" },
		`label "" can't`:             func(l *Linear) { l.Labels[0] = "" },
		"not a finite one of 32 bit": func(l *Linear) { l.Bias[0] = 1e300 },
	} {
		l, _ := linearOf(3, 3, false)
		change(&l)
		if _, err := NewLinear(l); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: want %q in it", err, says)
		}
	}
}
