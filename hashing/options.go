package hashing

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Tokenizer says what a token is. The zero value is Word.
type Tokenizer uint8

const (
	// Word takes words: runs of letters, marks, digits and inner apostrophes. In scripts written without spaces, each
	// character is a token.
	Word Tokenizer = iota
	// Char takes characters. A run of white space is one space.
	Char
	// Space splits at ASCII white space and keeps everything else.
	Space
	// CharWB takes characters within words, like scikit-learn's char_wb: an n-gram may begin or end with a space, which
	// marks the edge of a word, but has none inside.
	CharWB
)

var tokenizerNames = [...]string{Word: "word", Char: "char", Space: "space", CharWB: "char-wb"}

func tokenizerList() string { return strings.Join(tokenizerNames[:], ", ") }

// String returns the name of the tokenizer: word, char, space or char-wb.
func (t Tokenizer) String() string {
	if int(t) < len(tokenizerNames) {
		return tokenizerNames[t]
	}
	return fmt.Sprintf("Tokenizer(%d)", uint8(t))
}

// Characters reports whether tokens are single characters.
func (t Tokenizer) Characters() bool { return t == Char || t == CharWB }

// MarshalText returns the name of the tokenizer.
func (t Tokenizer) MarshalText() ([]byte, error) {
	if int(t) >= len(tokenizerNames) {
		return nil, t.unknown()
	}
	return []byte(tokenizerNames[t]), nil
}

func (t Tokenizer) unknown() error {
	return fmt.Errorf("hashing: tokenizer must be one of %s, got %d", tokenizerList(), uint8(t))
}

// UnmarshalText reads a name as String writes it.
func (t *Tokenizer) UnmarshalText(text []byte) error {
	for i, name := range tokenizerNames {
		if string(text) == name {
			*t = Tokenizer(i)
			return nil
		}
	}
	return fmt.Errorf("hashing: unknown tokenizer %q: use one of %s", shorten(text), tokenizerList())
}

// shorten keeps untrusted text in a message readable.
func shorten(text []byte) []byte {
	const limit = 40
	if len(text) > limit {
		return append(text[:limit:limit], "..."...)
	}
	return text
}

// Limits of the fields of Options.
const (
	MinBits = 8
	MaxBits = 64

	maxNgram = 8
)

// Options say how text becomes n-gram hashes. The same options give the same hashes on every machine and in every
// release, so models store them. The zero value is not valid; start from [DefaultOptions].
type Options struct {
	// Tokenizer says what a token is. Default Word.
	Tokenizer Tokenizer `json:"tokenizer"`
	// Lowercase folds case, see the package comment. Default true.
	Lowercase bool `json:"lowercase"`
	// Punctuation makes each punctuation mark a token of the tokenizer Word, which drops them otherwise. Default true.
	Punctuation bool `json:"punctuation"`
	// StripHTML replaces tags by white space. Default false.
	StripHTML bool `json:"strip_html"`
	// NgramLo is the length of the shortest n-grams in tokens, 1 to 8. Default 1.
	NgramLo int `json:"ngram_lo"`
	// NgramHi is the length of the longest n-grams in tokens, NgramLo to 8. Default 2.
	NgramHi int `json:"ngram_hi"`
	// More are further families of n-grams, beside that of Tokenizer, NgramLo and NgramHi. The other fields apply to
	// all. See WithFamilies. Default none.
	More MoreFamilies `json:"-"`
	// Bits is how many of the top bits of a hash are kept, MinBits to MaxBits; the others are 0. N-grams whose kept
	// bits are equal are one feature. Default 40: with a million n-grams, two are one feature in one of three corpora.
	Bits int `json:"bits"`
	// Seed is any number. Another seed gives other hashes, and so other collisions. Default 1.
	Seed uint64 `json:"seed"`
}

