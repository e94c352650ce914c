package model

import (
	"cmp"
	"fmt"
	"iter"
	"math/bits"
	"slices"
	"sort"

	"github.com/seed-167f963f/nbsvm/hashing"
)

// KeySet is a set of keys, whose members are numbered in ascending order from 0. The zero value is empty. It may be used
// from several goroutines at once.
//
// The members lie in order, as their last 32 bits. A table says where those of the same first bits begin, of which
// there is one on average.
type KeySet struct {
	members []uint32
	starts  []uint32 // places in members of the first for every key>>shift, and the end
	shift   int
}

// newKeySet returns a set with room for n keys below universe.
func newKeySet(universe uint64, n int) (*KeySet, error) {
	if universe > 1<<hashing.MaxKeyBits {
		return nil, fmt.Errorf("keys up to %d: at most %d are possible", universe-1, uint64(1)<<hashing.MaxKeyBits-1)
	}
	s := &KeySet{members: make([]uint32, n)}
	s.shift = min(max(0, bits.Len64(max(universe, 1)-1)-bits.Len(uint(n))), 32)
	s.starts = make([]uint32, universe>>s.shift+2)
	return s, nil
}

// ascendingKeys returns the set of n keys below universe, which ascend.
func ascendingKeys(universe uint64, n int, keys iter.Seq[uint64]) (*KeySet, error) {
	s, err := newKeySet(universe, n)
	if err != nil {
		return nil, err
	}
	i, next, last := 0, uint64(0), uint64(0) // next is the first of the first bits whose start is not known
	for key := range keys {
		if i == n || key >= universe || i > 0 && key <= last {
			return nil, fmt.Errorf("key %d is not one of %d that ascend below %d", key, n, universe)
		}
		for ; next <= key>>s.shift; next++ {
			s.starts[next] = uint32(i)
		}
		s.members[i], last = uint32(key), key
		i++
	}
	for ; next < uint64(len(s.starts)); next++ {
		s.starts[next] = uint32(i)
	}
	s.members = s.members[:i]
	return s, nil
}

// NewKeySet returns the set of some keys below universe, in any order, and the number of each. They must differ.
func NewKeySet(universe uint64, keys []uint64) (*KeySet, []uint32, error) {
	s, err := newKeySet(universe, len(keys))
	if err != nil {
		return nil, nil, err
	}
	for _, key := range keys {
		if key >= universe {
			return nil, nil, fmt.Errorf("key %d is not one of %d", key, universe)
		}
		s.starts[key>>s.shift+1]++
	}
	for i := 1; i < len(s.starts); i++ {
		s.starts[i] += s.starts[i-1]
	}
	order := make([]uint32, len(keys)) // places in keys of the members
	next := slices.Clone(s.starts)
	for i, key := range keys {
		place := &next[key>>s.shift]
		order[*place] = uint32(i)
		*place++
	}
	numbers := make([]uint32, len(keys))
	for i, end := range next {
		// Most have one member or two, and which of two is the lesser is hard to predict: sorting all took longer.
		some := order[s.starts[i]:end]
		if len(some) > 1 {
			slices.SortFunc(some, func(a, b uint32) int { return cmp.Compare(keys[a], keys[b]) })
		}
		for k, place := range some {
			member := s.starts[i] + uint32(k)
			if k > 0 && keys[place] == keys[some[k-1]] {
				return nil, nil, fmt.Errorf("key %d is there twice: keys must be distinct", keys[place])
			}
			s.members[member], numbers[place] = uint32(keys[place]), member
		}
	}
	return s, numbers, nil
}

// Size returns the number of members.
func (s *KeySet) Size() int { return len(s.members) }

// Rank returns the number of a member. Any other key is none.
func (s *KeySet) Rank(key uint64) (rank int, ok bool) {
	i := key >> s.shift
	if i >= uint64(max(len(s.starts), 1)-1) {
		return 0, false
	}
	lo, hi := s.starts[i], s.starts[i+1]
	const many = 16 // numbers that others chose may lie close together
	if hi-lo > many {
		k, found := slices.BinarySearch(s.members[lo:hi], uint32(key))
		return int(lo) + k, found
	}
	for ; lo < hi; lo++ {
		if s.members[lo] == uint32(key) {
			return int(lo), true
		}
	}
	return 0, false
}

// Touch loads what Rank will look at for each of the keys, so that their cache misses overlap where many are looked up.
// The sum of what it finds is of no use, but without it the compiler would leave the loads out.
//
//go:noinline
func (s *KeySet) Touch(keys []uint64) (sum uint32) {
	for _, key := range keys {
		if i := key >> s.shift; i < uint64(len(s.starts)) {
			sum += s.starts[i]
		}
	}
	return sum
}

// All yields the members, ascending, with their numbers.
func (s *KeySet) All() iter.Seq2[int, uint64] { return s.Between(0, len(s.members)) }

// Between yields the members of the numbers from lo to hi-1, ascending.
func (s *KeySet) Between(lo, hi int) iter.Seq2[int, uint64] {
	return func(yield func(rank int, key uint64) bool) {
		first := sort.Search(len(s.starts), func(i int) bool { return int(s.starts[i]) > lo }) - 1 // which lo has
		for i := first; lo < hi; i++ {
			high := uint64(i) << s.shift &^ (1<<32 - 1)
			for end := min(int(s.starts[i+1]), hi); lo < end; lo++ {
				if !yield(lo, high|uint64(s.members[lo])) {
					return
				}
			}
		}
	}
}
