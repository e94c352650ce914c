package score_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// manyWords makes up documents of many different words, of which some are long, not ASCII, or come again.
func manyWords(n int) (texts []string) {
	rng := rand.New(rand.NewPCG(3, 9))
	zipf := rand.NewZipf(rng, 1.1, 8, 1<<17)
	for range n {
		var text strings.Builder
		for range rng.IntN(120) {
			switch word := zipf.Uint64(); rng.IntN(12) {
			case 0:
				fmt.Fprintf(&text, "Straße%dß ", word%97)
			case 1:
				fmt.Fprintf(&text, "a-rather-long-word-number-%d\n", word)
			case 2:
				fmt.Fprintf(&text, "K1w%d\u00a0k0w%d ", word%97, word%89)
			default:
				fmt.Fprintf(&text, "w%x ", word*word)
			}
		}
		texts = append(texts, text.String())
	}
	return append(texts, "", " ", strings.Repeat("long", 5000), strings.Repeat("w1 w2 ", 9000), strings.Join(texts, " "))
}

// TestWordSums: where n-grams count by word, a document has the same margins, to the last bit, whatever documents were
// scored before, whatever is scored with it, and however its words share places; and they are those that its n-grams
// have one by one.
func TestWordSums(t *testing.T) {
	must.SkipUnderRace(t)
	texts := manyWords(150)
	for name, test := range map[string]struct {
		docs   []string
		change func(o *nbsvm.Options)
	}{
		"two classes": {records(2, false), func(*nbsvm.Options) {}},
		"five":        {records(5, false), func(*nbsvm.Options) {}},
		"characters": {records(5, false), func(o *nbsvm.Options) {
			o.Text.Families = hashing.Families{{Tokenizer: hashing.CharWB, NgramLo: 1, NgramHi: 4}}
		}},
		"several labels": {records(4, true), func(o *nbsvm.Options) { o.Normalize = false }},
		"of HTML":        {records(3, false), func(o *nbsvm.Options) { o.Text.StripHTML, o.Text.Lowercase = true, false }},
		"few keys":       {records(3, false), func(o *nbsvm.Options) { o.Text.Bits = 9 }},
	} {
		t.Run(name, func(t *testing.T) {
			in := input(test.docs)
			if name != "several labels" {
				in.LabelSep = ""
			}
			c := trainOn(t, in, func(o *nbsvm.Options) {
				o.Text.Families = hashing.Families{{Tokenizer: hashing.Word, NgramLo: 1, NgramHi: 2}, {Tokenizer: hashing.CharWB, NgramLo: 2, NgramHi: 5}}
				test.change(o)
			})
			if c.Model().Meta.Values != "by-word" {
				t.Fatalf("values are %s", c.Model().Meta.Values)
			}
			q, err := c.Model().Quantize()
			must.OK(t, err)
			for _, m := range []*model.Model{c.Model(), withSparse(c.Model()), q} {
				checkWordSums(t, score.New(m), texts)
			}
		})
	}
}

func checkWordSums(t *testing.T, c *score.Classifier, texts []string) {
	t.Helper()
	defer score.SmallTables()()
	alone := make([][]float64, len(texts)) // margins of each text, scored first
	for i, text := range texts {
		alone[i] = slices.Clone(predict(t, newScorer(t, c), "\t"+text).Margins)
		want := referenceMargins(t, c.Model(), "\t"+text)
		for o, margin := range alone[i] {
			if math.Abs(margin-want[o]) > 1e-9*(1+math.Abs(margin)) {
				t.Fatalf("text %d has margins %v, want %v", i, alone[i], want)
			}
		}
	}
	s := newScorer(t, c)
	order := rand.New(rand.NewPCG(5, 6)).Perm(len(texts))
	order = append(order, order...)
	text := func(k int) []byte { return []byte(texts[order[k]]) }
	s.AskUnknown()
	must.OK(t, s.PredictAll(t.Context(), len(order), text, nil, func(k int, p *score.Prediction, err error) error {
		if err != nil || !slices.Equal(p.Margins, alone[order[k]]) {
			t.Fatalf("text %d has margins %v beside others, %v alone (%v)", order[k], p.Margins, alone[order[k]], err)
		}
		if want := shareUnknown(t, c.Model(), text(k)); p.Unknown != want {
			t.Fatalf("of text %d, a share of %v is unknown, want %v", order[k], p.Unknown, want)
		}
		return nil
	}))
}

// shareUnknown returns the share of the distinct n-grams of a text that a model does not know, 1 of none.
func shareUnknown(t *testing.T, m *model.Model, text []byte) float64 {
	t.Helper()
	extract, err := hashing.NewExtractor(m.Meta.Text)
	must.OK(t, err)
	hashes, _ := extract.AppendDistinct(nil, nil, text)
	unknown := 0
	for _, h := range hashes {
		if _, ok := m.Keys.Rank(hashing.Key(h, m.Meta.Text.Bits)); !ok {
			unknown++
		}
	}
	if len(hashes) == 0 {
		return 1
	}
	return float64(unknown) / float64(len(hashes))
}
