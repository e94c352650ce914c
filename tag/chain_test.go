package tag

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// everySequence calls f with all sequences of n tags.
func everySequence(n, tags int, f func([]int)) {
	s := make([]int, n)
	for {
		f(s)
		i := 0
		for ; i < n; i++ {
			if s[i]++; s[i] < tags {
				break
			}
			s[i] = 0
		}
		if i == n {
			return
		}
	}
}

// someChain is a chain and the scores of n words, some forbidden.
func someChain(r *rand.Rand, n int) (c *chain, words []float64, pitch int) {
	k := 1 + r.IntN(4)
	c, pitch = newChain(k), pitchOf(k)
	words = make([]float64, n*pitch)
	for _, part := range [][]float64{c.start, c.end, c.next, words} {
		for i := range part {
			part[i] = r.NormFloat64() * 3
		}
	}
	for i := range c.next {
		if k > 1 && i%(k+1) != 0 && r.IntN(5) == 0 {
			c.next[i] = math.Inf(-1)
		}
	}
	return c, words, pitch
}

// TestChainAgainstAllSequences compares decoding and probabilities with what all sequences say one by one.
func TestChainAgainstAllSequences(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var v viterbi
	var m marginals
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(b)) }
	for range 500 {
		n := 1 + r.IntN(5)
		c, words, pitch := someChain(r, n)
		k := c.tags
		highest, z := math.Inf(-1), 0.0
		tagSums, pairSums := make([]float64, n*k), make([]float64, k*k)
		everySequence(n, k, func(s []int) {
			score := c.score(words, pitch, s)
			highest = max(highest, score)
			p := math.Exp(score)
			z += p
			for i, y := range s {
				tagSums[i*k+y] += p
				if i > 0 {
					pairSums[s[i-1]*k+y] += p
				}
			}
		})
		tags := make([]int, n)
		v.decode(c, words, pitch, tags)
		if got := c.score(words, pitch, tags); !near(got, highest) {
			t.Fatalf("%d words, %d tags: found %v of score %v, the best has %v", n, k, tags, got, highest)
		}
		m.chain(c)
		logZ, err := m.sentence(words, pitch, n)
		if err != nil || !near(logZ, math.Log(z)) {
			t.Fatalf("log Z is %v, want %v: %v", logZ, math.Log(z), err)
		}
		for i, p := range tagSums {
			if !near(m.tag[i], p/z) {
				t.Fatalf("word %d, tag %d: probability %v, want %v", i/k, i%k, m.tag[i], p/z)
			}
		}
		for i, p := range pairSums {
			if !near(m.pair[i], p/z) {
				t.Fatalf("tags %d, %d: expected %v times, want %v", i/k, i%k, m.pair[i], p/z)
			}
		}
	}
}

// TestLeads: sequences are the same with leads as without, also where many are equally good, or scores are far apart.
func TestLeads(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var v viterbi
	for trial := range 2000 {
		n, k := 1+r.IntN(20), 1+r.IntN(20)
		c, pitch := newChain(k), pitchOf(k)
		words := make([]float64, n*pitch)
		size := []float64{0, 0.1, 1, 1e8}[trial%4]
		for _, part := range [][]float64{c.start, c.end, c.next, words} {
			for i := range part {
				part[i] = r.NormFloat64() * size
				if trial%3 == 0 {
					part[i] = math.Round(part[i])
				}
				if &part[0] != &words[0] && r.IntN(6) == 0 {
					part[i] = math.Inf(-1)
				}
			}
		}
		with, without := make([]int, n), make([]int, n)
		v.decode(c, words, pitch, without)
		c.leads()
		v.decode(c, words, pitch, with)
		if !slices.Equal(with, without) {
			t.Fatalf("%d words, %d tags, scores of %g: %v, without leads %v", n, k, size, with, without)
		}
	}
}

// TestGradient compares the CRF's gradient, probabilities less what is right, with differences of the likelihood.
func TestGradient(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var m marginals
	const h = 1e-5
	for range 100 {
		n := 1 + r.IntN(6)
		c, words, pitch := someChain(r, n)
		gold := make([]int, n)
		var v viterbi
		v.decode(c, words, pitch, gold) // a sequence that is allowed
		loss := func() float64 {
			m.chain(c)
			logZ, err := m.sentence(words, pitch, n)
			must.OK(t, err)
			return logZ - c.score(words, pitch, gold)
		}
		differs := func(x *float64, want float64, what string) {
			t.Helper()
			before := *x
			*x = before + h
			above := loss()
			*x = before - h
			below := loss()
			*x = before
			if got := (above - below) / (2 * h); math.Abs(got-want) > 1e-6 {
				t.Fatalf("%s: the likelihood changes by %v, the gradient is %v", what, got, want)
			}
		}
		loss()
		k := c.tags
		tag, pair := slices.Clone(m.tag), slices.Clone(m.pair)
		for i, y := range gold {
			tag[i*k+y]--
			if i > 0 {
				pair[gold[i-1]*k+y]--
			}
		}
		for i, g := range tag {
			differs(&words[i/k*pitch+i%k], g, "word")
		}
		for i, g := range pair {
			if !math.IsInf(c.next[i], -1) {
				differs(&c.next[i], g, "next")
			}
		}
		for y := range k {
			differs(&c.start[y], tag[y], "start")
			differs(&c.end[y], tag[(n-1)*k+y], "end")
		}
	}
}

// TestVanished: no probability is made of scores that are too far apart, and none is NaN.
func TestVanished(t *testing.T) {
	c := newChain(2)
	copy(c.start, []float64{0, -2000})
	words := []float64{-2000, 0}
	var m marginals
	m.chain(c)
	if _, err := m.sentence(words, 2, 1); err != errVanished {
		t.Errorf("error %v", err)
	}
}