// DefaultOptions returns words in lower case with punctuation, uni- and bigrams, and 40 bits.
func DefaultOptions() Options {
	return Options{Tokenizer: Word, Lowercase: true, Punctuation: true, NgramLo: 1, NgramHi: 2, Bits: 40, Seed: 1}
}

// Validate reports the first field that is out of range.
func (o Options) Validate() error {
	families := o.Families()
	for k, f := range families {
		if err := f.validate(); err != nil {
			return err
		}
		if k > 0 && f.Tokenizer <= families[k-1].Tokenizer {
			return fmt.Errorf("hashing: families must have each tokenizer once, in the order %s; got %s after %s",
				tokenizerList(), f, families[k-1])
		}
	}
	if o.Bits < MinBits || o.Bits > MaxBits {
		return fmt.Errorf("hashing: Options.Bits must be %d to %d, got %d", MinBits, MaxBits, o.Bits)
	}
	return nil
}

// String describes all options except Bits.
func (o Options) String() string {
	var families strings.Builder
	for k, f := range o.Families() {
		if k > 0 {
			families.WriteString(", ")
		}
		fmt.Fprintf(&families, "%s tokens, %d-%d-grams", f.Tokenizer, f.NgramLo, f.NgramHi)
	}
	return fmt.Sprintf("%s, lowercase %t, punctuation %t, strip-html %t, seed %d",
		&families, o.Lowercase, o.Punctuation, o.StripHTML, o.Seed)
}

// Difference is an option whose values differ.
type Difference struct {
	Option string
	A, B   any
}

// Diff returns the first option other than Bits that differs from other's; nil if there is none.
func (o Options) Diff(other Options) *Difference {
	orders := func(o Options) string { return fmt.Sprintf("%d-%d", o.NgramLo, o.NgramHi) }
	for _, d := range []Difference{
		{"the tokenizer", o.Tokenizer, other.Tokenizer},
		{"n-grams of orders", orders(o), orders(other)},
		{"the families", fmt.Sprint(o.Families()), fmt.Sprint(other.Families())},
		{"lowercase", o.Lowercase, other.Lowercase},
		{"punctuation", o.Punctuation, other.Punctuation},
		{"strip-html", o.StripHTML, other.StripHTML},
		{"the seed", o.Seed, other.Seed},
	} {
		if d.A != d.B {
			return &d
		}
	}
	return nil
}

// MoreFamilies are the families of n-grams after the first, in the order of their tokenizers, each of another
// tokenizer. Unused ones are zero and come last. [Options.WithFamilies] sets them.
type MoreFamilies [maxFamilies - 1]Family

const maxFamilies = 4 // as many as there are tokenizers for the same text

func (m MoreFamilies) list() []Family {
	n := len(m)
	for n > 0 && m[n-1] == (Family{}) {
		n--
	}
	return m[:n]
}

// Families returns all families of n-grams, at least one.
func (o Options) Families() []Family {
	return append([]Family{{o.Tokenizer, o.NgramLo, o.NgramHi}}, o.More.list()...)
}

// WithFamilies returns the options with the given families of n-grams, 1 to 4 in any order, each of another tokenizer.
func (o Options) WithFamilies(families ...Family) (Options, error) {
	families = slices.SortedFunc(slices.Values(families),
		func(a, b Family) int { return cmp.Compare(a.Tokenizer, b.Tokenizer) })
	if len(families) < 1 || len(families) > maxFamilies {
		return o, fmt.Errorf("hashing: there must be 1 to %d families of n-grams, got %d", maxFamilies, len(families))
	}
	for k, f := range families[1:] {
		if f.Tokenizer == families[k].Tokenizer {
			return o, fmt.Errorf("hashing: the tokenizer %s occurs twice among the families: give one range of n-grams",
				f.Tokenizer)
		}
	}
	o.Tokenizer, o.NgramLo, o.NgramHi = families[0].Tokenizer, families[0].NgramLo, families[0].NgramHi
	o.More = MoreFamilies{}
	copy(o.More[:], families[1:])
	return o, nil
}
