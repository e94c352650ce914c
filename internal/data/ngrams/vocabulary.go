package ngrams

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/base/ordered"
	"github.com/seed-167f963f/nbsvm/internal/file/arena"
	"github.com/seed-167f963f/nbsvm/internal/file/hugepages"
	"github.com/seed-167f963f/nbsvm/internal/kernels"
)

// Vocabulary numbers the n-grams of at least so many documents: columns, by falling
// document frequency, ties by hash. It may be used from several goroutines at once.
type Vocabulary struct {
	Keys     []uint64       // hash of every column
	Runs     []FrequencyRun // of columns, frequencies falling
	Distinct uint64         // n-grams that were counted, rare ones included

	regions []region // of the table, one for each partition
	table   []uint64
	screen  *screen // that n-grams must have passed; nil for none
	free    []func()
}

// FrequencyRun is a number of columns, side by side, that as many documents have.
type FrequencyRun struct{ Documents, Columns uint64 }

// region is where the n-grams of a partition are in the table. An entry has a mark of 32 bits
// at its top, which follows from the hash in another way than its place, and below it its
// column, from 1. When the table is made, no n-gram that was counted passes for another.
type region struct {
	begin, size  uint64
	secret, mark uint64 // make places and marks; odd
}

// Vocabulary ends the counting, and gives up what was counted. Tables of more than the given
// number of bytes, if it is not 0, lie in a file in the folder.
func (c *Counter) Vocabulary(ctx context.Context, minDF uint32, threads int, memory int64, folder string) (*Vocabulary, error) {
	v := &Vocabulary{regions: make([]region, partitions), Distinct: uint64(c.single.Load()), screen: c.screen}
	if c.screen = nil; v.screen != nil {
		memory -= int64(8 * len(v.screen.words))
	}
	threads = max(threads, 1)
	kept := make([]uint64, partitions)
	frequencies := make([]map[uint32]uint64, threads) // number of n-grams by their documents
	sorters := make([]sorter, threads)
	for w := range frequencies {
		frequencies[w] = map[uint32]uint64{}
	}
	err := eachPartition(ctx, threads, func(w, p int) error {
		counted, err := c.finish(p, minDF, &sorters[w])
		if err != nil {
			return err
		}
		few := [64]uint64{1: uint64(len(counted.rare))} // most n-grams are in few documents
		for _, n := range counted.documents {
			if n < uint32(len(few)) {
				few[n]++
			} else {
				frequencies[w][n]++
			}
			if n >= minDF {
				kept[p]++
			}
		}
		for n, ngrams := range few {
			if ngrams > 0 {
				frequencies[w][uint32(n)] += ngrams
			}
		}
		return c.keep(p, counted)
	})
	if err != nil {
		return nil, err
	}
	for _, some := range frequencies[1:] {
		for n, ngrams := range some {
			frequencies[0][n] += ngrams
		}
	}
	var found, entries uint64 // of documents
	for n, ngrams := range frequencies[0] {
		v.Distinct += ngrams
		if entries += uint64(n) * ngrams; n >= minDF {
			found += uint64(n) * ngrams
		}
	}
	next, columns := v.order(frequencies[0], minDF)
	if columns > math.MaxInt32 {
		return nil, fmt.Errorf("ngrams: %d distinct n-grams, more than the %d columns of a matrix: leave out rare n-grams with --min-df", columns, math.MaxInt32)
	}
	slots := v.layOut(kept, found < entries-entries/8)
	if err := v.allocate(int(columns), slots, memory, folder); err != nil {
		v.Close()
		return nil, err
	}
	if err := v.number(ctx, c, next, threads); err != nil {
		v.Close()
		return nil, err
	}
	return v, nil
}

// order makes the runs of columns, and tells the first column of each frequency.
func (v *Vocabulary) order(frequencies map[uint32]uint64, minDF uint32) (next map[uint32]uint32, columns uint64) {
	falling := make([]uint32, 0, len(frequencies))
	for n := range frequencies {
		if n >= minDF {
			falling = append(falling, n)
		}
	}
	slices.Sort(falling)
	slices.Reverse(falling)
	next = make(map[uint32]uint32, len(falling))
	for _, n := range falling {
		next[n] = uint32(columns)
		v.Runs = append(v.Runs, FrequencyRun{uint64(n), frequencies[n]})
		columns += frequencies[n]
	}
	return next, columns
}

// layOut gives every partition a region with places to spare: more of them where many n-grams are looked
// up that are not there, as the search for these goes on to the next free place.
func (v *Vocabulary) layOut(kept []uint64, missing bool) (slots uint64) {
	for p, n := range kept {
		spare := n / 3
		if missing {
			spare = n
		}
		v.regions[p] = region{begin: slots, size: n + spare + 2}
		slots += v.regions[p].size
	}
	return slots
}

func (v *Vocabulary) allocate(columns int, slots uint64, memory int64, folder string) error {
	bounded := memory > 0
	for _, t := range []struct {
		table *[]uint64
		n     uint64
	}{{&v.table, slots}, {&v.Keys, uint64(columns)}} {
		if memory -= int64(8 * t.n); !bounded || memory >= 0 {
			words, free := hugepages.Make[uint64](int(t.n))
			*t.table, v.free = words, append(v.free, free)
			continue
		}
		memory += int64(8 * t.n)
		words, free, err := arena.MakeInFile[uint64](int(t.n), folder)
		if err != nil {
			return fmt.Errorf("ngrams: cannot write columns to a temporary file: %w", err)
		}
		*t.table, v.free = words, append(v.free, free)
	}
	return nil
}

