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
			if c.vw.turned() {
				g.start()
				last, starts = last[:0], starts[:0]
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
	if e.options.Tokenizer == VW { // n-grams begin anew with every namespace
		return e.spellAll(doc, hashes)
	}
	defer func(invalid int64) {
		e.invalid = invalid
		e.release()
	}(e.invalid)
	joint := " "
	if e.options.Tokenizer == Char {
		joint = ""
	}
	places := e.places(doc, hashes)
	order := make([]int, 0, len(places)) // of hashes, by first token
	for k, hash := range hashes {
		if places[hash].order > 0 {
			order = append(order, k)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return places[hashes[a]].first - places[hashes[b]].first })

	names := make([][]byte, len(hashes))
	token, c := 0, newCursor() // the cursor is before the token
	for _, k := range order {
		place := places[hashes[k]]
		for ; token < place.first; token++ {
			e.next(&c, doc)
		}
		ahead := c
		names[k] = slices.Clone(e.next(&ahead, doc))
		for range place.order - 1 {
			names[k] = append(append(names[k], joint...), e.next(&ahead, doc)...)
		}
	}
	return names
}

// place is where in a document an n-gram is: its first token and its order.
type place struct{ first, order int }

// places are the first places of some n-grams in the document; one that it does not have has order 0.
func (e *Extractor) places(doc []byte, hashes []uint64) map[uint64]place {
	places := make(map[uint64]place, len(hashes))
	var ends uint64 // the last six bits of the hashes, which keep most others from the map if there are few
	for _, hash := range hashes {
		places[hash] = place{}
		ends |= 1 << (hash % 64)
	}
	e.ngrams.start()
	c, passed := newCursor(), 0
	for missing := len(places); missing > 0; {
		n := e.scan(&c, doc)
		if n == 0 {
			break
		}
		e.hashes = e.ngrams.append(e.hashes[:0], e.tokens[:n])
		for k, hash := range e.hashes {
			if ends>>(hash%64)&1 == 0 {
				continue
			}
			if at, ok := places[hash]; ok && at.order == 0 {
				places[hash] = e.ngrams.place(passed + k)
				missing--
			}
		}
		passed += len(e.hashes)
	}
	return places
}

// place is where the n-gram is that comes k-th, from 0, of a document's.
func (g *ngrams) place(k int) place {
	last := g.lo - 1 // token
	for ; last < g.hi-1; last++ {
		here := last - g.lo + 2
		if k < here {
			return place{last - (g.lo + k) + 1, g.lo + k}
		}
		k -= here
	}
	orders := g.hi - g.lo + 1
	order := g.lo + k%orders
	return place{last + k/orders - order + 1, order}
}

// spellAll is Spell by Ngrams.
func (e *Extractor) spellAll(doc []byte, hashes []uint64) [][]byte {
	names := make([][]byte, len(hashes))
	wanted := make(map[uint64][]byte, len(hashes))
	for _, hash := range hashes {
		wanted[hash] = nil
	}
	for hash, name := range e.Ngrams(doc) {
		if before, ok := wanted[hash]; ok && before == nil {
			wanted[hash] = slices.Clone(name)
		}
	}
	for k, hash := range hashes {
		names[k] = wanted[hash]
	}
	return names
}
