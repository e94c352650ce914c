package hashing

import (
	"bytes"
	"iter"
)

// Ngrams yields the hashes that AppendHashes appends, in the same order, with the names of the n-grams: their tokens
// after folding, joined by spaces, or, if tokens are characters, by nothing. Names of families after the first begin
// with the tokenizer and a colon. A name is valid until the next. Ngrams does not add to InvalidBytes.
func (e *Extractor) Ngrams(doc []byte) iter.Seq2[uint64, []byte] {
	return func(yield func(uint64, []byte) bool) {
		for _, f := range e.families {
			if !f.each(doc, func(hash uint64, name []byte, _ []Span) bool { return yield(e.key(f, hash), name) }) {
				return
			}
		}
	}
}

// Span is a part of a document: its bytes from Begin up to End.
type Span struct{ Begin, End int }

// Spans yields the names that Ngrams yields, in the same order, with the parts of the document that are the tokens of
// the n-gram. A token of white space that stands for an end of the document is an empty part. Both are valid until the
// next.
func (e *Extractor) Spans(doc []byte) iter.Seq2[[]byte, []Span] {
	return func(yield func([]byte, []Span) bool) {
		for _, f := range e.families {
			if !f.each(doc, func(_ uint64, name []byte, tokens []Span) bool { return yield(name, tokens) }) {
				return
			}
		}
	}
}

// each yields the family's n-grams until yield says no; it returns what yield said last.
func (f *family) each(doc []byte, yield func(hash uint64, name []byte, tokens []Span) bool) bool {
	defer func(invalid int64) { f.invalid = invalid }(f.invalid)
	g := ngrams{
		keys: &f.keys, lo: f.NgramLo, hi: f.NgramHi, bounded: f.ngrams.bounded,
		boundary: f.ngrams.boundary,
	}
	g.start()
	joint, prefixed := f.joint(), []byte(f.prefix)
	var last []byte  // the last g.hi tokens, joined
	var starts []int // of these in last
	var spans []Span // of these in doc
	for c := newCursor(); ; {
		token := f.next(&c, doc)
		if token == nil {
			return true
		}
		longest := g.step(f.keys.token(token))
		if len(starts) == g.hi {
			cut := len(last)
			if g.hi > 1 {
				cut = starts[1]
			}
			last = last[:copy(last, last[cut:])]
			starts, spans = starts[:copy(starts, starts[1:])], spans[:copy(spans, spans[1:])]
			for i := range starts {
				starts[i] -= cut
			}
		}
		if len(starts) > 0 {
			last = append(last, joint...)
		}
		starts, spans = append(starts, len(last)), append(spans, Span{c.begin, c.pos})
		last = append(last, token...)
		for n := g.lo; n <= longest; n++ {
			name := last[starts[len(starts)-n]:]
			if f.prefix != "" {
				prefixed = append(prefixed[:len(f.prefix)], name...)
				name = prefixed
			}
			if !yield(g.last[n], name, spans[len(spans)-n:]) {
				return false
			}
		}
	}
}

// Spell returns the names of some n-grams of a document, given by their hashes; nil for those that the document does
// not have.
func (e *Extractor) Spell(doc []byte, hashes []uint64) [][]byte {
	wanted := make(map[uint64][]byte, len(hashes))
	for _, hash := range hashes {
		wanted[hash] = nil
	}
	missing := len(wanted)
	for hash, name := range e.Ngrams(doc) {
		if before, ok := wanted[hash]; ok && before == nil {
			wanted[hash] = bytes.Clone(name)
			if missing--; missing == 0 {
				break
			}
		}
	}
	names := make([][]byte, len(hashes))
	for k, hash := range hashes {
		names[k] = wanted[hash]
	}
	e.release()
	return names
}
