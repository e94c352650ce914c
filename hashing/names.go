package hashing

import "iter"

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
