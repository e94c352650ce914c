package hashing

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Tokenizer says what counts as one token. The zero value is Word.
type Tokenizer uint8

const (
	// Word takes maximal runs of letters, marks, digits and inner apostrophes,
	// and every character of a script written without spaces by itself.
	Word Tokenizer = iota
	// Char takes code points, a run of white space being one of them.
	Char
	// Space takes whatever stands between ASCII white space, byte by byte.
	Space
	// VW takes the features of Vowpal Wabbit's text, |namespace feature feature:value |…, byte by byte. Features of
	// different namespaces are different tokens, and no n-gram has both. It is for documents of corpus.VW.
	VW
	// CharWB takes code points as Char does, but no n-gram reaches over white space: it may begin or end with a space,
	// which marks the edge of a word.
	CharWB
)

var tokenizerNames = [...]string{Word: "word", Char: "char", Space: "space", VW: "vw", CharWB: "char-wb"}

func tokenizerList() string { return strings.Join(tokenizerNames[:], ", ") }

// String is the tokenizer's name: word, char, space, vw or char-wb.
func (t Tokenizer) String() string {
	if int(t) < len(tokenizerNames) {
		return tokenizerNames[t]
	}
	return fmt.Sprintf("Tokenizer(%d)", uint8(t))
}

// Characters tells whether tokens are single characters.
func (t Tokenizer) Characters() bool { return t == Char || t == CharWB }

// MarshalText is the name; a value that is no tokenizer is an error.
func (t Tokenizer) MarshalText() ([]byte, error) {
	if int(t) >= len(tokenizerNames) {
		return nil, fmt.Errorf("hashing: there is no tokenizer %d: use one of %s", uint8(t), tokenizerList())
	}
	return []byte(tokenizerNames[t]), nil
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

// Limits of Options.
const (
	MinBits  = 8
	MaxBits  = 30
	MaxNgram = 8
)

// Options say how text becomes n-gram hashes. They are part of a model: the
// same options give the same hashes on every machine, for good. The zero value
// is not valid; start from DefaultOptions.
type Options struct {
	Tokenizer   Tokenizer `json:"tokenizer"`   // default Word
	Lowercase   bool      `json:"lowercase"`   // fold case (see the package comment); default true
	Punctuation bool      `json:"punctuation"` // keep punctuation marks, each a token; Word only; default true
	StripHTML   bool      `json:"strip_html"`  // tags separate tokens and are dropped; default false
	NgramLo     int       `json:"ngram_lo"`    // shortest n-gram, in tokens, at least 1; default 1
	NgramHi     int       `json:"ngram_hi"`    // longest n-gram, NgramLo..MaxNgram; default 2
	// More families of n-grams beside those of Tokenizer, NgramLo and NgramHi; the other options are for all.
	More MoreFamilies `json:"-"`
	Bits int          `json:"bits"` // a feature id is the top Bits bits of a hash, MinBits..MaxBits; default 22
	Seed uint64       `json:"seed"` // any value; another seed gives other collisions; default 1
}

// DefaultOptions are words in lower case with punctuation, orders 1 to 2, and
// 22 bits.
func DefaultOptions() Options {
	return Options{
		Tokenizer:   Word,
		Lowercase:   true,
		Punctuation: true,
		NgramLo:     1,
		NgramHi:     2,
		Bits:        22,
		Seed:        1,
	}
}

// Validate names the first option that is out of its range.
func (o Options) Validate() error {
	families := o.Families()
	for k, f := range families {
		if err := f.validate(); err != nil {
			return err
		}
		switch {
		case len(families) > 1 && f.Tokenizer == VW:
			return errors.New("hashing: the tokenizer vw is for Vowpal Wabbit's text, which has no other features: leave the others out")
		case k > 0 && f.Tokenizer <= families[k-1].Tokenizer:
			return fmt.Errorf("hashing: families are %s and then %s: each tokenizer once, in the order %s", families[k-1], f, tokenizerList())
		}
	}
	if o.Bits < MinBits || o.Bits > MaxBits {
		return fmt.Errorf("hashing: %d bits: must be %d to %d", o.Bits, MinBits, MaxBits)
	}
	return nil
}

// String tells all options but bits.
func (o Options) String() string {
	var families strings.Builder
	for k, f := range o.Families() {
		if k > 0 {
			families.WriteString(", ")
		}
		fmt.Fprintf(&families, "%s tokens, %d-%d-grams", f.Tokenizer, f.NgramLo, f.NgramHi)
	}
	return fmt.Sprintf("%s, lowercase %t, punctuation %t, strip-html %t, seed %d", &families, o.Lowercase, o.Punctuation, o.StripHTML, o.Seed)
}

// Difference is an option with other values on two sides.
type Difference struct {
	Option string
	A, B   any
}

// Diff finds the first option, bits apart, by which other differs; nil if there is none.
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

// MoreFamilies are families of n-grams beside the first; empty ones, which have orders of 0, come last. Each has a
// tokenizer of its own, and a family's comes behind that of the one before in the order of [Tokenizer].
type MoreFamilies [maxFamilies - 1]Family

const maxFamilies = 4 // as many as there are tokenizers for the same text

func (m MoreFamilies) list() []Family {
	n := len(m)
	for n > 0 && m[n-1] == (Family{}) {
		n--
	}
	return m[:n]
}

// Families are all families of n-grams, at least one.
func (o Options) Families() []Family {
	return append([]Family{{o.Tokenizer, o.NgramLo, o.NgramHi}}, o.More.list()...)
}

// WithFamilies returns the options with these families of n-grams, in any order, in place of those it has. The error
// is about two of the same tokenizer.
func (o Options) WithFamilies(families ...Family) (Options, error) {
	families = slices.SortedFunc(slices.Values(families), func(a, b Family) int { return cmp.Compare(a.Tokenizer, b.Tokenizer) })
	if len(families) < 1 || len(families) > maxFamilies {
		return o, fmt.Errorf("hashing: %d families of n-grams: 1 to %d are possible", len(families), maxFamilies)
	}
	for k, f := range families[1:] {
		if f.Tokenizer == families[k].Tokenizer {
			return o, fmt.Errorf("hashing: two families of the tokenizer %s: give their orders as one range", f.Tokenizer)
		}
	}
	o.Tokenizer, o.NgramLo, o.NgramHi = families[0].Tokenizer, families[0].NgramLo, families[0].NgramHi
	o.More = MoreFamilies{}
	copy(o.More[:], families[1:])
	return o, nil
}
