package bench

import (
	"bytes"
	"hash/crc32"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

func generate(t testing.TB, c Corpus, threads int) []byte {
	t.Helper()
	var b bytes.Buffer
	must.OK(t, c.WriteTSV(t.Context(), &b, threads))
	return b.Bytes()
}

// TestSameBytes pins the corpus: benchmarks of different days must mean the same.
func TestSameBytes(t *testing.T) {
	c := defaultCorpus()
	c.Documents = 1100
	text := generate(t, c, 1)
	if got, want := crc32.ChecksumIEEE(text), uint32(0x47088062); got != want {
		t.Errorf("checksum %#x, want %#x", got, want)
	}
	if !bytes.Equal(generate(t, c, 3), text) {
		t.Error("another number of threads gives another corpus")
	}
	other := c
	other.Seed++
	if bytes.Equal(generate(t, other, 1), text) {
		t.Error("another seed gives the same corpus")
	}
	c.Documents = 600
	if !bytes.HasPrefix(text, generate(t, c, 2)) {
		t.Error("a smaller corpus is not the beginning of a larger one")
	}
}

// TestLaws holds vocabulary growth and lengths against their expectations, within
// five standard deviations of a binomial count.
func TestLaws(t *testing.T) {
	for _, lengths := range allLengths {
		for _, zipf := range []float64{0, 1, 1.3} {
			c := defaultCorpus()
			c.Documents, c.Words, c.Lengths, c.Zipf, c.Vocabulary, c.Classes = 4000, 30, lengths, zipf, 5000, 3
			lines := strings.Split(strings.TrimSuffix(string(generate(t, c, 2)), "\n"), "\n")
			words, seen, counts := 0, map[string]bool{}, map[int]int{}
			for i, line := range lines {
				_, text, _ := strings.Cut(line, "\t")
				fields := strings.Fields(text)
				for _, word := range fields {
					seen[word] = true
				}
				words += len(fields)
				counts[len(fields)]++
				if n := i + 1; n == 10 || n == 100 || n == 1000 || n == len(lines) {
					if want := c.expectedDistinct(words); math.Abs(float64(len(seen))-want) > 5*math.Sqrt(want)+1 {
						t.Errorf("%s, Zipf %v: %d distinct among %d words, want %.1f", lengths, zipf, len(seen), words, want)
					}
				}
			}
			if mean := float64(words) / float64(len(lines)); math.Abs(mean-30) > 1.5 {
				t.Errorf("%s: %.1f words a document, want 30", lengths, mean)
			}
			const step = 5
			for from := 0; from < 150; from += step {
				count := 0
				for n := from; n < from+step; n++ {
					count += counts[n]
				}
				got, want := float64(count)/float64(len(lines)), lengths.atMost(from+step-1, c.Words)-lengths.atMost(from-1, c.Words)
				if math.Abs(got-want) > 5*math.Sqrt(want/float64(len(lines)))+1e-3 {
					t.Errorf("%s: share %.4f of lengths from %d, want %.4f", lengths, got, from, want)
				}
			}
		}
	}
}

// atMost is the probability of at most so many words.
func (l lengths) atMost(words, mean int) float64 {
	w := float64(words)
	switch {
	case words < 1:
		return 0
	case l == logNormal:
		return 0.5 * math.Erfc(-(math.Log(w+0.5)-logMean(mean))/(sigma*math.Sqrt2))
	}
	return min(max(float64(words-mean/2+1)/float64(mean+1), 0), 1)
}

// share is the probability of a rank.
func (r *ranks) share(rank int) float64 {
	return r.below(float64(rank+2)) - r.below(float64(rank+1))
}

// below is the distribution function.
func (r *ranks) below(x float64) float64 {
	top := float64(r.n + 1)
	e := r.rise
	if math.Abs(e) < 1e-9 {
		return xmath.Log(x) / xmath.Log(top)
	}
	return (xmath.Exp(e*xmath.Log(x)) - 1) / (xmath.Exp(e*xmath.Log(top)) - 1)
}

// expectedDistinct is the expected number of distinct words among the first so many: the sum
// over words of the probability to have come up.
func (c Corpus) expectedDistinct(words int) (expected float64) {
	ranks, n := newRanks(c.Vocabulary, c.Zipf), float64(words)
	for r := range c.Vocabulary {
		share := ranks.share(r)
		// log1p keeps what 1-p loses for the rarest words.
		expected -= math.Expm1(n * math.Log1p(-share*(1-c.Signal)))
		expected -= float64(c.Classes) * math.Expm1(n*math.Log1p(-share*c.Signal/float64(c.Classes)))
	}
	return expected
}

func TestRefusals(t *testing.T) {
	for _, change := range []func(*Corpus){
		func(c *Corpus) { c.Documents = -1 },
		func(c *Corpus) { c.Words = 0 },
		func(c *Corpus) { c.Vocabulary = 1 },
		func(c *Corpus) { c.Classes = 0 },
		func(c *Corpus) { c.Zipf = math.NaN() },
		func(c *Corpus) { c.Signal = 2 },
		func(c *Corpus) { c.Lengths = "odd" },
		func(c *Corpus) { c.Vocabulary, c.Classes = 1<<28, 16 },
	} {
		c := defaultCorpus()
		change(&c)
		if c.WriteTSV(t.Context(), io.Discard, 1) == nil {
			t.Errorf("%+v was accepted", c)
		}
	}
}
