package bench

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/corpus"
)

func recombination(text string, documents int) Corpus {
	in := corpus.Input{Stdin: strings.NewReader(text)}
	in.Format = corpus.TSV
	c := defaultCorpus()
	c.From, c.Documents = in, documents
	return c
}

// TestRecombination wants every sentence to come of its own class, and documents to
// have as many as real ones.
func TestRecombination(t *testing.T) {
	const text = "a\tOne a. Two a! Three a?\na\tFour a.\nb\tOne b.\n"
	var first bytes.Buffer
	if err := recombination(text, 2000).WriteTSV(t.Context(), &first, 1); err != nil {
		t.Fatal(err)
	}
	var second bytes.Buffer
	if err := recombination(text, 2000).WriteTSV(t.Context(), &second, 3); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("another number of threads gives another corpus")
	}
	lines := strings.Split(strings.TrimSuffix(first.String(), "\n"), "\n")
	if len(lines) != 2000 {
		t.Fatalf("%d lines", len(lines))
	}
	seen := map[string]bool{}
	for _, line := range lines {
		label, text, _ := strings.Cut(line, "\t")
		sentences := splitSentences([]byte(text))
		if n := len(sentences); label == "b" && n != 1 || n != 1 && n != 3 {
			t.Fatalf("%q has %d sentences", line, n)
		}
		for _, s := range sentences {
			if !strings.HasSuffix(strings.TrimRight(string(s), ".!?"), label) {
				t.Fatalf("%q has a sentence of another class", line)
			}
			seen[string(s)] = true
		}
	}
	if len(seen) != 5 {
		t.Errorf("%d different sentences came up, want all 5", len(seen))
	}
}

func TestSplitSentences(t *testing.T) {
	for text, want := range map[string][]string{
		"":                     nil,
		"One":                  {"One"},
		"3.5 is. Two?  Three ": {"3.5 is.", "Two?", "Three"},
		"a\tb\nc. d":           {"a b c.", "d"},
		"你好。再见！":               {"你好。", "再见！"},
	} {
		var got []string
		for _, s := range splitSentences([]byte(text)) {
			got = append(got, string(s))
		}
		if !slices.Equal(got, want) {
			t.Errorf("splitSentences(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestRecombinationRefusals(t *testing.T) {
	for text, documents := range map[string]int{"a\tb\n": -1, "a\t\n": 1, "no tab\n": 1} {
		if err := recombination(text, documents).WriteTSV(t.Context(), io.Discard, 1); err == nil {
			t.Errorf("%d documents of %q were made", documents, text)
		}
	}
}
