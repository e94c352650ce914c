package matrix

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/seed-167f963f/nbsvm/dataset"
	"github.com/seed-167f963f/nbsvm/internal/hugepages"
	"github.com/seed-167f963f/nbsvm/internal/ordered"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// rowMaker makes rows of the matrix of rows of the dataset, in two steps; it is scratch memory, for
// one goroutine at a time.
//
// Most buckets have one n-gram. Of these, documents of the whole dataset have theirs in order: in
// both, columns come by falling frequency, ties by key. Only buckets that several n-grams share have
// to be sorted, and merged with the others.
type rowMaker struct {
	l            *layout
	own, others  sparse.RowSorter
	radix        sparse.RadixBuilder
	columns      []uint32 // of shared buckets
	values       []float32
	several      []uint32 // where columns of shared buckets are
	seen         []uint64 // bits of shared buckets that the row has
	withoutValue bool
}

func (l *layout) newRowMakers() []rowMaker {
	makers := make([]rowMaker, l.o.Threads)
	for w := range makers {
		makers[w].l, makers[w].withoutValue = l, !l.m.valued
	}
	return makers
}

// provisional gives a document's columns the provisional numbers of their buckets, in place, and leaves
// out what does not count. Where a document has several n-grams of a bucket, its documents are one
// fewer; counting says whether that is to be noted. Without values, one of them stays.
func (r *rowMaker) provisional(columns []uint32, values []float32, counting bool) ([]uint32, []float32) {
	if r.withoutValue {
		values = nil
	}
	number := r.l.number
	for k, j := range columns { // nothing else, so that many places are waited for at a time
		columns[k] = number[j]
	}
	r.several = slices.Grow(r.several[:0], len(columns)+1)[:len(columns)+1]
	n, m := 0, 0
	for k, p := range columns {
		// What counts, and what is shared, is hard to predict, so there are no branches on it.
		columns[n], r.several[m] = p, uint32(n)
		if values != nil {
			values[n] = values[k]
		}
		other := p ^ dropped
		n += int((other | -other) >> 31)
		m += int(p >> 31)
	}
	if columns = columns[:n]; values != nil {
		values = values[:n]
	}
	if m > 1 {
		columns = r.once(columns, r.several[:m], values != nil, counting)
		if values != nil {
			values = values[:len(columns)]
		}
	}
	return columns, values
}

// once finds the buckets of which a document has several n-grams, given where its n-grams of shared buckets are.
// With values all of them stay.
func (r *rowMaker) once(columns, several []uint32, valued, counting bool) []uint32 {
	if r.seen == nil {
		r.seen = make([]uint64, (len(r.l.df)+63)/64)
	}
	seen, again := r.seen, 0
	for _, k := range several {
		bucket := columns[k] - shared
		word, bit := &seen[bucket/64], uint64(1)<<(bucket%64)
		if *word&bit != 0 {
			if counting {
				atomic.AddUint32(&r.l.df[bucket], math.MaxUint32) // one less
			}
			if again++; !valued {
				columns[k] = dropped // is left out below, once the bits are cleared
			}
		}
		*word |= bit
	}
	for _, k := range several {
		if p := columns[k]; p != dropped {
			seen[(p-shared)/64] = 0
		}
	}
	if again == 0 || valued {
		return columns
	}
	n := 0
	for _, p := range columns {
		if columns[n] = p; p != dropped {
			n++
		}
	}
	return columns[:n]
}

// final makes of a row's provisional numbers those of the matrix, ascending, in dst, which has room for
// them and may be the row itself, and returns how many they are: entries of a bucket are added up.
func (r *rowMaker) final(dst []uint32, dstValues []float32, columns []uint32, values []float32) int {
	columns, values = r.split(columns, values)
	if !r.l.all {
		columns, values = r.own.Sort(columns, values)
	}
	others, otherValues := r.columns, r.values
	if len(others) > 0 {
		others, otherValues = sparse.AddEqual(r.others.Sort(others, otherValues))
	}
	if values != nil {
		mergeValued(dst, dstValues, columns, values, others, otherValues)
	} else {
		mergeColumns(dst, columns, others)
	}
	return len(columns) + len(others)
}

