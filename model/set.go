package model

import (
	"fmt"
	"iter"
	"math/bits"
)

// Set is a set of ids that numbers its members in ascending order: a bitmap, and
// the count of members before every word of it. The zero value is empty. It may
// be used concurrently.
//
// Counts before every eighth word, a cache line, would need an eighth of their
// memory, but a lookup took four times as long: the number of words to be summed
// up is nothing that a processor can foresee.
type Set struct {
	words []uint64 // bit id%64 of word id/64
	ranks []uint32 // members before word id/64
	n     int
}

const wordBits = 64

// NewSet makes the set of the given ids, which must be distinct and less than
// universe, at most [maxUniverse].
func NewSet(universe uint64, ids []uint32) (Set, error) {
	if universe > maxUniverse {
		return Set{}, fmt.Errorf("model: a universe of %d ids: at most %d are possible", universe, uint64(maxUniverse))
	}
	s := Set{
		words: make([]uint64, wordsOf(universe)),
		ranks: make([]uint32, wordsOf(universe)),
		n:     len(ids),
	}
	for _, id := range ids {
		if uint64(id) >= universe {
			return Set{}, fmt.Errorf("model: id %d is outside the universe of %d ids", id, universe)
		}
		word, bit := &s.words[id/wordBits], uint64(1)<<(id%wordBits)
		if *word&bit != 0 {
			return Set{}, fmt.Errorf("model: id %d is there twice: ids must be distinct", id)
		}
		*word |= bit
	}
	n := 0
	for i, w := range s.words {
		s.ranks[i] = uint32(n)
		n += bits.OnesCount64(w)
	}
	return s, nil
}

func wordsOf(universe uint64) uint64 { return (universe + wordBits - 1) / wordBits }

// Len is the number of members.
func (s *Set) Len() int { return s.n }

// Row returns the number of a member, from 0 to Len-1. Any other id is none.
func (s *Set) Row(id uint32) (row int, ok bool) {
	i, bit := int(id/wordBits), uint64(1)<<(id%wordBits)
	if i >= len(s.words) || s.words[i]&bit == 0 {
		return 0, false
	}
	return int(s.ranks[i]) + bits.OnesCount64(s.words[i]&(bit-1)), true
}

// Touch loads what Row will look at for each of the ids, so that their cache misses
// overlap where many are looked up. The sum of what it finds is of no use, but
// without it the compiler would leave the loads out.
//
//go:noinline
func (s *Set) Touch(ids []uint32) (sum uint64) {
	for _, id := range ids {
		if i := int(id / wordBits); i < len(s.words) {
			sum += s.words[i] + uint64(s.ranks[i])
		}
	}
	return sum
}

// All yields the members, ascending, with their numbers.
func (s *Set) All() iter.Seq2[int, uint32] {
	return func(yield func(row int, id uint32) bool) {
		row := 0
		for i, w := range s.words {
			for ; w != 0; w &= w - 1 {
				if !yield(row, uint32(i*wordBits+bits.TrailingZeros64(w))) {
					return
				}
				row++
			}
		}
	}
}

// check finds out whether bitmap, ranks and number agree, and fit the universe.
func (s *Set) check(universe uint64) *problem {
	if uint64(len(s.words)) != wordsOf(universe) {
		return wrongLength("BITMAP", len(s.words), wordsOf(universe), "words for the universe")
	}
	if len(s.ranks) != len(s.words) {
		return wrongLength("RANK", len(s.ranks), len(s.words), "numbers, one per word of BITMAP")
	}
	n := 0
	for i, rank := range s.ranks {
		if int(rank) != n {
			return at("RANK", 4*i, "%d ids are said to come before id %d, but they are %d", rank, i*wordBits, n)
		}
		n += bits.OnesCount64(s.words[i])
	}
	if n != s.n {
		return at("BITMAP", 0, "%d ids are set, but there are %d rows", n, s.n)
	}
	if used := universe % wordBits; used != 0 && s.words[len(s.words)-1]>>used != 0 {
		return at("BITMAP", 8*(len(s.words)-1), "an id beyond the universe of %d ids is set", universe)
	}
	return nil
}
