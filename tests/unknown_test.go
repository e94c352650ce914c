package tests

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/inside"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// unknownOf returns the share of unknown features of each text, and checks that nothing else of predictions depends on
// whether it is asked for.
func unknownOf(t testing.TB, c *nbsvm.Classifier, in func() corpus.Input, o nbsvm.ScoreOptions) (shares []float64) {
	t.Helper()
	all := func(o nbsvm.ScoreOptions) (all []nbsvm.Prediction) {
		var lines bytes.Buffer
		_, err := c.Score(t.Context(), in(), o, func(dst []byte, d *corpus.Document, p []nbsvm.Prediction) []byte {
			p[0].Margins = slices.DeleteFunc(slices.Clone(p[0].Margins), func(x float64) bool { return math.IsInf(x, 0) })
			line, err := json.Marshal(p[0])
			must.OK(t, err)
			return append(append(dst, line...), '\n')
		}, &lines)
		must.OK(t, err)
		for line := range strings.Lines(lines.String()) {
			var p nbsvm.Prediction
			must.OK(t, json.Unmarshal([]byte(line), &p))
			all = append(all, p)
		}
		return all
	}
	plain := all(o)
	o.Unknown = []bool{true}
	for i, p := range all(o) {
		shares, p.Unknown = append(shares, p.Unknown), 0
		if plain[i].Unknown != 0 || !samePrediction(&p, &plain[i]) {
			t.Fatalf("text %d: %+v, and with the share of unknown features %+v", i, plain[i], p)
		}
	}
	return shares
}

// checkUnknown compares the share of unknown features with what explanations count, of the n-grams that a text has.
func checkUnknown(t testing.TB, c *nbsvm.Classifier, texts [][]byte) {
	t.Helper()
	o := inside.Classifier(c).Model().Meta.Text
	extract, err := hashing.NewExtractor(o)
	must.OK(t, err)
	scorer := newScorer(t, c)
	got := unknownOf(t, c, func() corpus.Input { return documentsOf(texts) }, nbsvm.ScoreOptions{Threads: 2})
	for i, text := range texts {
		distinct := map[uint64]bool{}
		for key := range extract.Ngrams(text) {
			distinct[key] = true
		}
		e, err := scorer.ExplainText(text)
		must.OK(t, err)
		known := 0
		for _, part := range e.Contributions {
			if !part.Absent {
				known++
			}
		}
		want := 1.0
		if len(distinct) > 0 {
			want = float64(len(distinct)-known) / float64(len(distinct))
		}
		if whole := known+e.Unknown == len(distinct); got[i] != want || !whole && o.Bits > 30 {
			t.Fatalf("text %d, %.60q: %v is unknown, want %v: %d n-grams, of which the explanation has %d and leaves out %d",
				i, text, got[i], want, len(distinct), known, e.Unknown)
		}
	}
}

// linesOf returns the texts of lines of label and text.
func linesOf(t testing.TB, n int, path ...string) (texts [][]byte) {
	r, err := corpus.Open(corpus.Input{Paths: []string{dataFile(t, path...)}, Unlabelled: true})
	must.OK(t, err)
	defer r.Close()
	for document, err := range r.Documents() {
		must.OK(t, err)
		if texts = append(texts, bytes.Clone(document.Text)); len(texts) == n {
			break
		}
	}
	return texts
}

// TestUnknownOfRealTexts: shares are right for models of every kind, of keys of 12 bits too, for texts like those that
// the model was trained on, of another kind and in other languages, and for one that is taken in pieces.
func TestUnknownOfRealTexts(t *testing.T) {
	must.SkipUnderRace(t)
	spam := dataFile(t, "sms-spam", "all.tsv.zst")
	texts := slices.Concat(linesOf(t, 100, "sms-spam", "all.tsv.zst"), linesOf(t, 60, "20news", "test.tsv.zst"))
	bible := linesOf(t, 60_000, "bible-langid", "test.tsv.zst")
	for i := 0; i < len(bible); i += 500 {
		texts = append(texts, bible[i])
	}
	texts = append(texts, bytes.Join(bible[:5_000], []byte(" ")), nil)
	all := variants()
	all["bits 12"] = func(o *nbsvm.Options) { o.Text.Bits = 12 }
	all["bits 12, counts"] = func(o *nbsvm.Options) { o.Text.Bits, o.Values = 12, nbsvm.Count }
	all["characters"] = func(o *nbsvm.Options) {
		o.Text.Families = hashing.Families{{Tokenizer: hashing.Char, NgramLo: 1, NgramHi: 5}}
	}
	for name, change := range all {
		t.Run(name, func(t *testing.T) {
			c, _ := mustTrain(t, corpus.Input{Paths: []string{spam}}, options(change))
			checkUnknown(t, c, texts)
		})
	}
}

