package bench

import (
	"bytes"
	"hash/crc32"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
)

func generate(t testing.TB, c Corpus, threads int, census *Census) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := c.WriteTSV(t.Context(), &b, threads, census); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestSameBytes pins the corpus: benchmarks of different days must mean the same.
func TestSameBytes(t *testing.T) {
	c := DefaultCorpus()
	c.Documents = 1100
	text := generate(t, c, 1, nil)
	if got, want := crc32.ChecksumIEEE(text), uint32(0x47088062); got != want {
		t.Errorf("checksum %#x, want %#x", got, want)
	}
	if !bytes.Equal(generate(t, c, 3, NewCensus()), text) {
		t.Error("another number of threads gives another corpus")
	}
	other := c
	other.Seed++
	if bytes.Equal(generate(t, other, 1, nil), text) {
		t.Error("another seed gives the same corpus")
	}
	c.Documents = 600
	if !bytes.HasPrefix(text, generate(t, c, 2, nil)) {
		t.Error("a smaller corpus is not the beginning of a larger one")
	}
}

func TestShape(t *testing.T) {
	c := DefaultCorpus()
	c.Documents, c.Classes, c.Vocabulary, c.Zipf, c.Signal = 3000, 3, 1000, 1, 0
	lines := strings.Split(strings.TrimSuffix(string(generate(t, c, 2, nil)), "\n"), "\n")
	if len(lines) != c.Documents {
		t.Fatalf("%d lines", len(lines))
	}
	words, total := map[string]int{}, 0
	for i, line := range lines {
		label, text, _ := strings.Cut(line, "\t")
		if want := []string{"c0", "c1", "c2"}[i%3]; label != want {
			t.Fatalf("line %d has label %s, want %s", i, label, want)
		}
		fields := strings.Fields(text)
		if n := len(fields); n < c.Words/2 || n > c.Words/2+c.Words {
			t.Fatalf("line %d has %d words", i, n)
		}
		for _, word := range fields {
			words[word]++
		}
		total += len(fields)
	}
	if mean := float64(total) / float64(len(lines)); math.Abs(mean-float64(c.Words)) > 2 {
		t.Errorf("%.1f words a document, want %d", mean, c.Words)
	}
	// With exponent 1, ranks up to r have the share log(r+1)/log(V+1) of all words.
	var counts []int
	for _, n := range words {
		counts = append(counts, n)
	}
	slices.Sort(counts)
	slices.Reverse(counts)
	sum := 0
	for r, n := range counts {
		sum += n
		if r == 9 || r == 99 {
			share, want := float64(sum)/float64(total), math.Log(float64(r+2))/math.Log(1001)
			if math.Abs(share-want) > 0.02 {
				t.Errorf("the first %d words are %.3f of all, want %.3f", r+1, share, want)
			}
		}
	}
}

// TestLaws holds vocabulary growth and lengths against their expectations, within
// five standard deviations of a binomial count.
func TestLaws(t *testing.T) {
	for _, lengths := range AllLengths() {
		for _, zipf := range []float64{0, 1, 1.3} {
			c := DefaultCorpus()
			c.Documents, c.Words, c.Lengths, c.Zipf, c.Vocabulary, c.Classes = 4000, 30, lengths, zipf, 5000, 3
			census := NewCensus()
			text := generate(t, c, 2, census)
			if n := len(bytes.Fields(text)) - c.Documents; census.Words != n {
				t.Errorf("%s: census of %d words, the corpus has %d", lengths, census.Words, n)
			}
			if mean := float64(census.Words) / float64(census.Documents); math.Abs(mean-30) > 1.5 {
				t.Errorf("%s: %.1f words a document, want 30", lengths, mean)
			}
			for _, r := range census.growthResults(c) {
				got, want := r.metric("measured").Samples[0], r.metric("expected").Samples[0]
				if math.Abs(got-want) > 5*math.Sqrt(want)+1 {
					t.Errorf("%s, Zipf %v, %s: %v distinct words, want %.1f", lengths, zipf, r.key(), got, want)
				}
			}
			total := 0.0
			for _, r := range census.lengthResults(c) {
				got, want := r.metric("measured").Samples[0], r.metric("expected").Samples[0]
				if math.Abs(got-want) > 5*math.Sqrt(want/float64(c.Documents))+1e-3 {
					t.Errorf("%s, %s: share %.4f, want %.4f", lengths, r.key(), got, want)
				}
				total += got
			}
			if total < 0.99 || total > 1+1e-9 {
				t.Errorf("%s: shares of lengths add up to %v", lengths, total)
			}
		}
	}
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
		c := DefaultCorpus()
		change(&c)
		if c.WriteTSV(t.Context(), io.Discard, 1, nil) == nil {
			t.Errorf("%+v was accepted", c)
		}
	}
}
