package fasttext

import "math/bits"

// wordBits is how many numbers a word of a bitmap tells of.
const wordBits = 64

// bitmap is a set of buckets that also numbers its members: the count of members before every word of it tells where
// to find the row of one.
type bitmap struct {
	words []uint64 // bit i%64 of word i/64
	ranks []uint32 // members before word i/64
	size  int      // number of members
}

// newBitmap returns the set of the buckets that n-grams are in, of so many.
func newBitmap(buckets int64, ngrams []keptNgram) *bitmap {
	words := (buckets + wordBits - 1) / wordBits
	s := &bitmap{words: make([]uint64, words), ranks: make([]uint32, words)}
	for _, k := range ngrams {
		s.words[k.Bucket/wordBits] |= 1 << (k.Bucket % wordBits)
	}
	for i, w := range s.words {
		s.ranks[i] = uint32(s.size)
		s.size += bits.OnesCount64(w)
	}
	return s
}
