package matrix

import (
	"context"
	"math"
	"slices"
	"sync/atomic"

	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/data/rowsort"
	"github.com/seed-167f963f/nbsvm/internal/mem"
	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// rowMaker makes rows of the matrix of rows of the dataset; it is scratch memory, for one goroutine at a
// time.
//
// Where most buckets have one n-gram, documents of the whole dataset have theirs in order: in both, columns
// come by falling frequency, ties by key. Only buckets that several n-grams share have to be sorted, and
// merged with the others. Elsewhere nearly all has to be sorted, that of many rows together.
type rowMaker struct {
	l       *layout
	columns []uint32 // of shared buckets
	values  []float32
	radix   rowsort.RadixBuilder
}

func (l *layout) newRowMakers() []rowMaker {
	makers := make([]rowMaker, l.o.Threads)
	for w := range makers {
		makers[w].l = l
	}
	return makers
}

// again notes that a document has one more n-gram of a bucket: it was counted for each of them.
func (r *rowMaker) again(column uint32) {
	const less = math.MaxUint32 // by one
	atomic.AddUint32(&r.l.m.Frequencies[column], less)
}

// row makes a row of the matrix of one of the dataset, in place, and returns how long it is: entries of a
// bucket are added up.
func (r *rowMaker) row(dst []uint32, dstValues []float32) int {
	columns, values := r.split(r.l.within(dst, dstValues))
	if !r.l.all {
		rowsort.Sort(columns, values)
	}
	others, otherValues := r.columns, r.values
	if len(others) > 0 {
		rowsort.Sort(others, otherValues)
		others, otherValues = r.addEqual(others, otherValues)
	}
	merge(dst, dstValues, columns, values, others, otherValues)
	return len(columns) + len(others)
}

// addEqual combines the entries of buckets of which the document has several n-grams.
func (r *rowMaker) addEqual(columns []uint32, values []float32) ([]uint32, []float32) {
	several := false
	for k := 1; k < len(columns); k++ {
		if columns[k] == columns[k-1] {
			several = true
			r.again(columns[k])
		}
	}
	if several {
		return rowsort.AddEqual(columns, values)
	}
	return columns, values
}

// number gives columns of the dataset the numbers of their buckets, in place. It does nothing else, so that many
// places are waited for at a time.
func (r *rowMaker) number(columns []uint32) {
	number := r.l.number
	for k, j := range columns {
		columns[k] = number[j]
	}
}

// within are the columns of a row of the dataset that have a number, or are dropped one by one, and their values.
func (l *layout) within(columns []uint32, values []float32) ([]uint32, []float32) {
	n := len(columns)
	for n > 0 && int(columns[n-1]) >= len(l.number) {
		n--
	}
	if values != nil {
		values = values[:n]
	}
	return columns[:n], values
}

// split numbers columns, in place, puts those of shared buckets apart, and leaves out what does not count.
func (r *rowMaker) split(columns []uint32, values []float32) ([]uint32, []float32) {
	r.columns = slices.Grow(r.columns[:0], len(columns)+1)[:len(columns)+1]
	others, otherValues := r.columns, []float32(nil)
	if values != nil {
		r.values = slices.Grow(r.values[:0], len(columns)+1)[:len(columns)+1]
		otherValues = r.values
	}
	r.number(columns)
	n, m := 0, 0
	for k, column := range columns {
		// What counts, and what is shared, is hard to predict, so there are no branches on it: all are
		// written to both sides, and written over where they don't stay.
		columns[n], others[m] = column, column&^shared
		if values != nil {
			values[n], otherValues[m] = values[k], values[k]
		}
		several := int(column >> 31)
		n += counted(column) &^ several
		m += several
	}
	if r.columns = others[:m]; values != nil {
		values, r.values = values[:n], otherValues[:m]
	} else {
		r.values = nil
	}
	return columns[:n], values
}

// merge merges two rows that have no column in common; values, if there are any, go along.
func merge(dst []uint32, dstValues []float32, a []uint32, aValues []float32, b []uint32, bValues []float32) {
	i := len(a)
	for j := len(b); j > 0; j-- {
		end := i
		for i > 0 && a[i-1] > b[j-1] {
			i--
		}
		copy(dst[i+j:], a[i:end])
		dst[i+j-1] = b[j-1]
		if bValues != nil {
			copy(dstValues[i+j:], aValues[i:end])
			dstValues[i+j-1] = bValues[j-1]
		}
	}
	copy(dst, a[:i])
	if bValues != nil {
		copy(dstValues, aValues[:i])
	}
}

// inMemory makes the rows of the matrix, in the memory of the dataset's if these are to be consumed. Blocks
// are worked on where they are, and moved up to those before them in the end.
func (l *layout) inMemory(ctx context.Context, consume bool) error {
	rows := l.ds.Rows
	starts := make([]int64, rows.Blocks()+1)
	for b := range rows.Blocks() {
		_, _, entries := rows.BlockRange(b)
		starts[b+1] = starts[b] + int64(entries)
	}
	taken, indices, values := l.room(starts[rows.Blocks()], consume)
	makers := l.newRowMakers()
	makeBlock := (*rowMaker).block
	if !l.all || 4*l.shares > len(l.m.IDs) {
		makeBlock = (*rowMaker).sortedBlock
	}
	one := func(w, b int, x *sparse.CSR) (*blockRows, error) {
		lo, hi := starts[b], starts[b+1]
		var dstValues []float32
		if values != nil {
			dstValues = values[lo:hi:hi]
		} else {
			x = withoutValues(x)
		}
		lengths := makeBlock(&makers[w], b, x, indices[lo:hi:hi], dstValues)
		return l.made(lo, indices[lo:hi], lengths), ctx.Err()
	}
	g := l.newGatherer(indices, values)
	var err error
	if taken == nil {
		err = dataset.EachBlock(ctx, rows, l.o.Threads, one, g.gather)
	} else {
		err = par.Map(ctx, l.o.Threads, rows.Blocks(), func(w, b int) (*blockRows, error) {
			first, end, _ := rows.BlockRange(b)
			// Rows are worked on where they are.
			return one(w, b, &sparse.CSR{Rows: int(end - first), Indptr: taken.Indptr[first : end+1], Indices: taken.Indices, Values: taken.Values})
		}, g.gather)
	}
	if err != nil {
		return err
	}
	return g.numberSingles(ctx)
}

// withoutValues is x as a binary matrix; x keeps the memory of its values for the next block.
func withoutValues(x *sparse.CSR) *sparse.CSR {
	binary := *x
	binary.Values = nil
	return &binary
}

// room is memory for the rows of all blocks: that of the dataset's, which are taken, or other.
func (l *layout) room(entries int64, consume bool) (taken *sparse.CSR, indices []uint32, values []float32) {
	if consume {
		if x, free, ok := l.ds.Take(); ok {
			l.m.free = append(l.m.free, free)
			if !l.m.valued {
				x.Values = nil
			}
			return x, x.Indices, x.Values
		}
	}
	indices, free := mem.MakeHuge[uint32](int(entries))
	l.m.free = append(l.m.free, free)
	if l.m.valued {
		values, free = mem.MakeHuge[float32](int(entries))
		l.m.free = append(l.m.free, free)
	}
	return nil, indices, values
}

// counts says whether a row of a block of the dataset, whose first row is given, is in the matrix.
func (l *layout) counts(first uint64, i int) bool {
	return l.all || l.m.Documents.Contains(uint32(first)+uint32(i))
}

// block writes the rows of a block, one after the other, to dst, and returns how long they are.
func (r *rowMaker) block(block int, x *sparse.CSR, dst []uint32, dstValues []float32) (lengths []uint32) {
	first, _, _ := r.l.ds.Rows.BlockRange(block)
	lengths = make([]uint32, 0, x.Rows)
	to := 0
	for i := range x.Rows {
		if !r.l.counts(first, i) {
			continue
		}
		columns, values := x.Row(i)
		n := r.row(columns, values) // in place, as that may be where dst is
		if copy(dst[to:], columns[:n]); values != nil {
			copy(dstValues[to:], values[:n])
		}
		to += n
		lengths = append(lengths, uint32(n))
	}
	if dstValues != nil {
		r.l.o.sublinear(dstValues[:to])
	}
	return lengths
}

// sortedBlock is block for rows that are out of order: all of a block are sorted together.
func (r *rowMaker) sortedBlock(block int, x *sparse.CSR, dst []uint32, dstValues []float32) (lengths []uint32) {
	first, _, _ := r.l.ds.Rows.BlockRange(block)
	room := int(x.Indptr[x.Rows] - x.Indptr[0])
	entries, entryValues := r.radix.Reserve(room, x.Values != nil)
	lengths = make([]uint32, 0, x.Rows)
	n := 0
	for i := range x.Rows {
		if !r.l.counts(first, i) {
			continue
		}
		row := uint32(len(lengths))
		columns, values := r.l.within(x.Row(i))
		r.number(columns)
		for k, column := range columns {
			entries[n] = rowsort.Entry(column&^shared, row)
			if values != nil {
				entryValues[n] = values[k]
			}
			n += counted(column &^ shared)
		}
		lengths = append(lengths, 0)
	}
	r.radix.Build(n, len(lengths))
	to := 0
	for row := range lengths {
		columns, values := r.addEqual(r.radix.Row(row))
		copy(dst[to:], columns)
		if values != nil {
			copy(dstValues[to:], values)
		}
		to += len(columns)
		lengths[row] = uint32(len(columns))
	}
	if dstValues != nil {
		r.l.o.sublinear(dstValues[:to])
	}
	return lengths
}

// counted is 0 for dropped, else 1.
func counted(column uint32) int {
	other := column ^ dropped
	return int((other | -other) >> 31)
}
