package hashing

import (
	"iter"
	"slices"
)

// Ngrams yields the hashes that AppendHashes appends, in the same order, with the names of the n-grams: their tokens
// after folding, joined by spaces, or, if tokens are characters, by nothing. Names of families after the first begin with
// the tokenizer and a colon. A name is valid until the next. Ngrams does not add to InvalidBytes.
func (e *Extractor) Ngrams(doc []byte) iter.Seq2[uint64, []byte] {
	return func(yield func(uint64, []byte) bool) {
		for _, f := range e.families {
			if !f.each(doc, yield) {
				return
			}
		}
	}
}

// each yields the family's n-grams until yield says no; it returns what yield said last.
func (f *family) each(doc []byte, yield func(uint64, []byte) bool) bool {
	defer func(invalid int64) { f.invalid = invalid }(f.invalid)
	g := ngrams{keys: &f.keys, lo: f.options.NgramLo, hi: f.options.NgramHi, bounded: f.ngrams.bounded, boundary: f.ngrams.boundary}
	g.start()
	joint, prefixed := f.joint(), []byte(f.prefix)
	var last []byte  // the last g.hi tokens, joined
	var starts []int // of these in last
	for c := newCursor(); ; {
		token := f.next(&c, doc)
		if token == nil {
			return true
		}
		if c.vw.turned() {
			g.start()
			last, starts = last[:0], starts[:0]
		}
		longest := g.step(f.keys.token(token))
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
		for n := g.lo; n <= longest; n++ {
			name := last[starts[len(starts)-n]:]
			if f.prefix != "" {
				prefixed = append(prefixed[:len(f.prefix)], name...)
				name = prefixed
			}
			if !yield(g.last[n], name) {
				return false
			}
		}
	}
}

// Spell returns the names of some n-grams of a document, given by their hashes; nil for those that the document does not
// have. If they are few, it is faster than Ngrams.
func (e *Extractor) Spell(doc []byte, hashes []uint64) [][]byte {
	names := make([][]byte, len(hashes))
	for _, f := range e.families {
		f.spell(doc, hashes, names)
	}
	e.release()
	return names
}

// spell fills in the names of the family's n-grams among hashes.
func (f *family) spell(doc []byte, hashes []uint64, names [][]byte) {
	if f.options.Tokenizer == VW || f.ngrams.bounded { // n-grams begin anew within a document
		f.spellAll(doc, hashes, names)
		return
	}
	defer func(invalid int64) { f.invalid = invalid }(f.invalid)
	places := f.places(doc, hashes)
	order := make([]int, 0, len(places)) // of hashes, by first token
	for k, hash := range hashes {
		if places[hash].order > 0 {
			order = append(order, k)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return places[hashes[a]].first - places[hashes[b]].first })

	token, c := 0, newCursor() // the cursor is before the token
	for _, k := range order {
		place := places[hashes[k]]
		for ; token < place.first; token++ {
			f.next(&c, doc)
		}
		ahead := c
		names[k] = append([]byte(f.prefix), f.next(&ahead, doc)...)
		for range place.order - 1 {
			names[k] = append(append(names[k], f.joint()...), f.next(&ahead, doc)...)
		}
	}
}

// place is where in a document an n-gram is: its first token and its order.
type place struct{ first, order int }

// places are the first places of some n-grams in the document; one that it does not have has order 0.
func (f *family) places(doc []byte, hashes []uint64) map[uint64]place {
	places := make(map[uint64]place, len(hashes))
	var ends uint64 // the last six bits of the hashes, which keep most others from the map if there are few
	for _, hash := range hashes {
		places[hash] = place{}
		ends |= 1 << (hash % 64)
	}
	f.ngrams.start()
	c, passed := newCursor(), 0
	for missing := len(places); missing > 0; {
		n := f.scan(&c, doc)
		if n == 0 {
			break
		}
		f.hashes = f.ngrams.append(f.hashes[:0], f.tokens[:n])
		for k, hash := range f.hashes {
			if ends>>(hash%64)&1 == 0 {
				continue
			}
			if at, ok := places[hash]; ok && at.order == 0 {
				places[hash] = f.ngrams.place(passed + k)
				missing--
			}
		}
		passed += len(f.hashes)
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

// spellAll is spell by all the names of the document.
func (f *family) spellAll(doc []byte, hashes []uint64, names [][]byte) {
	wanted := make(map[uint64][]byte, len(hashes))
	for _, hash := range hashes {
		wanted[hash] = nil
	}
	f.each(doc, func(hash uint64, name []byte) bool {
		if before, ok := wanted[hash]; ok && before == nil {
			wanted[hash] = slices.Clone(name)
		}
		return true
	})
	for k, hash := range hashes {
		if name := wanted[hash]; name != nil {
			names[k] = name
		}
	}
}
