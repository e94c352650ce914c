package hashing

import (
	"iter"
	"strings"
)

// Ngrams yields what AppendHashes appends, in the same order, with the n-grams'
// names: their tokens after folding, joined by spaces, those of the char tokenizer
// by nothing. It allocates, and is meant for dictionaries and explanations. It does
// not count into InvalidBytes.
func (e *Extractor) Ngrams(doc []byte) iter.Seq2[uint64, string] {
	return func(yield func(uint64, string) bool) {
		g := ngrams{keys: &e.keys, lo: e.options.NgramLo, hi: e.options.NgramHi}
		joint := " "
		if e.options.Tokenizer == Char {
			joint = ""
		}
		var tokens []string // the last g.hi
		for c := newCursor(); ; {
			before := e.invalid
			token := e.next(&c, doc)
			e.invalid = before
			if token == nil {
				return
			}
			g.step(e.keys.token(token))
			if len(tokens) == g.hi {
				tokens = append(tokens[:0], tokens[1:]...)
			}
			tokens = append(tokens, string(token))
			for n := g.lo; n <= g.seen; n++ {
				if !yield(g.last[n], strings.Join(tokens[len(tokens)-n:], joint)) {
					return
				}
			}
		}
	}
}
