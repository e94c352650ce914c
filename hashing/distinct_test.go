package hashing

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// distinctOf are the hashes that occur, each once, in order.
func distinctOf(all []uint64) (distinct []uint64) {
	met := map[uint64]bool{}
	for _, h := range all {
		if !met[h] {
			met[h] = true
			distinct = append(distinct, h)
		}
	}
	return distinct
}

// wordyDocuments makes documents in which words come again, hostile ones among them.
func wordyDocuments(r *rand.Rand) func() []byte {
	pieces := []string{
		"a", "b", "The", "of", "film", "<br />", "<", ">", "i", "İ", "\u0307", "ß", "Straße", "Москва", "ἀγορά", "𝔘", "🙂", "東京",
		"\xff", "\xc3", "\xe2\x80", "\x00", "\x01", "\x1f", "\x7f", "\x80", "\u0085", "\u00a0", "\u3000", "\u200b", "'", "’", "-", "...",
		"abcdefg", "abcdefgh", "abcdefghijklmn", "abcdefghijklmno", "abcdefghijklmnop", strings.Repeat("x", 100), "sixteen letters.",
	}
	spaces := []string{" ", " ", " ", " ", "", "", "\t", "\n", "\r\n", "\v", "\f", "  ", "\u00a0", " \u2003 "}
	return func() (doc []byte) {
		kinds, most := 1+r.IntN(len(pieces)), 1<<r.IntN(11)
		for range 1 + r.IntN(most) {
			if r.IntN(8) == 0 {
				doc = fmt.Appendf(doc, "w%d", r.IntN(3000))
			} else {
				doc = append(doc, pieces[r.IntN(kinds)]...)
			}
			doc = append(doc, spaces[r.IntN(len(spaces))]...)
		}
		return doc
	}
}

// TestDistinct holds distinct n-grams against all of them, for hostile texts and all options.
func TestDistinct(t *testing.T) {
	document := wordyDocuments(rand.New(rand.NewPCG(71, 72)))
	for _, families := range []string{
		"word:1-2", "char:2-4", "char-wb:2-5", "char-wb:1", "char-wb:3", "char-wb:4-8", "word:1-2 char-wb:2-5",
		"word:1 char:1-3 space:1 char-wb:1-4",
	} {
		for k := range 4 {
			o := DefaultOptions()
			o.Lowercase, o.StripHTML = k&1 == 0, k&2 != 0
			var of []Family
			for name := range strings.FieldsSeq(families) {
				var f Family
				must.OK(t, f.UnmarshalText([]byte(name)))
				of = append(of, f)
			}
			var err error
			o.Families, err = NewFamilies(of...)
			must.OK(t, err)
			e, plain := newExtractor(t, o), newExtractor(t, o)
			for range 60 {
				doc := document()
				want := distinctOf(plain.AppendHashes(nil, doc))
				got, _ := e.AppendDistinct(nil, nil, doc)
				if !slices.Equal(got, want) {
					t.Fatalf("%s: AppendDistinct has other n-grams of %q: %d, want %d", o, doc, len(got), len(want))
				}
				if got := e.InvalidBytes(); got != plain.InvalidBytes() {
					t.Fatalf("%s: %d invalid bytes with %q, want %d", o, got, doc, plain.InvalidBytes())
				}
			}
		}
	}
}
