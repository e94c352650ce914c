package ngrams

import (
	"context"
	"math/bits"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
)

// Find makes columns of the n-grams of blocks, all of which must have been counted: see Block.Found. One part
// of the vocabulary after the other is looked up for all blocks, so that it is in the cache.
func (v *Vocabulary) Find(ctx context.Context, blocks []*Block, threads int) error {
	ahead := make([]places, max(threads, 1))
	return eachPartition(ctx, threads, func(w, p int) error {
		r := &v.regions[p]
		table := v.table[r.begin : r.begin+r.size]
		entries := 0
		for _, b := range blocks {
			entries += len(b.run(p))
		}
		// Where much of the region will be looked at, all of it is asked for, else each place.
		const line = 8 // entries
		whole := entries > len(table)/line/2 && len(table) < prefetchFrom
		if whole {
			kernels.PrefetchAll(table)
		}
		for i, b := range blocks {
			if i+runsAhead < len(blocks) {
				kernels.PrefetchAll(blocks[i+runsAhead].run(p))
			}
			run := b.run(p)
			for len(run) > 0 {
				n := min(len(run), addAtOnce)
				if !whole {
					ahead[w].ask(table, run[:n], r.secret)
				}
				r.findAll(run[:n], table)
				run = run[n:]
			}
		}
		return nil
	})
}

// findAll makes columns of some entries of a partition.
func (r *region) findAll(entries, table []uint64) {
	secret, mark := r.secret, r.mark
	for i, entry := range entries {
		rest := entry & restMask
		place, _ := bits.Mul64(rest*secret, uint64(len(table)))
		marked := rest * mark >> 32
		for {
			// An entry of the table that is 0, or has the mark, ends the search: one branch on both.
			e := table[place]
			if other := e>>32 ^ marked; e == 0 || other == 0 {
				entries[i] = uint64(uint32(e)-1)<<32 | entry>>restBits
				break
			}
			if place++; place == uint64(len(table)) {
				place = 0
			}
		}
	}
}

// Found puts the entries of a block that have columns, after Vocabulary.Find, into dst: a column above a
// document's number, see rowsort.RadixBuilder; and their values, if there are any, into dstValues. Both have room
// for all entries and one more. It returns how many there are.
func (b *Block) Found(dst []uint64, dstValues []float32) (n int) {
	for i, e := range b.entries {
		// Whether an n-gram has a column is hard to predict, so there is no branch on it: it is written, and
		// written over if it has none.
		dst[n] = e
		if dstValues != nil {
			dstValues[n] = b.values[i]
		}
		missing := e>>32 + 1 // 2^32 for none
		n += int(1 &^ (missing >> 32))
	}
	return n
}
