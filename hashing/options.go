package hashing

import (
	"errors"
	"fmt"
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
	// MaxKeyBits is how many bits keys have at most in packed corpora and models.
	MaxKeyBits = 40

	maxNgram = 8
)

// Options say how text becomes n-gram hashes. The same options give the same hashes on every machine and in every
// release, so models store them. The zero value is not valid; start from [DefaultOptions].
type Options struct {
	// Families are the kinds of n-grams. The other fields apply to all. Default words, 1 to 2 of them.
	Families Families `json:"families"`
	// Lowercase folds case, see the package comment. Default true.
	Lowercase bool `json:"lowercase"`
	// Punctuation makes each punctuation mark a token of the tokenizer Word, which drops them otherwise. Default true.
	Punctuation bool `json:"punctuation"`
	// StripHTML replaces tags by white space. Default false.
	StripHTML bool `json:"strip_html"`
	// Bits is how many of the top bits of a hash are kept, MinBits to MaxBits; the others are 0. N-grams whose kept
	// bits are equal are one feature. Default 40: with a million n-grams, two are one feature in one of three corpora.
	Bits int `json:"bits"`
	// Seed is any number. Another seed gives other hashes, and so other collisions. Default 1.
	Seed uint64 `json:"seed"`
}

// DefaultOptions returns words in lower case with punctuation, uni- and bigrams, and 40 bits.
func DefaultOptions() Options {
	return Options{Families: Families{{Word, 1, 2}}, Lowercase: true, Punctuation: true, Bits: 40, Seed: 1}
}

// Validate reports the first field that is out of range.
func (o Options) Validate() error {
	families := o.Families.List()
	if len(families) == 0 {
		return errors.New("hashing: Options.Families must have one family of n-grams or more")
	}
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

// ByWord reports whether there are n-grams of CharWB, which may count by word ([Extractor.AppendByWord]).
func (o Options) ByWord() bool {
	all := o.Families.List()
	return len(all) > 0 && all[len(all)-1].Tokenizer == CharWB
}

// WithinWord reports whether a key, the kept bits of a hash, is that of an n-gram of CharWB.
func (o Options) WithinWord(key uint64) bool { return o.ByWord() && key&1 == 1 }

// String describes all options except Bits.
func (o Options) String() string {
	var families strings.Builder
	for k, f := range o.Families.List() {
		if k > 0 {
			families.WriteString(", ")
		}
		fmt.Fprintf(&families, "%s tokens, %d-%d-grams", f.Tokenizer, f.NgramLo, f.NgramHi)
	}
	return fmt.Sprintf("%s, lowercase %t, punctuation %t, strip-html %t, seed %d",
		&families, o.Lowercase, o.Punctuation, o.StripHTML, o.Seed)
}

// Diff names the first option other than Bits that differs from other's, with both values; "" if there is none.
func (o Options) Diff(other Options) (option string, value, others any) {
	for _, d := range []struct {
		option        string
		value, others any
	}{
		{"n-grams", o.Families, other.Families},
		{"lowercase", o.Lowercase, other.Lowercase},
		{"punctuation", o.Punctuation, other.Punctuation},
		{"strip-html", o.StripHTML, other.StripHTML},
		{"the seed", o.Seed, other.Seed},
	} {
		if d.value != d.others {
			return d.option, d.value, d.others
		}
	}
	return "", nil, nil
}
