package fasttext

import "math/bits"

// wordBits is how many numbers a word of a bitmap tells of.
const wordBits = 64

// bitmap is a set of numbers that also numbers its members: the count of members before every word of it tells where
// to find the row of one.
type bitmap struct {
	Words []uint64 // bit i%64 of word i/64
	Ranks []uint32 // members before word i/64
	Size  int      // number of members
}

// newBitmap returns an empty set of numbers below universe.
func newBitmap(universe uint64) *bitmap { return &bitmap{Words: make([]uint64, wordsOf(universe))} }

// wordsOf returns how many words the bitmap of a universe has.
func wordsOf(universe uint64) uint64 { return (universe + wordBits - 1) / wordBits }

// add puts a number into the set.
func (s *bitmap) add(i uint32) { s.Words[i/wordBits] |= 1 << (i % wordBits) }

// rank returns the number of a member.
func (s *bitmap) rank(i uint32) int {
	return int(s.Ranks[i/wordBits]) + bits.OnesCount64(s.Words[i/wordBits]&(1<<(i%wordBits)-1))
}

// index numbers the members, in ascending order from 0.
func (s *bitmap) index() {
	s.Ranks = make([]uint32, len(s.Words))
	n := 0
	for i, w := range s.Words {
		s.Ranks[i] = uint32(n)
		n += bits.OnesCount64(w)
	}
	s.Size = n
}
