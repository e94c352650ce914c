package tag

import (
	"unicode"
	"unicode/utf8"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
)

// Hashes of attributes that a word doesn't have, and of the places around a sentence.
const (
	none    = 0
	outside = 0x9e3779b97f4a7c15
)

// extractor makes the features of sentences. It is for one goroutine.
type extractor struct {
	t      *templates
	hashes []uint64 // of the distinct attributes of each word of the sentence
	lower  []byte
	kinds  []rune // of its characters
	ends   []int  // of the first runes of a word
	begins []int  // of its last, the last first
	keys   []uint64
}

func newExtractor(t *templates) *extractor { return &extractor{t: t} }

// sentence computes the attributes of all words.
func (x *extractor) sentence(s *Sentence) {
	x.hashes = x.hashes[:0]
	for i, word := range s.Words {
		x.affixes(word)
		x.lower = appendLower(x.lower[:0], word)
		for _, a := range x.t.distinct {
			x.hashes = append(x.hashes, x.attribute(s, i, word, a))
		}
	}
}

// affixes finds where the first and the last runes of a word end and begin.
func (x *extractor) affixes(word []byte) {
	x.ends, x.begins = x.ends[:0], x.begins[:0]
	for at := 0; at < len(word) && len(x.ends) < x.t.affix; {
		_, n := utf8.DecodeRune(word[at:])
		at += n
		x.ends = append(x.ends, at)
	}
	for at := len(word); at > 0 && len(x.begins) < x.t.affix; {
		_, n := utf8.DecodeLastRune(word[:at])
		at -= n
		x.begins = append(x.begins, at)
	}
}

// attribute returns the hash of a word's attribute; none if the word lacks it.
func (x *extractor) attribute(s *Sentence, i int, word []byte, a attribute) uint64 {
	h := uint64(fnvBasis)
	if a.kind == 'x' {
		x.kinds = appendShape(x.kinds[:0], word)
		for _, r := range x.kinds {
			h = (h ^ uint64(r)) * fnvPrime
		}
		return kernels.Mix(h)
	}
	var text []byte
	switch a.kind {
	case 'w':
		text = word
	case 'l':
		text = x.lower
	case 'p':
		if len(x.ends) < a.length {
			return none
		}
		text = word[:x.ends[a.length-1]]
	case 's':
		if len(x.begins) < a.length {
			return none
		}
		text = word[x.begins[a.length-1]:]
	default:
		text = s.column(i, a.length)
	}
	return kernels.Mix(hashBytes(h, text))
}

// word returns the keys of a word's features, valid until the next call.
func (x *extractor) word(i, words int) []uint64 {
	x.keys = x.keys[:0]
next:
	for k := range x.t.list {
		t := &x.t.list[k]
		key := t.seed
		for _, a := range t.attributes {
			h := uint64(outside)
			if at := i + a.offset; at < 0 {
				h += uint64(at)
			} else if at >= words {
				h += uint64(at - words + 1)
			} else if h = x.hashes[at*len(x.t.distinct)+a.index]; h == none {
				continue next
			}
			key = kernels.Mix(key ^ h)
		}
		x.keys = append(x.keys, key)
	}
	return x.keys
}

// appendLower appends a word in lower case.
func appendLower(dst, word []byte) []byte {
	for at := 0; at < len(word); {
		c := word[at]
		if c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			dst = append(dst, c)
			at++
			continue
		}
		r, n := utf8.DecodeRune(word[at:])
		if r == utf8.RuneError && n == 1 { // not UTF-8: kept
			dst = append(dst, c)
		} else {
			dst = utf8.AppendRune(dst, unicode.ToLower(r))
		}
		at += n
	}
	return dst
}

// appendShape appends the kinds of characters that follow each other: X for capitals, x for small letters, d for
// digits, others as they are. Repeated ones count once.
func appendShape(dst []rune, word []byte) []rune {
	before := rune(-1)
	for at := 0; at < len(word); {
		r, n := rune(word[at]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRune(word[at:])
		}
		at += n
		switch {
		case unicode.IsUpper(r):
			r = 'X'
		case unicode.IsLetter(r):
			r = 'x'
		case unicode.IsDigit(r):
			r = 'd'
		}
		if r != before {
			dst, before = append(dst, r), r
		}
	}
	return dst
}
