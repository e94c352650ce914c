package hashing

import (
	"math/bits"

	"github.com/seed-167f963f/nbsvm/kernels"
)

// Finder finds the columns of n-grams of blocks of documents: one part of the vocabulary after the other is
// looked up for all blocks, so that it is in the cache. It is scratch memory, for one goroutine at a time.
type Finder struct {
	v      *Vocabulary
	places [findAhead]uint32
	marks  [findAhead]uint32
	left   [findAhead]uint32
	found  [findAhead]uint32
}

// NewFinder returns a finder.
func (v *Vocabulary) NewFinder() *Finder { return &Finder{v: v} }

// findAhead is how many n-grams are looked up together.
const findAhead = 256

// Find makes columns of the n-grams of blocks, all of which must have been counted. Those that have none
// leave their blocks, which are no good for counting any more: see Found.
func (f *Finder) Find(blocks []*Block) {
	for _, b := range blocks {
		b.found = 0
	}
	for p := range partitions {
		r := &f.v.regions[p]
		table := f.v.table[r.begin : r.begin+r.size]
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
			from, end := b.bounds(p)
			for ; from < end; from += findAhead {
				f.find(b, r, table, from, min(end, from+findAhead), !whole)
			}
		}
	}
}

// find makes columns of some entries of a partition.
func (f *Finder) find(b *Block, r *region, table []uint64, from, to int, ahead bool) {
	entries, secret, mark := b.entries[from:to], r.secret, r.mark
	places, marks, left, found := f.places[:len(entries)], f.marks[:len(entries)], f.left[:len(entries)], f.found[:len(entries)]
	for i, e := range entries {
		rest := e & restMask
		place, _ := bits.Mul64(rest*secret, uint64(len(table)))
		places[i], marks[i], left[i] = uint32(place), uint32(rest*mark>>32), uint32(i)
	}
	if ahead {
		kernels.PrefetchWords(table, places)
	}
	for len(left) > 0 {
		n := 0
		for _, i := range left {
			// Whether the n-gram is there, or another one, is hard to predict, so there are no
			// branches on it: those that are not found yet are left, to be looked for at the next
			// place.
			place := places[i]
			e := table[place]
			other := uint64(uint32(e>>32) ^ marks[i])
			taken := (other | -other) & (e | -e) >> 63
			found[i] = uint32(e)
			if place++; int(place) == len(table) {
				place = 0
			}
			places[i], left[n] = place, i
			n += int(taken)
		}
		left = left[:n]
	}
	// Entries that have no column are written over by the next.
	n := b.found
	for i, e := range entries {
		column := found[i]
		b.entries[n] = uint64(column-1)<<32 | e>>restBits
		if len(b.values) > 0 {
			b.values[n] = b.values[from+i]
		}
		n += int((column | -column) >> 31)
	}
	b.found = n
}

// Found are the entries of a block that have columns, after Find: a column above a document's number, see
// sparse.RadixBuilder; and their values, if there are any.
func (b *Block) Found() (entries []uint64, values []float32) {
	if len(b.values) > 0 {
		values = b.values[:b.found]
	}
	return b.entries[:b.found], values
}