// split gives columns their final numbers, in place, and puts those of shared buckets apart.
func (r *rowMaker) split(columns []uint32, values []float32) ([]uint32, []float32) {
	final := r.l.final
	r.columns = slices.Grow(r.columns[:0], len(columns))[:len(columns)]
	others, otherValues := r.columns, []float32(nil)
	if values != nil {
		r.values = slices.Grow(r.values[:0], len(columns))[:len(columns)]
		otherValues = r.values
	}
	for k, p := range columns { // nothing else, so that many places are waited for at a time
		columns[k] = final[p&^shared] | p&shared
	}
	n, m := 0, 0
	for k, column := range columns {
		// Which buckets are shared is hard to predict, so there is no branch on it: all are
		// written to both sides, and written over where they don't stay.
		columns[n], others[m] = column, column&^shared
		if values != nil {
			values[n], otherValues[m] = values[k], values[k]
		}
		several := int(column >> 31)
		n += 1 - several
		m += several
	}
	if r.columns = others[:m]; values != nil {
		values, r.values = values[:n], otherValues[:m]
	} else {
		r.values = nil
	}
	return columns[:n], values
}

// mergeColumns merges two rows that have no column in common.
func mergeColumns(dst, a, b []uint32) {
	i, j := len(a), len(b)
	for j > 0 {
		if i > 0 && a[i-1] > b[j-1] {
			i--
			dst[i+j] = a[i]
		} else {
			j--
			dst[i+j] = b[j]
		}
	}
	copy(dst, a[:i])
}

// mergeValued is mergeColumns for rows with values.
func mergeValued(dst []uint32, dstValues []float32, a []uint32, aValues []float32, b []uint32, bValues []float32) {
	i, j := len(a), len(b)
	for j > 0 {
		if i > 0 && a[i-1] > b[j-1] {
			i--
			dst[i+j], dstValues[i+j] = a[i], aValues[i]
		} else {
			j--
			dst[i+j], dstValues[i+j] = b[j], bValues[j]
		}
	}
	copy(dst, a[:i])
	copy(dstValues, aValues[:i])
}

// blockRows are the rows of the matrix that a block of the dataset becomes: where its entries would begin
// if no block before lost any.
type blockRows struct {
	at      int64
	lengths []uint32
}

// inMemory makes the rows of the matrix, in the memory of the dataset's if these are to be consumed. Blocks
// are worked on where they are, and moved up to those before them in the end.
func (l *layout) inMemory(ctx context.Context, consume bool) error {
	rows := l.ds.Rows
	blocks := make([]blockRows, rows.Blocks())
	at := int64(0)
	for b := range blocks {
		_, _, entries := rows.BlockRange(b)
		blocks[b].at = at
		at += int64(entries)
	}
	taken, indices, values := l.room(at, consume)
	part := func(b int) ([]uint32, []float32) {
		lo, hi := blocks[b].at, at
		if b+1 < len(blocks) {
			hi = blocks[b+1].at
		}
		if values == nil {
			return indices[lo:hi:hi], nil
		}
		return indices[lo:hi:hi], values[lo:hi:hi]
	}
	makers := l.newRowMakers()
	provisional := func(w, b int, x *sparse.CSR) (none struct{}, err error) {
		columns, columnValues := part(b)
		blocks[b].lengths = l.provisional(&makers[w], b, x, columns, columnValues)
		return none, ctx.Err()
	}
	var err error
	if taken != nil {
		err = ordered.Each(ctx, l.o.Threads, len(blocks), func(w, b int) error {
			first, end, _ := rows.BlockRange(b)
			// Rows are worked on where they are.
			x := &sparse.CSR{Rows: int(end - first), Indptr: taken.Indptr[first : end+1], Indices: taken.Indices, Values: taken.Values}
			_, err := provisional(w, b, x)
			return err
		})
	} else {
		err = dataset.EachBlock(ctx, rows, l.o.Threads, provisional, func(struct{}) error { return nil })
	}
	if err != nil {
		return err
	}
	l.closeNumbers()
	singles, err := l.order()
	if err != nil {
		return err
	}
	g := l.newGatherer(indices, values, singles)
	// Where most buckets are shared, or rows are others than the dataset's, nearly all has to be sorted.
	finals := l.finals
	if !l.all || 4*l.shares > len(l.df) {
		finals = l.finalsSorted
	}
	return ordered.Map(ctx, l.o.Threads, len(blocks), func(w, b int) (*blockRows, error) {
		columns, columnValues := part(b)
		finals(&makers[w], &blocks[b], columns, columnValues)
		return &blocks[b], ctx.Err()
	}, g.gather)
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
	indices, free := hugepages.Make[uint32](int(entries))
	l.m.free = append(l.m.free, free)
	if l.m.valued {
		values, free = hugepages.Make[float32](int(entries))
		l.m.free = append(l.m.free, free)
	}
	return nil, indices, values
}

