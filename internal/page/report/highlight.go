package report

import (
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

// farthest is how many bytes without a token there may be between two: a tag is no longer.
const farthest = 1100

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
	folded, starts := fold(text, o)
	at := 0
	for _, name := range extract.Ngrams(text) {
		from, to, found := find(folded, at, []rune(string(name)), one.Tokenizer)
		if !found {
			continue
		}
		tokens = append(tokens, token{string(name), starts[from], starts[to]})
		at = to
	}
	return tokens
}

// fold is a text as tokens see it, rune by rune, and where each begins.
func fold(text []byte, o hashing.Options) (folded []rune, starts []int) {
	for at := 0; at < len(text); {
		if tag := tagLength(text[at:]); o.StripHTML && tag > 0 {
			folded, starts = append(folded, ' '), append(starts, at)
			at += tag
			continue
		}
		r, size := utf8.DecodeRune(text[at:])
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
		folded, starts = append(folded, r), append(starts, at)
		at += size
	}
	return folded, append(starts, len(text))
}

// tag is what StripHTML drops.
var tag = regexp.MustCompile(`^<[A-Za-z/!][^>]*>`)

// tagLength is the length of the tag that a text begins with; 0 without one.
func tagLength(text []byte) int {
	if text[0] != '<' {
		return 0
	}
	return len(tag.Find(text[:min(len(text), 1<<10)]))
}

// What tokens of words have in place of typographic marks, see package hashing.
var (
	marks      = []rune("’“”„‟«»！？。．，、；：（）＂「」『』｡､｢｣")
	plainMarks = []rune(`'""""""!?..,,;:()"""""".,""`)
)

// find finds a token from a rune on.
func find(text []rune, at int, name []rune, tokenizer hashing.Tokenizer) (from, to int, found bool) {
	if tokenizer.Characters() && len(name) == 1 && name[0] == ' ' { // a run of white space, or an end of the text
		for to = at; to < len(text) && (unicode.IsSpace(text[to]) || text[to] == utf8.RuneError); to++ {
		}
		return at, to, true
	}
	for from = at; from+len(name) <= len(text) && from-at <= farthest; from++ {
		to = from + len(name)
		if slices.Equal(text[from:to], name) && (tokenizer != hashing.Word || whole(text, from, to)) {
			return from, to, true
		}
	}
	return 0, 0, false
}

// whole says that a word is not part of a longer one, in scripts that have spaces.
func whole(text []rune, from, to int) bool {
	return (from == 0 || !joined(text[from-1], text[from])) && (to == len(text) || !joined(text[to-1], text[to]))
}

func joined(a, b rune) bool { return wordly(a) && wordly(b) }

// wordly says that a rune is part of words of several.
func wordly(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Nl) &&
		!unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
