package hashing

import (
	"sync"
	"unicode"
	"unicode/utf8"
)

// class is the class of a code point for the word tokenizer.
type class uint8

const (
	separator  class = iota
	white            // a separator; to the char tokenizer, a space
	letter           // or digit
	mark             // continues a token, never begins one
	alone            // a character of a script written without spaces
	apostrophe       // within a word if a letter follows
	punct            // a punctuation mark; see punctuation
)

// solo are the scripts whose characters are tokens, soloCommon characters of them
// that Unicode counts as common to several scripts.
var (
	solo = []*unicode.RangeTable{
		unicode.Han, unicode.Hiragana, unicode.Katakana,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
	}
	soloCommon = &unicode.RangeTable{R16: []unicode.Range16{
		{0x3006, 0x3006, 1}, // closing mark
		{0x3031, 0x3035, 1}, // kana repeat marks
		{0x303c, 0x303c, 1}, // masu mark
		{0x30fc, 0x30fc, 1}, // prolonged sound mark
		{0xff70, 0xff70, 1}, // the same, half width
		{0xff9e, 0xff9f, 1}, // voiced sound marks, half width
	}}
)

const ellipsis = '…'

// punctuation maps the marks that are tokens to the ones they count as.
var punctuation = map[rune]rune{
	'!': '!', '?': '?', '.': '.', ',': ',', ';': ';', ':': ':', '(': '(', ')': ')', '"': '"',
	ellipsis: ellipsis,
	'“':      '"', '”': '"', '„': '"', '‟': '"', '«': '"', '»': '"',
	'！': '!', '？': '?', '。': '.', '．': '.', '，': ',', '、': ',', '；': ';', '：': ':',
	'（': '(', '）': ')', '＂': '"', '「': '"', '」': '"', '『': '"', '』': '"',
	'｡': '.', '､': ',', '｢': '"', '｣': '"',
}

// classify returns the class of any code point, by the definition.
func classify(r rune) class {
	switch {
	case r == '\'' || r == '’':
		return apostrophe
	case unicode.IsMark(r):
		return mark
	case unicode.IsLetter(r) || unicode.In(r, unicode.Nd, unicode.Nl):
		if unicode.In(r, solo...) || unicode.Is(soloCommon, r) {
			return alone
		}
		return letter
	case unicode.IsSpace(r):
		return white
	}
	if _, ok := punctuation[r]; ok {
		return punct
	}
	return separator
}

// fold returns the lower case of a code point.
func fold(r rune) rune {
	if r == 'ς' {
		return 'σ'
	}
	return unicode.ToLower(r)
}

// dot is the mark that is dropped after an i.
const dot = '\u0307'

// plane holds classify and fold of the code points below 0x10000, which are most
// of all text.
type plane struct {
	class [1 << 16]class
	fold  [1 << 16]uint16
}

// basic is built from the range tables, which is a hundred times faster than
// asking for each code point.
var basic = sync.OnceValue(func() *plane {
	p := &plane{}
	set := func(t *unicode.RangeTable, to func(class) class) {
		for _, s := range t.R16 {
			for r := uint32(s.Lo); r <= uint32(s.Hi); r += uint32(s.Stride) {
				p.class[r] = to(p.class[r])
			}
		}
	}
	become := func(c class) func(class) class { return func(class) class { return c } }
	set(unicode.White_Space, become(white))
	for _, t := range []*unicode.RangeTable{unicode.L, unicode.Nd, unicode.Nl} {
		set(t, become(letter))
	}
	for _, t := range append([]*unicode.RangeTable{soloCommon}, solo...) {
		set(t, func(c class) class {
			if c == letter {
				return alone
			}
			return c
		})
	}
	set(unicode.M, become(mark))
	for r := range punctuation {
		p.class[r] = punct
	}
	p.class['\''], p.class['’'] = apostrophe, apostrophe

	for r := range p.fold {
		p.fold[r] = uint16(r)
	}
	for _, s := range unicode.CaseRanges {
		for r := s.Lo; r <= s.Hi && r < 1<<16; r++ {
			p.fold[r] = uint16(fold(rune(r)))
		}
	}
	return p
})

func (p *plane) classOf(r rune) class {
	if uint32(r) < uint32(len(p.class)) {
		return p.class[r]
	}
	return classify(r)
}

func (p *plane) foldOf(r rune) rune {
	if uint32(r) < uint32(len(p.fold)) {
		return rune(p.fold[r])
	}
	return fold(r)
}

// invalid reports whether utf8.DecodeRune found a byte that is not UTF-8.
func invalid(r rune, size int) bool { return r == utf8.RuneError && size == 1 }
