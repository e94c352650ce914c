package hashing

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// seen is the set of n-gram hashes of one long document, see batch: a table with open addressing.
// Where a hash's search begins is drawn anew for every Extractor, so that nobody
// can write a document whose n-grams all begin in one place, and which takes
// hours; the result does not depend on it. An entry is the ordinal of a hash among
// all that were ever entered; those up to base are of earlier documents and count
// as free, so that the table is cleared by moving base. An ordinal less base is
// the place of the hash among those of the document, where it can be compared.
type seen struct {
	entries []uint32
	mask    uint64 // part of entries in use, less one: small documents touch few
	secret  uint64 // odd
	shift   int    // leaves the bits of mask
	base    uint32
	used    uint32
}

func newSeen() seen { return seen{secret: rand.Uint64() | 1} }

// resize sets the part in use to a power of 2.
func (s *seen) resize(size uint64) {
	s.mask = size - 1
	s.shift = 64 - bits.Len64(s.mask)
}

// start begins a document of about so many n-grams.
func (s *seen) start(expected int) {
	s.base += s.used
	s.used = 0
	s.mask = 0
	// With less, long documents would grow the table several times; a table
	// that is not there yet grows as needed.
	if size := uint64(1) << bits.Len64(spare*uint64(expected)); size <= uint64(len(s.entries)) {
		s.resize(size)
	}
}

// spare is how many entries there are, at least, for one in use: few hashes then
// find their entry taken by another.
const spare = 4

// maxOrdinal leaves room for the ordinals of one block.
const maxOrdinal = math.MaxUint32 - blockTokens*MaxNgram

// reserve makes room for n more hashes, at most blockTokens·MaxNgram; hashes are
// those of the document so far.
func (s *seen) reserve(n int, hashes []uint64) {
	need := spare * (uint64(s.used) + uint64(n))
	if need <= s.mask+1 && uint64(s.base)+uint64(s.used) <= maxOrdinal {
		return
	}
	s.enter(max(uint64(1)<<bits.Len64(need-1), s.mask+1), hashes)
}

// enter enters the hashes of the document so far into another table of a size.
func (s *seen) enter(size uint64, hashes []uint64) {
	s.resize(size)
	switch {
	case s.used > maxOrdinal:
		panic("hashing: more than 4 billion distinct n-grams in one document")
	case uint64(len(s.entries)) < size:
		s.entries = make([]uint32, size)
		s.base = 0
	case uint64(s.base)+2*uint64(s.used) > maxOrdinal:
		clear(s.entries)
		s.base = 0
	default:
		s.base += s.used
	}
	for place, h := range hashes {
		i := h * s.secret >> s.shift
		for s.entries[i] > s.base {
			i = (i + 1) & s.mask
		}
		s.entries[i] = s.base + uint32(place) + 1
	}
}

// adopt begins a document of about so many n-grams, of which these are distinct.
func (s *seen) adopt(hashes []uint64, expected int) {
	s.start(expected)
	s.used = uint32(len(hashes))
	s.enter(max(uint64(1)<<bits.Len64(spare*uint64(s.used)), s.mask+1), hashes)
}

// count keeps of hashes[end:] those that are not in hashes[first:end], each once, in order, and counts them in
// counts[firstCount:]. hashes[first:end] are those entered.
func (s *seen) count(hashes []uint64, first, end int, counts []uint32, firstCount int) ([]uint64, []uint32) {
	s.reserve(len(hashes)-end, hashes[first:end])
	kept := hashes[first:]
	used, base, mask := uint64(s.used), s.base, s.mask
	entries, secret, shift := s.entries[:mask+1], s.secret, s.shift&63
	counts = append(counts, make([]uint32, len(hashes)-end)...)
	count := counts[firstCount:]
	for _, h := range hashes[end:] {
		// Whether a hash is new is hard to predict, so there is no branch on it:
		// it is written where it would be kept, and found there if it is new.
		kept[used] = h
		for i := h * secret >> shift; ; i++ {
			entry := &entries[i&uint64(len(entries)-1)]
			place, next := find(*entry, base, used)
			if kept[place] == h {
				*entry = base + uint32(place) + 1
				count[place]++
				used = next
				break
			}
		}
	}
	s.used = uint32(used)
	return hashes[:first+int(used)], counts[:firstCount+int(used)]
}

// find is the place of an entry's hash in the document, and the number of hashes
// if that is one of them. A free entry's place is the next one. Arithmetic, as
// the compiler would make branches of conditions.
func find(ordinal, base uint32, used uint64) (place, next uint64) {
	place = uint64(ordinal) - uint64(base) - 1
	free := place >> 63
	return place ^ (place^used)&-free, used + free
}

// release gives back the memory of a document much longer than usual.
func (s *seen) release() {
	if len(s.entries)*4 > keep {
		s.entries, s.base, s.used = nil, 0, 0
	}
}
