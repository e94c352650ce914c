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

func generate(t testing.TB, c Corpus) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := c.WriteTSV(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestSameBytes pins the corpus: benchmarks of different days must mean the same.
func TestSameBytes(t *testing.T) {
	c := DefaultCorpus()
	c.Documents = 1000
	if got, want := crc32.ChecksumIEEE(generate(t, c)), uint32(0x9ad819c1); got != want {
		t.Errorf("checksum %#x, want %#x", got, want)
	}
	other := c
	other.Seed++
	if bytes.Equal(generate(t, c), generate(t, other)) {
		t.Error("another seed gives the same corpus")
	}
}

func TestShape(t *testing.T) {
	c := DefaultCorpus()
	c.Documents, c.Classes, c.Vocabulary, c.Zipf, c.Signal = 3000, 3, 1000, 1, 0
	lines := strings.Split(strings.TrimSuffix(string(generate(t, c)), "\n"), "\n")
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
	// With exponent 1, ranks up to r have the share log(r+1)/log(V) of all words.
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
			share, want := float64(sum)/float64(total), math.Log(float64(r+2))/math.Log(1000)
			if math.Abs(share-want) > 0.02 {
				t.Errorf("the first %d words are %.3f of all, want %.3f", r+1, share, want)
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
	} {
		c := DefaultCorpus()
		change(&c)
		if c.WriteTSV(io.Discard) == nil {
			t.Errorf("%+v was accepted", c)
		}
	}
}
