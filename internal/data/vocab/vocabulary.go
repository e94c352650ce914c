package vocab

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/mem"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
	"github.com/seed-167f963f/nbsvm/internal/par"
)

// Vocabulary numbers the n-grams of at least so many documents: columns, by falling
// document frequency, ties by hash. It may be used from several goroutines at once.
type Vocabulary struct {
	Keys     []uint64 // hash of every column
	Runs     []Run    // of columns, frequencies falling
	Distinct uint64   // n-grams that were counted, rare ones included

	columns []columns // of each partition
	free    []func()  // of tables
}

// columns are the columns of a partition's n-grams by their numbers. Most n-grams are in too few documents, and take a
// bit and a half each.
type columns struct {
	marks   []uint64 // of 64 numbers each: those that have a column
	ranks   []uint32 // how many numbers have one before each mark's first
	columns []uint32 // of those that have one, in the order of numbers; and one more
}

// of returns the column of a number, or 2^32-1 if it has none.
func (c *columns) of(number uint32) uint32 {
	mark, bit := c.marks[number/64], number%64
	column := c.columns[c.ranks[number/64]+uint32(bits.OnesCount64(mark&(1<<bit-1)))]
	return column | (uint32(mark>>bit&1) - 1)
}

// Vocabulary ends the counting, and gives up what was counted. Tables of more than the given number of bytes, if it is
// not 0, lie in a file in the folder.
func (c *Counter) Vocabulary(
	ctx context.Context, minDF uint32, threads int, memory int64, folder string,
) (*Vocabulary, error) {
	v := &Vocabulary{columns: make([]columns, partitions)}
	threads = max(threads, 1)
	distinct, numbers := make([]int, partitions), make([]int, partitions) // numbers that have a column
	frequencies := make([]map[uint32]uint64, threads)                     // n-grams that have one by their documents
	scratch := make([]finisher, threads)
	for w := range frequencies {
		frequencies[w] = map[uint32]uint64{}
	}
	err := eachPartition(ctx, threads, func(w, p int) error {
		counted, all, err := c.finish(p, minDF, &scratch[w])
		if err != nil {
			return err
		}
		var few [64]uint64 // most n-grams are in few documents
		for _, n := range counted.documents {
			if n < uint32(len(few)) {
				few[n]++
			} else {
				frequencies[w][n]++
			}
		}
		for n, ngrams := range few {
			if ngrams > 0 {
				frequencies[w][uint32(n)] += ngrams
			}
		}
		distinct[p], numbers[p] = all, len(counted.numbers)
		return c.keep(p, counted)
	})
	if err != nil {
		return nil, err
	}
	c.lists.Trim()
	for _, n := range distinct {
		v.Distinct += uint64(n)
	}
	for _, some := range frequencies[1:] {
		for n, ngrams := range some {
			frequencies[0][n] += ngrams
		}
	}
	next, columns := v.order(frequencies[0])
	if columns > math.MaxInt32 {
		return nil, fmt.Errorf("ngrams: %d distinct n-grams, more than the %d columns of a matrix: leave out rare n-grams with Options.MinDF", columns, math.MaxInt32)
	}
	if err := v.allocate(c, int(columns), numbers, memory, folder); err != nil {
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
func (v *Vocabulary) order(frequencies map[uint32]uint64) (next map[uint32]uint32, columns uint64) {
	falling := slices.Sorted(maps.Keys(frequencies))
	slices.Reverse(falling)
	next = make(map[uint32]uint32, len(falling))
	for _, n := range falling {
		next[n] = uint32(columns)
		v.Runs = append(v.Runs, Run{Frequency: uint64(n), Columns: frequencies[n]})
		columns += frequencies[n]
	}
	return next, columns
}

// allocate makes the tables for so many columns, and so many numbers of each partition that have one.
func (v *Vocabulary) allocate(c *Counter, all int, numbers []int, memory int64, folder string) (err error) {
	numbersOfAll, marks := 0, 0
	for p, n := range numbers {
		numbersOfAll += n
		marks += c.partitions[p].marks()
	}
	if v.Keys, memory, err = table[uint64](v, all, memory, folder); err != nil {
		return err
	}
	columnsOfAll, memory, err := table[uint32](v, numbersOfAll+1, memory, folder)
	if err != nil {
		return err
	}
	marksOfAll, memory, err := table[uint64](v, marks, memory, folder)
	if err != nil {
		return err
	}
	ranksOfAll, _, err := table[uint32](v, marks, memory, folder)
	if err != nil {
		return err
	}
	for p, n := range numbers {
		m := c.partitions[p].marks()
		v.columns[p] = columns{marksOfAll[:m:m], ranksOfAll[:m:m], columnsOfAll[: n+1 : n+1]}
		marksOfAll, ranksOfAll, columnsOfAll = marksOfAll[m:], ranksOfAll[m:], columnsOfAll[n:]
	}
	return nil
}

// marks returns how many words have a bit for each number.
func (p *partition) marks() int { return int((uint64(p.next) + 63) / 64) }

// table makes a table of zeros: in memory, of which so much is left, 0 for no bound; or in a file.
func table[T uint32 | uint64](v *Vocabulary, n int, memory int64, folder string) (t []T, left int64, err error) {
	var free func()
	bytes := int64(n) * int64(unsafe.Sizeof(*new(T)))
	switch {
	case memory == 0:
		t, free = mem.MakeHuge[T](n)
	case bytes < memory:
		t, free = mem.MakeHuge[T](n)
		memory -= bytes
	default:
		if t, free, err = osfile.MakeTable[T](n, folder); err != nil {
			return nil, memory, fmt.Errorf("ngrams: cannot write columns to a temporary file: %w", err)
		}
	}
	v.free = append(v.free, free)
	return t, memory, nil
}

// numbered is partitions, side by side, whose n-grams have their columns.
type numbered struct {
	first   int
	counts  []counts
	columns [][]uint32 // of the n-grams of each
}

// number gives n-grams their columns, partition by partition.
func (v *Vocabulary) number(ctx context.Context, c *Counter, next map[uint32]uint32, threads int) error {
	const together = partitions / 128
	// Most n-grams are in few documents: their columns are not looked up in a map.
	var few [256]uint32
	for n := range few {
		few[n] = next[uint32(n)]
	}
	first := 0
	return par.Run(ctx, threads, func(context.Context) (*numbered, error) {
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
				var column uint32
				if n < uint32(len(few)) {
					column = few[n]
					few[n]++
				} else {
					column = next[n]
					next[n]++
				}
				columns[i] = column
				v.Keys[column] = high | uint64(counted.rests[i])<<zeroBits
			}
			some.counts, some.columns = append(some.counts, counted), append(some.columns, columns)
			first++
		}
		return some, nil
	}, func(_ int, some *numbered) (struct{}, error) {
		for i, counted := range some.counts {
			v.columns[some.first+i].fill(counted.numbers, counted.of, some.columns[i])
			c.lists.Give(counted.memory)
		}
		return struct{}{}, nil
	}, func(struct{}) error { return nil })
}