// provisional writes the rows of a block, with provisional numbers, one after the other to dst.
func (l *layout) provisional(r *rowMaker, block int, x *sparse.CSR, dst []uint32, dstValues []float32) (lengths []uint32) {
	first, _, _ := l.ds.Rows.BlockRange(block)
	lengths = make([]uint32, 0, x.Rows)
	n := 0
	for i := range x.Rows {
		if !l.all && !l.m.Documents.Contains(uint32(first)+uint32(i)) {
			continue
		}
		columns, values := x.Row(i)
		columns, values = r.provisional(columns, values, true)
		if copy(dst[n:], columns); values != nil {
			copy(dstValues[n:], values)
		}
		n += len(columns)
		lengths = append(lengths, uint32(len(columns)))
	}
	return lengths
}

// finals gives the rows of a block their final numbers, in place.
func (l *layout) finals(r *rowMaker, b *blockRows, columns []uint32, values []float32) {
	var rowValues []float32
	from, to := 0, 0
	for i, n := range b.lengths {
		row := columns[from : from+int(n)]
		if values != nil {
			rowValues = values[from : from+int(n)]
		}
		length := r.final(row, rowValues, row, rowValues)
		if to < from {
			copy(columns[to:], row[:length])
			if values != nil {
				copy(values[to:], rowValues[:length])
			}
		}
		b.lengths[i] = uint32(length)
		from, to = from+int(n), to+length
	}
	if values != nil {
		l.o.sublinear(values[:to])
	}
}

// finalsSorted is finals for rows that are out of order: all of a block are sorted together.
func (l *layout) finalsSorted(r *rowMaker, b *blockRows, columns []uint32, values []float32) {
	n := 0
	for _, length := range b.lengths {
		n += int(length)
	}
	entries, entryValues := r.radix.Reserve(n, values != nil)
	k := 0
	for row, length := range b.lengths {
		for _, p := range columns[k : k+int(length)] {
			entries[k] = sparse.Entry(l.final[p&^shared], uint32(row))
			k++
		}
	}
	if values != nil {
		copy(entryValues, values[:n])
	}
	r.radix.Build(n, len(b.lengths))
	to := 0
	for row := range b.lengths {
		ids, of := r.radix.Row(row)
		if values != nil {
			ids, of = sparse.AddEqual(ids, of)
			copy(values[to:], of)
		}
		to += copy(columns[to:], ids)
		b.lengths[row] = uint32(len(ids))
	}
	if values != nil {
		l.o.sublinear(values[:to])
	}
}

// gatherer moves blocks up to each other, and numbers columns of one document document by document.
type gatherer struct {
	l       *layout
	x       *sparse.CSR
	indices []uint32
	values  []float32
	singles uint32
	ids     []uint32 // of columns of one document, until these have been met
	own     uint32   // number of the next column of one document
}

func (l *layout) newGatherer(indices []uint32, values []float32, singles uint32) *gatherer {
	m := l.m
	rows := int(m.Documents.GetCardinality())
	m.X = &sparse.CSR{Rows: rows, Cols: len(m.IDs), Shared: int(singles), Indptr: make([]int64, 1, rows+1)}
	return &gatherer{l, m.X, indices, values, singles, slices.Clone(m.IDs[singles:]), singles}
}

// gather takes in the next block.
func (g *gatherer) gather(b *blockRows) error {
	const taken = math.MaxUint32
	m, x := g.l.m, g.x
	end, n := int64(len(x.Indices)), int64(0)
	for _, length := range b.lengths {
		n += int64(length)
	}
	if b.at > end {
		copy(g.indices[end:end+n], g.indices[b.at:b.at+n])
		if g.values != nil {
			copy(g.values[end:end+n], g.values[b.at:b.at+n])
		}
	}
	x.Indices = g.indices[:end+n]
	if g.values != nil {
		x.Values = g.values[:end+n]
	}
	for _, length := range b.lengths {
		row := g.indices[end : end+int64(length)]
		end += int64(length)
		x.Indptr = append(x.Indptr, end)
		if len(row) == 0 || row[len(row)-1] < g.singles {
			continue
		}
		from, _ := slices.BinarySearch(row, g.singles)
		for k, column := range row[from:] {
			id := &g.ids[column-g.singles]
			if *id == taken {
				return g.l.damaged()
			}
			m.IDs[g.own], row[from+k] = *id, g.own
			*id = taken
			g.own++
		}
	}
	if x.Rows == len(x.Indptr)-1 && int(g.own) < len(m.IDs) {
		return g.l.damaged()
	}
	return nil
}

// damaged is an error about a corpus whose frequencies are not those of its rows.
func (l *layout) damaged() error {
	return fmt.Errorf("nbsvm: %s contradicts itself: a column is in another number of documents than is said: nbsvm verify tells more", l.ds.Path)
}