// numbered is partitions, side by side, whose n-grams have their columns.
type numbered struct {
	first   int
	counts  []counts
	columns [][]uint32 // from 1; 0 for those that are too rare
}

// number gives n-grams their columns, partition by partition, and enters them into the table.
func (v *Vocabulary) number(ctx context.Context, c *Counter, next map[uint32]uint32, threads int) error {
	const together = partitions / 128
	// Most n-grams are in few documents: their columns are not looked up in a map.
	var few [256]uint32
	for n := range few {
		few[n] = math.MaxUint32
		if first, ok := next[uint32(n)]; ok {
			few[n] = first
		}
	}
	first := 0
	return ordered.Run(ctx, threads, func(context.Context) (*numbered, error) {
		if first == partitions {
			return nil, io.EOF
		}
		some := &numbered{first: first}
		for range together {
			counted, err := c.kept(first)
			if err != nil {
				return nil, err
			}
			columns := counted.documents // in place
			high := uint64(first) << restBits
			for i, n := range counted.documents {
				column := uint32(math.MaxUint32)
				if n < uint32(len(few)) {
					if column = few[n]; column != math.MaxUint32 {
						few[n]++
					}
				} else if at, ok := next[n]; ok {
					column = at
					next[n]++
				}
				if columns[i] = column + 1; column != math.MaxUint32 {
					v.Keys[column] = high | counted.rests[i]
				}
			}
			some.counts, some.columns = append(some.counts, counted), append(some.columns, columns)
			first++
		}
		return some, nil
	}, func(_ int, some *numbered) (struct{}, error) {
		for i := range some.counts {
			v.regions[some.first+i].fill(v.table, &some.counts[i], some.columns[i])
			c.tables.Give(some.counts[i].table)
		}
		return struct{}{}, nil
	}, func(struct{}) error { return nil })
}

// fill enters a partition's n-grams into the table: again and again, if need be, with other
// places, until none passes for another.
func (r *region) fill(table []uint64, n *counts, columns []uint32) {
	entries := table[r.begin : r.begin+r.size]
	for {
		r.secret, r.mark = rand.Uint64()|1, rand.Uint64()|1
		if r.enter(entries, n, columns) {
			return
		}
		clear(entries)
	}
}

func (r *region) enter(entries []uint64, n *counts, columns []uint32) bool {
	for i, rest := range n.rests {
		if column := columns[i]; column > 0 {
			place, mark, found := r.find(entries, rest)
			if found {
				return false
			}
			entries[place] = mark | uint64(column)
		}
	}
	for i, rest := range n.rests {
		if columns[i] == 0 {
			if _, _, found := r.find(entries, rest); found {
				return false
			}
		}
	}
	for _, rest := range n.rare {
		if _, _, found := r.find(entries, rest); found {
			return false
		}
	}
	return true
}

// find is the place of an n-gram in the region, or the one where its search ends.
func (r *region) find(entries []uint64, rest uint64) (place int, mark uint64, found bool) {
	high, _ := bits.Mul64(rest*r.secret, r.size)
	place, mark = int(high), rest*r.mark>>32<<32
	for {
		e := entries[place]
		if e == 0 {
			return place, mark, false
		}
		if (e^mark)>>32 == 0 {
			return place, mark, true
		}
		if place++; place == len(entries) {
			place = 0
		}
	}
}

// Close gives the vocabulary's memory back.
func (v *Vocabulary) Close() {
	for _, free := range v.free {
		free()
	}
	v.screen.close()
	v.free, v.table, v.Keys, v.screen = nil, nil, nil, nil
}

// Find makes columns of the n-grams of blocks, all of which must have been counted: see Block.Found. One part
// of the vocabulary after the other is looked up for all blocks, so that it is in the cache.
func (v *Vocabulary) Find(ctx context.Context, blocks []*Block, threads int) error {
	lengths, scratch := runLengths(blocks), make([]passed, max(threads, 1))
	return eachPartition(ctx, threads, func(w, p int) error {
		r := &v.regions[p]
		table := v.table[r.begin : r.begin+r.size]
		// Where much of the region will be looked at, all of it is fetched, else each place is asked for.
		whole := lengths[p] > len(table)/cacheLine/2 && len(table) < prefetchFrom
		if whole {
			kernels.Fetch(table)
		}
		var words []uint64
		if v.screen != nil {
			words = v.screen.of(p)
		}
		return eachRun(blocks, p, func(run []uint64) error {
			for len(run) > 0 {
				some := run[:min(len(run), addAtOnce)]
				run = run[len(some):]
				passing := some
				if words != nil {
					passing = v.screen.pass(words, some, &scratch[w])
				}
				if !whole {
					scratch[w].ahead.ask(table, passing, r.secret)
				}
				r.findAll(passing, table)
				if words != nil {
					scratch[w].put(some, len(passing))
				}
			}
			return nil
		})
	})
}

// put puts the columns of entries that passed the screen in their places, and none in the others'.
func (s *passed) put(run []uint64, n int) {
	for i, entry := range run {
		run[i] = NoColumn<<32 | entry>>restBits
	}
	for k, i := range s.at[:n] {
		run[i] = s.entries[k]
	}
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

// CountFound is how many n-grams of its documents have columns, after Vocabulary.Find.
func (b *Block) CountFound() (n int) {
	for _, e := range b.entries {
		missing := e>>32 + 1 // 2^32 for none
		n += int(1 &^ (missing >> 32))
	}
	if f := b.frequent; f != nil {
		for _, place := range b.places {
			missing := uint64(f.columns[place]) + 1
			n += int(1 &^ (missing >> 32))
		}
	}
	return n
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
