package hashing

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/sparse"
)

// Terms are the n-grams of a shard that are in enough documents: what comes of counting
// where every n-gram is to have a column of its own, not one that its bucket shares.
type Terms struct {
	Hashes    []uint64 // ascending
	Documents []uint32 // that have each
	// Places are those of n-grams in Hashes, from 1, by their numbers in the blocks'
	// entries; 0 for those in too few documents.
	Places []uint32
}

// Distinct is the number of n-grams, those in too few documents included.
func (t *Terms) Distinct() int { return len(t.Places) - 1 }

// Terms counts a shard in the blocks of all documents, whose entries become the numbers of
// their n-grams, and lists those of at least so many documents. It is to be called once for
// each shard, possibly at the same time as for others. More than two million n-grams in a
// shard are an error.
func (p Partition) Terms(c *Counter, blocks []*Block, id int, least uint32) (Terms, error) {
	c.countAll(blocks, id, p)
	if c.used >= maxTerms {
		return Terms{}, fmt.Errorf("hashing: %d n-grams are in one of %d shards, which has room for %d: take less memory, so that fewer are in memory at a time", c.used, p.Shards(), maxTerms-1)
	}
	c.rank(least, math.MaxUint32)
	t := Terms{Hashes: make([]uint64, len(c.chosen)), Documents: make([]uint32, len(c.chosen)), Places: make([]uint32, 1+c.used)}
	for i, n := range c.chosen {
		t.Hashes[i], t.Documents[i] = p.hash(id, n.key), c.grams[n.number].documents
		t.Places[n.number] = uint32(1 + i)
	}
	return t, nil
}

// Number gives the entries of a shard in all blocks their columns, of which columns has, from
// 1, those of the n-grams in Hashes; 0 is for none.
func (p Partition) Number(blocks []*Block, id int, t *Terms, columns []uint32) {
	for number, place := range t.Places {
		if place > 0 {
			t.Places[number] = columns[place-1]
		}
	}
	for i, b := range blocks {
		askFor(blocks[i:], id)
		put(b.run(id), t.Places, p)
	}
}

// Enter puts the block's entries that have columns into the builder's memory, and returns how
// many they are.
func (b *Block) Enter(d *sparse.RadixBuilder) int {
	entries, values := d.Reserve(len(b.entries), b.values != nil)
	n, shift := 0, b.shift&63
	for k, e := range b.entries {
		// Whether an entry counts is hard to predict, so there is no branch on it: it is
		// written, and written over if it does not.
		column := uint32(e)
		entries[n] = sparse.Entry(column-1, uint32(e>>shift))
		if values != nil {
			values[n] = b.values[k]
		}
		n += int((column | -column) >> 31)
	}
	return n
}

// maxTerms is how many n-grams the entries of a saved block can tell apart in a shard.
const maxTerms = 1 << (32 - maxShardBits)

// Saved is a block whose entries have the numbers of n-grams, in half the memory, to be
// written somewhere.
type Saved struct {
	Starts, Rows, Entries []uint32
	Values                []float32 // nil for none
}

// Save makes s, whose memory is used again, the block.
func (b *Block) Save(s *Saved) {
	s.Starts, s.Rows, s.Values = b.starts, b.rows, b.values
	s.Entries = slices.Grow(s.Entries[:0], len(b.entries))[:len(b.entries)]
	shift := b.shift & 63
	for k, e := range b.entries {
		s.Entries[k] = uint32(e>>shift)<<(32-maxShardBits) | uint32(e)
	}
}

// Restore makes a block of a saved one. It keeps dst, which is as long as the entries.
func (p Partition) Restore(dst []uint64, s *Saved) *Block {
	b := &Block{entries: dst, starts: slices.Clone(s.Starts), rows: slices.Clone(s.Rows), values: slices.Clone(s.Values), shift: p.hashBits()}
	shift := b.shift & 63
	for k, e := range s.Entries {
		dst[k] = uint64(e>>(32-maxShardBits))<<shift | uint64(e%maxTerms)
	}
	return b
}
