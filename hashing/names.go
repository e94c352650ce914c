package hashing

import (
	"iter"
	"slices"
)

// Ngrams yields what AppendHashes appends, in the same order, with the n-grams'
// names: their tokens after folding, joined by spaces, those of the char tokenizer
// by nothing. A name is valid until the next one. It is meant for dictionaries and
// explanations, and does not count into InvalidBytes.
func (e *Extractor) Ngrams(doc []byte) iter.Seq2[uint64, []byte] {
	return func(yield func(uint64, []byte) bool) {
		g := ngrams{keys: &e.keys, lo: e.options.NgramLo, hi: e.options.NgramHi}
		joint := " "
		if e.options.Tokenizer == Char {
			joint = ""
		}
		var last []byte  // the last g.hi tokens, joined
		var starts []int // of these in last
		for c := newCursor(); ; {
			before := e.invalid
			token := e.next(&c, doc)
			e.invalid = before
			if token == nil {
				return
			}
			g.step(e.keys.token(token))
			if len(starts) == g.hi {
				cut := len(last)
				if g.hi > 1 {
					cut = starts[1]
				}
				last = last[:copy(last, last[cut:])]
				starts = starts[:copy(starts, starts[1:])]
				for i := range starts {
					starts[i] -= cut
				}
			}
			if len(starts) > 0 {
				last = append(last, joint...)
			}
			starts = append(starts, len(last))
			last = append(last, token...)
			for n := g.lo; n <= g.seen; n++ {
				if !yield(g.last[n], last[starts[len(starts)-n]:]) {
					return
				}
			}
		}
	}
}

// Spell returns the names of some n-grams of the document, given by their hashes, as Ngrams has them; nil for one
// that the document does not have. It is faster than Ngrams where these are few: it only steps over other tokens.
func (e *Extractor) Spell(doc []byte, hashes []uint64) [][]byte {
	before := e.invalid
	defer func() {
		if e.invalid = before; 8*cap(e.hashes) > keep {
			e.hashes = nil
		}
	}()
	e.hashes = e.AppendHashes(e.hashes[:0], doc)
	joint := " "
	if e.options.Tokenizer == Char {
		joint = ""
	}
	names := make([][]byte, len(hashes))
	for k, hash := range hashes {
		place := slices.Index(e.hashes, hash)
		if place < 0 {
			continue
		}
		first, order := e.ngrams.at(place)
		c := newCursor()
		for range first {
			e.next(&c, doc)
		}
		names[k] = slices.Clone(e.next(&c, doc))
		for range order - 1 {
			names[k] = append(append(names[k], joint...), e.next(&c, doc)...)
		}
	}
	return names
}

// at is the first token and the order of the n-gram that comes at a place of a document's.
func (g *ngrams) at(place int) (first, order int) {
	last := g.lo - 1 // token
	for ; last < g.hi-1; last++ {
		if here := last - g.lo + 2; place >= here {
			place -= here
		} else {
			return last - (g.lo + place) + 1, g.lo + place
		}
	}
	orders := g.hi - g.lo + 1
	order = g.lo + place%orders
	return last + place/orders - order + 1, order
}
