package bench

import (
	"math"
	"slices"
	"time"
)

// Census counts the words of a generated corpus as it is written, to hold it against
// the laws that it was asked to follow.
type Census struct {
	Documents int
	Words     int
	Distinct  int
	growth    []point // distinct words after so many words, at powers of the fourth root of 10
	next      float64
	seen      []uint64 // a bit a word
	lengths   map[int]int
}

// point is a number of words and the distinct ones among them.
type point struct{ words, distinct int }

// NewCensus makes an empty census.
func NewCensus() *Census { return &Census{next: 100, lengths: map[int]int{}} }

func (c *Census) add(b *block) {
	c.Documents += len(b.lengths)
	for _, n := range b.lengths {
		c.lengths[n]++
	}
	for _, word := range b.words {
		if need := int(word/64) + 1; need > len(c.seen) {
			c.seen = append(c.seen, make([]uint64, need-len(c.seen))...)
		}
		if bit := uint64(1) << (word % 64); c.seen[word/64]&bit == 0 {
			c.seen[word/64] |= bit
			c.Distinct++
		}
		c.Words++
		if float64(c.Words) >= c.next {
			c.growth = append(c.growth, point{c.Words, c.Distinct})
			c.next *= math.Pow(10, 0.25)
		}
	}
}

// Report holds the census against the laws of a corpus; a recombined one has none.
func (c *Census) Report(g Corpus, laws bool, bytes int64, took time.Duration) (*Report, error) {
	r, err := newReport("gen", g)
	if err != nil {
		return nil, err
	}
	seconds := took.Seconds()
	r.Results = []Result{{Labels("curve", "speed"), []Metric{
		{"s", Lower, []float64{seconds}},
		{"MB/s", Higher, []float64{float64(bytes) / 1e6 / seconds}},
		{"documents", Neither, []float64{float64(c.Documents)}},
		{"documents/s", Higher, []float64{float64(c.Documents) / seconds}},
	}}}
	if peak, ok := peakMemory(); ok {
		r.Results[0].Metrics = append(r.Results[0].Metrics, Metric{"peak MiB", Lower, []float64{float64(peak) / (1 << 20)}})
	}
	if laws {
		r.Results = append(append(r.Results, c.growthResults(g)...), c.lengthResults(g)...)
	}
	return r, nil
}

// ExpectedDistinct is how many distinct words so many words of a corpus should have.
func (c *Census) ExpectedDistinct(g Corpus) float64 {
	return g.expectedDistinct([]int{c.Words})[0]
}

// expectedDistinct is the expected number of distinct words among the first so many:
// the sum over words of the probability to have come up.
func (c Corpus) expectedDistinct(words []int) []float64 {
	ranks := newRanks(c.Vocabulary, c.Zipf)
	expected := make([]float64, len(words))
	for r := range c.Vocabulary {
		share := ranks.share(r)
		for i, n := range words {
			// log1p keeps what 1-p loses for the rarest words.
			expected[i] += -math.Expm1(float64(n) * math.Log1p(-share*(1-c.Signal)))
			expected[i] += float64(c.Classes) * -math.Expm1(float64(n)*math.Log1p(-share*c.Signal/float64(c.Classes)))
		}
	}
	return expected
}

// growthResults compares the growth of the vocabulary with its expectation.
func (c *Census) growthResults(g Corpus) []Result {
	words := make([]int, len(c.growth))
	for i, p := range c.growth {
		words[i] = p.words
	}
	expected := g.expectedDistinct(words)
	results := make([]Result, len(c.growth))
	for i, p := range c.growth {
		results[i] = Result{Labels("curve", "vocabulary", "x", p.words), []Metric{
			{Name: "measured", Samples: []float64{float64(p.distinct)}},
			{Name: "expected", Samples: []float64{expected[i]}},
		}}
	}
	return results
}

// lengthResults compares the shares of documents by length, in 24 steps, with the
// distribution asked for.
func (c *Census) lengthResults(g Corpus) []Result {
	if len(c.lengths) == 0 {
		return nil
	}
	var sorted []int
	for n := range c.lengths {
		sorted = append(sorted, n)
	}
	slices.Sort(sorted)
	// The longest one in a thousand would stretch the steps.
	top, left := sorted[len(sorted)-1], c.Documents/1000
	for i := len(sorted) - 1; i > 0 && left > c.lengths[sorted[i]]; i-- {
		left -= c.lengths[sorted[i]]
		top = sorted[i]
	}
	low := sorted[0]
	step := max((top-low)/24+1, 1)
	var results []Result
	for from := low; from <= top; from += step {
		count := 0
		for n := from; n < from+step; n++ {
			count += c.lengths[n]
		}
		results = append(results, Result{Labels("curve", "lengths", "x", float64(from)+float64(step-1)/2), []Metric{
			{Name: "measured", Samples: []float64{float64(count) / float64(c.Documents)}},
			{Name: "expected", Samples: []float64{g.Lengths.atMost(from+step-1, g.Words) - g.Lengths.atMost(from-1, g.Words)}},
		}})
	}
	return results
}
