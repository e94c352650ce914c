package hashing

import (
	"math/bits"

	"github.com/bits-and-blooms/bloom/v3"
)

// falsePositives is about the share of n-grams that pass for members of a filter.
const falsePositives = 1e-4

// filter is a bloom filter in blocks (Putze, Sanders and Singler 2007): all the
// bits of an n-gram are in one cache line, one in each of its words, so that an
// n-gram costs one access to memory and not one for every bit.
type filter []block

type block [8]uint64

// newFilter returns a filter for n n-grams, of the size of a plain bloom filter with
// a quarter to spare, as blocks make more mistakes.
func newFilter(n int) filter {
	size, _ := bloom.EstimateParameters(uint(max(n, 1)), falsePositives)
	const blockBits = 8 * 64
	return make(filter, (size+size/4+blockBits-1)/blockBits)
}

func (f filter) add(hash uint64) {
	b, want := f.find(hash)
	for i := range b {
		b[i] |= want[i]
	}
}

// holds says whether the hash was added; rarely, of one that was not, that it was.
func (f filter) holds(hash uint64) bool {
	b, want := f.find(hash)
	var missing uint64
	for i := range b {
		missing |= want[i] &^ b[i]
	}
	return missing == 0
}

// find returns the block of a hash and its bits there. The hash is a good one: eight
// times six of its bits, none of which chooses the shard, choose the bits; the top of
// a product, in which all of them have a part, the block.
func (f filter) find(hash uint64) (b *block, want block) {
	i, _ := bits.Mul64(hash*golden, uint64(len(f)))
	return &f[i], block{
		1 << (hash & 63), 1 << (hash >> 6 & 63), 1 << (hash >> 12 & 63), 1 << (hash >> 18 & 63),
		1 << (hash >> 24 & 63), 1 << (hash >> 30 & 63), 1 << (hash >> 36 & 63), 1 << (hash >> 42 & 63),
	}
}