// TestUnknownWords: of a model of fastText, the share of a text's words that are not in the dictionary, by looking each
// up in a list of the words.
func TestUnknownWords(t *testing.T) {
	must.SkipUnderRace(t)
	c, err := nbsvm.Open(dataFile(t, "fasttext", "lid.176.ftz"))
	must.OK(t, err)
	defer c.Close()
	of := inside.Classifier(c).FastText()
	words := map[string]bool{}
	for id := range of.Facts().Words {
		words[string(of.Word(id))] = true
	}
	texts := append(linesOf(t, 5000, "bible-langid", "test.tsv.zst"), linesOf(t, 200, "imdb", "test.tsv.zst")...)
	known := string(of.Word(1)) + " "
	for _, text := range []string{"", " \t", known + "__label__en " + known + "zyxwvu", known + "</s> zyxwvu", "</s>"} {
		texts = append(texts, []byte(text))
	}
	got := unknownOf(t, c, func() corpus.Input { return documentsOf(texts) }, nbsvm.ScoreOptions{Threads: 2})
	n := len(texts)
	if !slices.Equal(got[n-5:], []float64{1, 1, 1. / 3, 0, 1}) {
		t.Errorf("%v of %q is unknown", got[n-5:], texts[n-5:])
	}
	blank := func(r rune) bool { return strings.ContainsRune(" \n\r\t\v\f\x00", r) }
	for i, text := range texts[:n-5] {
		all := strings.FieldsFunc(string(text), blank)
		unknown := 0
		for _, word := range all {
			if !words[word] {
				unknown++
			}
		}
		if want := float64(unknown) / float64(len(all)); got[i] != want {
			t.Fatalf("%.60q: %v is unknown, want %v", text, got[i], want)
		}
	}
}

// TestUnknownOfParts: the share of a text that is scored part by part is made of those of its parts, as its scores are.
func TestUnknownOfParts(t *testing.T) {
	c, _ := mustTrain(t, small.input(), options())
	var texts [][]byte
	records := small.with(func(s *shape) { s.docs, s.seed = 300, 2 }).records()
	for n := range 6 {
		var text []byte
		for _, r := range records[10*n:][:n] {
			text = append(text, "zyx é "[:7*(len(text)%2)]+r.text+"\n"...)
		}
		texts = append(texts, text)
	}
	for _, over := range []string{"mean", "min", "max"} {
		o := nbsvm.ScoreOptions{Parts: &nbsvm.Parts{Split: textLines, Over: over}}
		got := unknownOf(t, c, func() corpus.Input { return documentsOf(texts) }, o)
		for i, text := range texts {
			var parts [][]byte
			for _, line := range textLines(text) {
				parts = append(parts, line)
			}
			want := 1.0 // of an empty text
			if len(parts) > 0 {
				shares := unknownOf(t, c, func() corpus.Input { return documentsOf(parts) }, nbsvm.ScoreOptions{})
				sum, chars := 0.0, 0.0
				for n, part := range parts {
					length := float64(len([]rune(string(part))))
					sum, chars = sum+shares[n]*length, chars+length
				}
				want = map[string]float64{"mean": sum / chars, "min": slices.Min(shares), "max": slices.Max(shares)}[over]
			}
			if !near(got[i], want, 1e-12) {
				t.Errorf("%s over %d parts: %v is unknown, want %v", over, len(parts), got[i], want)
			}
		}
	}
}

// TestNeedsOfEach: what is needed of predictions is said for each classifier, or for none.
func TestNeedsOfEach(t *testing.T) {
	c, _ := mustTrain(t, small.input(), options())
	for _, o := range []nbsvm.ScoreOptions{
		{With: []*nbsvm.Classifier{c}, Unknown: []bool{true}},
		{Only: [][]int{{0}, nil}},
	} {
		_, err := c.Score(t.Context(), small.input(), o, render, io.Discard)
		if err == nil || !strings.Contains(err.Error(), "give one for each") {
			t.Errorf("%+v: error %v", o, err)
		}
	}
	_, err := c.Score(t.Context(), small.input(), nbsvm.ScoreOptions{Only: [][]int{}, Unknown: []bool{}}, render, io.Discard)
	must.OK(t, err)
}
