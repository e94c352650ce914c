package hashing

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// seen is the set of n-gram hashes of one document: a table with open addressing. An entry is the place of a hash among
// those of the document, from 1; 0 is free.
//
// Where a hash's search begins is drawn anew for every Extractor, so that nobody can write a document whose n-grams all
// begin in one place, and which takes hours; the result does not depend on it.
type seen struct {
	entries []uint32 // of which a power of 2 are in use
	secret  uint64   // odd
	used    uint32
}

func newSeen() seen { return seen{secret: rand.Uint64() | 1} }

// spare is how many entries there are, at least, for one in use: few hashes then find their entry taken by another. A
// table that is larger than the cache has half as many.
const spare = 4

// entriesFor returns the minimum number of entries of a table for n hashes.
func entriesFor(n int) int {
	if n > mostExpected {
		return spare / 2 * n
	}
	return spare * n
}

// start begins a document of about so many n-grams, of which these are distinct and the first.
func (s *seen) start(hashes []uint64, expected int) {
	s.used = uint32(len(hashes))
	s.enter(max(len(hashes), expected), hashes)
}

// enter enters the hashes of the document so far into a table for n of them.
func (s *seen) enter(n int, hashes []uint64) {
	size := 1 << bits.Len64(uint64(entriesFor(max(n, 1))))
	if cap(s.entries) < size {
		s.entries = make([]uint32, size)
	} else {
		s.entries = s.entries[:size]
		clear(s.entries)
	}
	mask, shift := uint64(size-1), s.shift()
	for place, h := range hashes {
		i := h * s.secret >> shift
		for s.entries[i] != 0 {
			i = (i + 1) & mask
		}
		s.entries[i] = uint32(place) + 1
	}
}

// shift leaves as many bits of a product as a place in the table has.
func (s *seen) shift() int { return 65 - bits.Len(uint(len(s.entries))) }

// count keeps of hashes[end:] those that are not in hashes[first:end], each once, in order, and counts them in
// counts[firstCount:]. hashes[first:end] are those entered.
func (s *seen) count(hashes []uint64, first, end int, counts []uint32, firstCount int) ([]uint64, []uint32) {
	most := len(hashes) - first
	if uint64(most) >= math.MaxUint32 {
		panic("hashing: more than 4 billion distinct n-grams in one document")
	}
	if entriesFor(most) > len(s.entries) {
		s.enter(most, hashes[first:end])
	}
	kept := hashes[first:]
	used, entries, secret, shift := uint64(s.used), s.entries, s.secret, s.shift()&63
	counts = appendZeros(counts, len(hashes)-end)
	count := counts[firstCount:]
	for _, h := range hashes[end:] {
		// Whether a hash is new is hard to predict, so there is no branch on it: it is written where it would be kept,
		// and found there if it is new.
		kept[used] = h
		for i := h * secret >> shift; ; i++ {
			entry := &entries[i&uint64(len(entries)-1)]
			place := uint64(*entry) - 1
			free := place >> 63
			place ^= (place ^ used) & -free
			if kept[place] == h {
				*entry = uint32(place) + 1
				count[place]++
				used += free
				break
			}
		}
	}
	s.used = uint32(used)
	return hashes[:first+int(used)], counts[:firstCount+int(used)]
}

// release gives back the memory of a document much longer than usual.
func (s *seen) release() {
	if 4*cap(s.entries) > keep {
		s.entries = nil
	}
}

// appendZeros returns append(counts, make([]uint32, n)...), which allocates the zeros under the race detector.
func appendZeros(counts []uint32, n int) []uint32 {
	all := slices.Grow(counts, n)[:len(counts)+n]
	clear(all[len(counts):])
	return all
}
