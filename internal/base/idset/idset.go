// Package idset holds sets of feature ids that also number their members.
package idset

import (
	"iter"
	"math/bits"
	"sort"
)

// WordBits is how many ids a word of a bitmap tells of.
const WordBits = 64

// Set is a set of ids that numbers its members in ascending order: a bitmap, and
// the count of members before every word of it. The zero value is empty. Add may be called
// until Index, all else after it, also from several goroutines at once.
//
// Counts before every eighth word, a cache line, would need an eighth of their
// memory, but a lookup took four times as long: the number of words to be summed
// up is nothing that a processor can foresee.
//
// A set that FromMembers made has no bitmap: few members of a large universe take less as a list.
type Set struct {
	Words []uint64 // bit id%64 of word id/64
	Ranks []uint32 // members before word id/64
	Size  int      // number of members

	members []uint32 // instead of Words and Ranks, ascending
	starts  []uint32 // places in members of the first for every id>>shift, and the end
	shift   int
}

// FromMembers returns the set of some ids, which ascend and are below universe. It keeps them.
func FromMembers(members []uint32, universe uint64) *Set {
	s := &Set{Size: len(members), members: members}
	if members == nil {
		s.members = []uint32{}
	}
	s.shift = max(0, bits.Len64(universe)-bits.Len(uint(len(members)))) // about a member each
	s.starts = make([]uint32, universe>>s.shift+2)
	for _, id := range members {
		s.starts[id>>s.shift+1]++
	}
	for i := 1; i < len(s.starts); i++ {
		s.starts[i] += s.starts[i-1]
	}
	return s
}

// Listed says whether the set has a list of members instead of a bitmap.
func (s *Set) Listed() bool { return s.members != nil }

// Bitmap is a set of the same ids that has a bitmap: s itself if that has one.
func (s *Set) Bitmap(universe uint64) *Set {
	if !s.Listed() {
		return s
	}
	b := New(universe)
	for _, id := range s.members {
		b.Add(id)
	}
	b.Index()
	return b
}

// New returns an empty set of ids below universe.
func New(universe uint64) *Set { return &Set{Words: make([]uint64, WordsOf(universe))} }

// WordsOf is how many words the bitmap of a universe has.
func WordsOf(universe uint64) uint64 { return (universe + WordBits - 1) / WordBits }

// Add puts an id into the set, and says whether it was there.
func (s *Set) Add(id uint32) (twice bool) {
	word, bit := &s.Words[id/WordBits], uint64(1)<<(id%WordBits)
	twice = *word&bit != 0
	*word |= bit
	return twice
}

// Index numbers the members, in ascending order from 0.
func (s *Set) Index() {
	s.Ranks = make([]uint32, len(s.Words))
	n := 0
	for i, w := range s.Words {
		s.Ranks[i] = uint32(n)
		n += bits.OnesCount64(w)
	}
	s.Size = n
}

// Rank returns the number of a member. Any other id is none.
func (s *Set) Rank(id uint32) (rank int, ok bool) {
	if s.Listed() {
		i := int(id >> s.shift)
		if i >= len(s.starts)-1 {
			return 0, false
		}
		for rank := int(s.starts[i]); rank < int(s.starts[i+1]); rank++ {
			if s.members[rank] == id {
				return rank, true
			}
		}
		return 0, false
	}
	i, bit := int(id/WordBits), uint64(1)<<(id%WordBits)
	if i >= len(s.Words) || s.Words[i]&bit == 0 {
		return 0, false
	}
	return int(s.Ranks[i]) + bits.OnesCount64(s.Words[i]&(bit-1)), true
}

// Touch loads what Rank will look at for each of the ids, so that their cache misses
// overlap where many are looked up. The sum of what it finds is of no use, but
// without it the compiler would leave the loads out.
//
//go:noinline
func (s *Set) Touch(ids []uint32) (sum uint64) {
	for _, id := range ids {
		if i := int(id / WordBits); i < len(s.Words) {
			sum += s.Words[i] + uint64(s.Ranks[i])
		} else if i := int(id >> s.shift); i < len(s.starts) {
			sum += uint64(s.starts[i])
		}
	}
	return sum
}

// All yields the members, ascending, with their numbers.
func (s *Set) All() iter.Seq2[int, uint32] { return s.from(0, max(s.Size, len(s.Words)*WordBits), 0) }

// Between yields the members of the numbers from lo to hi-1, ascending.
func (s *Set) Between(lo, hi int) iter.Seq2[int, uint32] {
	word := sort.Search(len(s.Ranks), func(i int) bool { return int(s.Ranks[i]) > lo }) - 1 // that which lo is in
	return s.from(lo, hi, max(word, 0))
}

// from is Between; the member lo is in the word, or a later one.
func (s *Set) from(lo, hi, word int) iter.Seq2[int, uint32] {
	return func(yield func(rank int, id uint32) bool) {
		if s.Listed() {
			for rank := lo; rank < hi; rank++ {
				if !yield(rank, s.members[rank]) {
					return
				}
			}
			return
		}
		rank := 0
		if word > 0 {
			rank = int(s.Ranks[word])
		}
		for i := word; i < len(s.Words) && rank < hi; i++ {
			for w := s.Words[i]; w != 0 && rank < hi; w &= w - 1 {
				if rank >= lo && !yield(rank, uint32(i*WordBits+bits.TrailingZeros64(w))) {
					return
				}
				rank++
			}
		}
	}
}
