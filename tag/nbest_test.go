package tag

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestNBestAgainstAllSequences wants the best of all sequences, in order, and none twice.
func TestNBestAgainstAllSequences(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var v viterbi
	for range 500 {
		words, n := 1+r.IntN(5), 1+r.IntN(12)
		c, scores, pitch := someChain(r, words)
		var want []float64
		everySequence(words, c.tags, func(s []int) {
			if score := c.score(scores, pitch, s); !math.IsInf(score, -1) {
				want = append(want, score)
			}
		})
		slices.SortFunc(want, func(a, b float64) int { return int(math.Copysign(1, b-a)) })
		want = want[:min(n, len(want))]
		sequences, of := nBest(c, scores, pitch, words, n)
		if len(sequences) != len(want) {
			t.Fatalf("%d sequences, want %d", len(sequences), len(want))
		}
		for i, s := range sequences {
			if score := c.score(scores, pitch, s); math.Abs(score-want[i]) > 1e-9 || math.Abs(of[i]-want[i]) > 1e-9 {
				t.Fatalf("sequence %d has score %v, said %v, want %v", i, score, of[i], want[i])
			}
			if slices.ContainsFunc(sequences[:i], func(other []int) bool { return slices.Equal(other, s) }) {
				t.Fatalf("%v is there twice", s)
			}
		}
		tags := make([]int, words)
		if v.decode(c, scores, pitch, tags); !slices.Equal(tags, sequences[0]) {
			t.Fatalf("Viterbi finds %v, the best of %d is %v", tags, n, sequences[0])
		}
	}
}

// TestDescribe: the probabilities of all sequences, and of a word's tags, add up to 1.
func TestDescribe(t *testing.T) {
	m := trained(t, "a/X b/Y\nb/Y a/X c/Z\n", func(o *Options) { *o = DefaultOptions(CRF) })
	s := &Sentence{Words: [][]byte{[]byte("a"), []byte("b")}}
	d, err := m.NewTagger().describe(s, Asked{Best: 20, Marginals: true})
	must.OK(t, err)
	all, word := 0.0, map[string]float64{}
	for _, sequence := range d.Best {
		all += *sequence.Probability
		word[sequence.Tags[1]] += *sequence.Probability
	}
	if len(d.Best) != 9 || math.Abs(all-1) > 1e-9 || strings.Join(d.Tags, " ") != strings.Join(d.Best[0].Tags, " ") {
		t.Errorf("%d sequences with probability %v: %+v", len(d.Best), all, d)
	}
	for tag, p := range d.Marginals[1] {
		if math.Abs(p-word[tag]) > 1e-9 {
			t.Errorf("tag %s has probability %v, the sequences with it %v", tag, p, word[tag])
		}
	}
}