// fill enters the columns of n-grams; of is which of them has each number, nil for the same order.
func (c *columns) fill(numbers, of, columns []uint32) {
	for _, number := range numbers {
		c.marks[number/64] |= 1 << (number % 64)
	}
	rank := uint32(0)
	for i, mark := range c.marks {
		c.ranks[i] = rank
		rank += uint32(bits.OnesCount64(mark))
	}
	for i, number := range numbers {
		if of != nil {
			i = int(of[i])
		}
		mark := c.marks[number/64]
		c.columns[c.ranks[number/64]+uint32(bits.OnesCount64(mark&(1<<(number%64)-1)))] = columns[i]
	}
}

// Close gives the vocabulary's memory back.
func (v *Vocabulary) Close() {
	for _, free := range v.free {
		free()
	}
	v.free, v.columns, v.Keys = nil, nil, nil
}

// Find puts the columns of n-grams in place of the numbers that the counter gave them: see Block.Found. One partition
// after the other is looked up for all blocks, so that its columns are in the cache.
func (v *Vocabulary) Find(ctx context.Context, blocks []*Block, threads int) error {
	runs := runsOf(blocks)
	return eachPartition(ctx, threads, func(_, p int) error {
		c := &v.columns[p]
		if runs.length(p) > len(c.columns)/lineKeys {
			kernels.Fetch(c.marks)
			kernels.Fetch(c.columns)
		}
		return runs.each(p, func(run []uint64) error {
			for i, entry := range run {
				run[i] = uint64(c.of(uint32(entry>>32)))<<32 | entry&(1<<32-1)
			}
			return nil
		})
	})
}

// Found puts the entries of a block that have columns, after Vocabulary.Find, into dst: a column above a
// document's number, see RowBuilder; and their values, if there are any, into dstValues. Both have room
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
