// Package idset holds sets of feature ids as bitmaps that also number their
// members: one bit an id, and the count of members before each 64-bit word.
package idset

import (
	"iter"
	"math/bits"
)

// Set is a set of ids below Universe. Add may be called until Index; Rank and
// Len after it.
type Set struct {
	words  []uint64
	before []uint32
}

// New returns an empty set of ids below universe.
func New(universe uint64) *Set { return &Set{words: make([]uint64, (universe+63)/64)} }

// Add puts an id into the set.
func (s *Set) Add(id uint32) { s.words[id/64] |= 1 << (id % 64) }

// Index numbers the members, in ascending order from 0.
func (s *Set) Index() {
	s.before = make([]uint32, len(s.words)+1)
	for i, w := range s.words {
		s.before[i+1] = s.before[i] + uint32(bits.OnesCount64(w))
	}
}

// Len is the number of members.
func (s *Set) Len() int { return int(s.before[len(s.words)]) }

// Rank returns the number of an id, if it is a member; ids at or above the
// universe are none.
func (s *Set) Rank(id uint32) (rank uint32, ok bool) {
	i := id / 64
	if int(i) >= len(s.words) || s.words[i]>>(id%64)&1 == 0 {
		return 0, false
	}
	return s.before[i] + uint32(bits.OnesCount64(s.words[i]&(1<<(id%64)-1))), true
}

// All yields the members in ascending order.
func (s *Set) All() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for i, w := range s.words {
			for ; w != 0; w &= w - 1 {
				if !yield(uint32(i*64 + bits.TrailingZeros64(w))) {
					return
				}
			}
		}
	}
}
