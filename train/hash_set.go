package train

import (
	"math/bits"

	"github.com/bits-and-blooms/bloom/v3"
)

// hashSet is a set of n-gram hashes that nearly none of those asked for is in: a bloom filter, which fits the
// first cache, answers for nearly all of them, and a map for the rest.
type hashSet struct {
	filter    *bloom.BloomFilter
	members   map[uint64]struct{}
	locations [2]uint64 // scratch memory
}

// newHashSet returns an empty set for about n hashes.
func newHashSet(n int) *hashSet {
	const bitsOfHash = 10 // one in some 30 that are asked for passes the filter wrongly
	return &hashSet{filter: bloom.New(uint(bitsOfHash*max(n, 1)), 2), members: make(map[uint64]struct{}, n)}
}

// locate gives the filter two locations of a hash, which is a good one: no other has to be computed.
func (s *hashSet) locate(hash uint64) []uint64 {
	s.locations = [2]uint64{hash, bits.RotateLeft64(hash, 32)}
	return s.locations[:]
}

func (s *hashSet) add(hash uint64) {
	s.members[hash] = struct{}{}
	for _, location := range s.locate(hash) {
		s.filter.BitSet().Set(uint(location % uint64(s.filter.Cap())))
	}
}

func (s *hashSet) has(hash uint64) bool {
	if !s.filter.TestLocations(s.locate(hash)) {
		return false
	}
	_, ok := s.members[hash]
	return ok
}
