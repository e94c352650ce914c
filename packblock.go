package nbsvm

import (
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/sparse/packed"
)

// packPartition is the one of all packing. It can't wait until it is known how many
// n-grams there are, as documents are split as soon as they are read.
var packPartition = hashing.NewPartition(math.MaxUint64, math.MaxInt)

// blockEntries is from how many entries on a block ends: while its rows are sorted, these
// should stay in the second level of cache.
const blockEntries = 1 << 17

// packBlock is documents that wait for the numbers of their columns.
type packBlock struct {
	*hashing.Block
	slab *slab
}

// cutter makes blocks of what is read; each worker has its own.
type cutter struct {
	memory    *slabs
	hashes    []uint64 // of ready-made features
	values    []float32
	documents [][]uint64
}

// cut gives the batch blocks in place of the n-grams that came of its texts, or of its
// ready-made features.
func (c *cutter) cut(b *batch, hashes []uint64, counts []uint32) {
	values := b.values
	switch {
	case b.ids != nil:
		hashes = c.features(b.ids)
		if slices.ContainsFunc(values, func(v float32) bool { return v != 1 }) {
			b.fitting = packed.Floats
		}
	case counts != nil:
		values = c.values[:0]
		for _, n := range counts {
			values = append(values, float32(n))
		}
		c.values = values
	}
	b.entries = len(hashes)
	from, at := 0, 0
	for k, end := range b.ends {
		c.documents = append(c.documents, hashes[at:end])
		at = end
		if end-from < blockEntries && len(c.documents) < packPartition.MaxDocuments() && k+1 < len(b.ends) {
			continue
		}
		dst, slab := c.memory.take(end - from)
		var of []float32
		if values != nil {
			of = values[from:end]
		}
		b.blocks = append(b.blocks, packBlock{packPartition.Split(dst, c.documents, of), slab})
		from, c.documents = end, c.documents[:0]
	}
	b.ids, b.values = b.ids[:0], nil
}

// features are numbers of features as hashes, in the same order.
func (c *cutter) features(ids []uint32) []uint64 {
	c.hashes = c.hashes[:0]
	for _, id := range ids {
		c.hashes = append(c.hashes, uint64(id)<<featureShift)
	}
	return c.hashes
}

// featureShift makes hashes of numbers of features, which have 31 bits: their top bits
// choose the shard.
const featureShift = 33
