package tag

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestChunks: chunks are those of conlleval, also where tags keep no scheme.
func TestChunks(t *testing.T) {
	for tags, want := range map[string][]chunk{
		"O O":                     nil,
		"B-A I-A O":               {{0, 2, "A"}},
		"B-A B-A I-A":             {{0, 1, "A"}, {1, 3, "A"}},
		"I-A I-A O I-B":           {{0, 2, "A"}, {3, 4, "B"}},
		"B-A I-B I-B":             {{0, 1, "A"}, {1, 3, "B"}},
		"S-A B-A I-A E-A S-A E-A": {{0, 1, "A"}, {1, 4, "A"}, {4, 5, "A"}, {5, 6, "A"}},
		"B-A E-A E-A O E-B":       {{0, 2, "A"}, {2, 3, "A"}, {4, 5, "B"}},
	} {
		got := chunksOf(strings.Fields(tags))
		wanted := map[chunk]bool{}
		for _, c := range want {
			wanted[c] = true
		}
		if !maps.Equal(got, wanted) {
			t.Errorf("%s has chunks %v, want %v", tags, got, want)
		}
	}
}

// TestReport counts by hand.
func TestReport(t *testing.T) {
	r := newReport()
	add := func(gold, predicted string) {
		r.add(&Sentence{Tags: bytes.Fields([]byte(gold))}, strings.Fields(predicted))
	}
	add("B-NP I-NP O B-VP", "B-NP I-NP O B-NP")
	add("B-NP O", "B-NP O")
	add("B-NP I-NP", "B-NP O")
	r.finish()
	if r.Words != 8 || r.Sentences != 3 || r.Accuracy != 6./8 || r.SentenceAccuracy != 1./3 {
		t.Errorf("%+v", r)
	}
	// Of 4 chunks 2 are found, among 4.
	if c := r.Chunks; c == nil || c.Gold != 4 || c.Predicted != 4 || c.Right != 2 || *r.F1 != 0.5 || r.PerChunk["VP"].F1 != 0 {
		t.Errorf("%+v", c)
	}
	var text strings.Builder
	if err := r.WriteText(&text); err != nil || !strings.Contains(text.String(), "F1 0.5000") {
		t.Errorf("%s: %v", text.String(), err)
	}
	r = newReport()
	add("N V", "N N")
	if r.finish(); r.Chunks != nil || r.F1 != nil || r.PerTag["N"].Precision != 0.5 {
		t.Errorf("%+v", r)
	}
}

func TestSchemes(t *testing.T) {
	for text, want := range map[string]Scheme{
		"B-A I-A O;O B-A":       IOB2,
		"I-A O;O B-A":           Free,
		"B-A E-A S-B O":         IOBES,
		"B-A E-A;B-A":           Free,
		"N V":                   Free,
		"O O":                   Free,
		"B-A I-B":               Free,
		"B-A I-A I-A B-A":       IOB2,
		"S-A S-A B-A I-A E-A O": IOBES,
	} {
		var sentences [][]int
		var tags []string
		for sentence := range strings.SplitSeq(text, ";") {
			var numbers []int
			for tag := range strings.FieldsSeq(sentence) {
				i := slices.Index(tags, tag)
				if i < 0 {
					i, tags = len(tags), append(tags, tag)
				}
				numbers = append(numbers, i)
			}
			sentences = append(sentences, numbers)
		}
		if got := schemeOf(tags, sentences); got != want {
			t.Errorf("%s keeps %s, want %s", text, got, want)
		}
	}
}

// TestSchemeBroken: tags that break the scheme that is asked for are refused before training.
func TestSchemeBroken(t *testing.T) {
	for _, test := range []struct {
		scheme Scheme
		text   string
		want   string
	}{
		{IOB2, "a B-A\nb I-A\n\nc O\nd I-A\n", `5: "I-A" can't follow "O" in iob2; the sentence begins in line 4`},
		{IOB2, "a B-A\nb I-B\n", `2: "I-B" can't follow "B-A" in iob2`},
		{IOB2, "a I-A\n", `1: "I-A" can't begin a sentence in iob2`},
		{IOB2, "a S-A\n", `1: "S-A" can't begin a sentence in iob2`},
		{IOBES, "a O\nb B-A\n", `2: "B-A" ends the sentence, but in iobes its chunk must go on`},
		{IOBES, "a B-A\nb B-A\n", `2: "B-A" can't follow "B-A" in iobes`},
		{IOBES, "a N\n", `1: "N" is no tag of iobes`},
		{IOBES, "a B-A\nb I-A\nc E-A\nd S-B\ne O\n", ""},
		{Free, "a I-A\nb N\n", ""},
		{"", "a I-A\nb N\n", ""},
		{"iob1", "a I-A\n", "Options.Scheme must be none, iob2 or iobes"},
	} {
		o := DefaultOptions(Perceptron)
		o.Scheme, o.MinCount = test.scheme, 1
		r, err := NewReader(Input{Stdin: strings.NewReader(test.text)})
		must.OK(t, err)
		_, err = Train(t.Context(), r, o)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s, %q: error %v, want %q", test.scheme, test.text, err, test.want)
		}
	}
}
