package report

import (
	"bytes"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-167f963f/nbsvm/explain"
	"github.com/seed-167f963f/nbsvm/hashing"
)

// span is a part of a document's text. Level says what its n-grams add to the score of the answer: from -4, much
// against it, to 4.
type span struct {
	Text  string
	Level int
}

// Class is the style of the span; empty for plain text.
func (s span) Class() string {
	const digits = "01234"
	switch {
	case s.Level > 0:
		return "for" + digits[s.Level:s.Level+1]
	case s.Level < 0:
		return "against" + digits[-s.Level:1-s.Level]
	}
	return ""
}

// levels of highlighting on either side.
const levels = 4

// highlight cuts a text into spans, by what the n-grams add that lie over each part.
func highlight(text []byte, o hashing.Options, contributions []explain.Contribution) []span {
	margins := map[string]float64{}
	for _, c := range contributions {
		if c.Absent {
			continue
		}
		names := strings.Split(c.Name, " | ") // those of one bucket
		for _, name := range names {
			margins[name] = c.Margin / float64(len(names))
		}
	}
	added := make([]float64, len(text))
	for k, family := range o.Families() {
		prefix := ""
		if k > 0 {
			prefix = family.Tokenizer.String() + ":"
		}
		join := " "
		if family.Tokenizer.Characters() {
			join = ""
		}
		tokens := tokensOf(text, o, family)
		for i := range tokens {
			name := prefix
			for n := 1; n <= family.NgramHi && i+n <= len(tokens); n++ {
				if n > 1 {
					name += join
				}
				name += tokens[i+n-1].name
				margin, known := margins[name]
				if n < family.NgramLo || !known {
					continue
				}
				for _, t := range tokens[i : i+n] {
					for at := t.from; at < t.to; at++ {
						added[at] += margin / float64(n)
					}
				}
			}
		}
	}
	return spans(text, added)
}

// spans joins what is highlighted alike. The strongest part has the highest level.
func spans(text []byte, added []float64) (all []span) {
	most := 0.0
	for _, x := range added {
		most = max(most, math.Abs(x))
	}
	level := func(at int) int {
		if added[at] == 0 {
			return 0
		}
		return int(math.Copysign(math.Round(math.Abs(added[at])/most*levels), added[at]))
	}
	for from := 0; from < len(text); {
		to := from + 1
		for to < len(text) && (level(to) == level(from) || !utf8.RuneStart(text[to])) {
			to++
		}
		all = append(all, span{legible(string(text[from:to]), longestText), level(from)})
		from = to
	}
	return all
}

// token is where a token of a text stands, and what n-grams' names call it.
type token struct {
	name     string
	from, to int
}

// tokensOf finds where the tokens of a text stand. One that can't be found, because folding has changed it in an
// unusual way, is left out.
func tokensOf(text []byte, o hashing.Options, family hashing.Family) (tokens []token) {
	one := family
	one.NgramLo, one.NgramHi = 1, 1
	switch one.Tokenizer {
	case hashing.CharWB: // its n-grams are made of the tokens of Char
		one.Tokenizer = hashing.Char
	case hashing.VW:
		return nil // a feature's name is not what the text says
	}
	o, err := o.WithFamilies(one)
	if err != nil {
		return nil
	}
	extract, err := hashing.NewExtractor(o)
	if err != nil {
		return nil
	}
	at := 0
	for _, name := range extract.Ngrams(text) {
		if from, to := find(text, at, []rune(string(name)), o); from >= 0 {
			tokens = append(tokens, token{string(name), from, to})
			at = to
		}
	}
	return tokens
}

// farthest is how many bytes without a token there may be between two: a tag is no longer.
const farthest = 1100

// tag is what StripHTML drops.
var tag = regexp.MustCompile(`^<[A-Za-z/!][^>]{0,1000}>`)

// find finds the first place of a token from a byte on; from is -1 if there is none nearby. All that stands between two
// tokens is no part of any, so the first place is the right one.
func find(text []byte, at int, name []rune, o hashing.Options) (from, to int) {
	if o.Tokenizer.Characters() && len(name) == 1 && name[0] == ' ' { // a run of white space, or an end of the text
		rest := bytes.TrimLeftFunc(text[at:], func(r rune) bool { return unicode.IsSpace(r) || r == utf8.RuneError })
		return at, len(text) - len(rest)
	}
	for from = at; from < len(text) && from-at <= farthest; {
		if o.StripHTML && text[from] == '<' {
			if skipped := tag.Find(text[from:]); skipped != nil {
				from += len(skipped)
				continue
			}
		}
		if to = from + lengthOf(text[from:], name, o); to > from {
			return from, to
		}
		_, size := utf8.DecodeRune(text[from:])
		from += size
	}
	return -1, -1
}

// lengthOf is how many bytes of a text are the token that it begins with; 0 if it does not.
func lengthOf(text []byte, name []rune, o hashing.Options) (length int) {
	for _, want := range name {
		if length == len(text) {
			return 0
		}
		r, size := utf8.DecodeRune(text[length:])
		if o.Lowercase {
			if r = unicode.ToLower(r); r == 'ς' {
				r = 'σ'
			}
		}
		if o.Tokenizer == hashing.Word {
			if k := slices.Index(marks, r); k >= 0 {
				r = plainMarks[k]
			}
		}
		if r != want {
			return 0
		}
		length += size
	}
	return length
}

// What tokens of words have in place of typographic marks, see package hashing.
var (
	marks      = []rune("’“”„‟«»！？。．，、；：（）＂「」『』｡､｢｣")
	plainMarks = []rune(`'""""""!?..,,;:()"""""".,""`)
)
