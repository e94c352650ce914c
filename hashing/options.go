package hashing

import (
	"fmt"
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
)

var tokenizerNames = [...]string{Word: "word", Char: "char", Space: "space", VW: "vw"}

// String is the tokenizer's name: word, char, space or vw.
func (t Tokenizer) String() string {
	if int(t) < len(tokenizerNames) {
		return tokenizerNames[t]
	}
	return fmt.Sprintf("Tokenizer(%d)", uint8(t))
}

// MarshalText is the name; a value that is no tokenizer is an error.
func (t Tokenizer) MarshalText() ([]byte, error) {
	if int(t) >= len(tokenizerNames) {
		return nil, fmt.Errorf("hashing: there is no tokenizer %d: use hashing.Word, hashing.Char, hashing.Space or hashing.VW", uint8(t))
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
	return fmt.Errorf("hashing: unknown tokenizer %q: use one of %s", shorten(text), strings.Join(tokenizerNames[:], ", "))
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
	Bits        int       `json:"bits"`        // a feature id is the top Bits bits of a hash, MinBits..MaxBits; default 22
	Seed        uint64    `json:"seed"`        // any value; another seed gives other collisions; default 1
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
	switch {
	case int(o.Tokenizer) >= len(tokenizerNames):
		return fmt.Errorf("hashing: there is no tokenizer %d: use hashing.Word, hashing.Char, hashing.Space or hashing.VW", uint8(o.Tokenizer))
	case o.NgramLo < 1 || o.NgramLo > MaxNgram:
		return fmt.Errorf("hashing: shortest n-gram is %d: must be 1 to %d", o.NgramLo, MaxNgram)
	case o.NgramHi < o.NgramLo || o.NgramHi > MaxNgram:
		return fmt.Errorf("hashing: longest n-gram is %d: must be %d (the shortest) to %d", o.NgramHi, o.NgramLo, MaxNgram)
	case o.Bits < MinBits || o.Bits > MaxBits:
		return fmt.Errorf("hashing: %d bits: must be %d to %d", o.Bits, MinBits, MaxBits)
	}
	return nil
}

// String tells all options but bits.
func (o Options) String() string {
	return fmt.Sprintf("%s tokens, %d-%d-grams, lowercase %t, punctuation %t, strip-html %t, seed %d",
		o.Tokenizer, o.NgramLo, o.NgramHi, o.Lowercase, o.Punctuation, o.StripHTML, o.Seed)
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
