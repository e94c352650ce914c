package nbsvm

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/idset"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// unpacker makes the matrix of documents of a packed corpus, as selectFeatures and layout
// make that of texts: with the same columns, from the same n-grams.
type unpacker struct {
	d  *design
	ds *dataset
	o  *Options
	// number is, by column of the corpus, that of the matrix; before all are numbered, a
	// provisional one, which the ids in use number in ascending order. uncounted where it
	// does not count, and with manyGrams where several n-grams share the matrix's column.
	number []uint32
	df     []uint32 // by provisional number
	shared int      // columns of the matrix that several n-grams share
	all    bool     // documents of the corpus
}

const (
	uncounted = 1<<31 - 1
	manyGrams = 1 << 31
	// noID is that of a column that a document had already.
	noID = math.MaxUint32
)

// unpack lays out the matrix: in memory, or, where that is less than it takes, in the
// corpus.
func (d *design) unpack(ctx context.Context, ds *dataset, o *Options) error {
	u := &unpacker{d: d, ds: ds, o: o, all: int(d.rows.GetCardinality()) == ds.docs}
	frequency, err := u.frequencies(ctx)
	if err != nil {
		return err
	}
	if err := u.choose(frequency); err != nil || len(d.ids) == 0 {
		return err
	}
	b := u.budget()
	far := o.Memory > 0 && b.inMemory(int64(len(d.ids))) > o.Memory
	if far {
		if d.plan, err = b.plan(o.Memory); err != nil {
			return err
		}
	}
	if err := u.countShared(ctx); err != nil {
		return err
	}
	singles := u.renumber()
	if far {
		d.far, err = newFarRows(ctx, u)
		return err
	}
	return u.fill(ctx, singles)
}

// frequencies are the numbers of the design's documents that have each column, to be asked
// for from column 0 on, once or again.
func (u *unpacker) frequencies(ctx context.Context) (func(j uint32) uint32, error) {
	c := u.ds.packed
	if u.all {
		return runFrequencies(c.Runs), nil
	}
	counts := make([]uint32, c.Totals().Columns)
	err := eachPackedBlock(ctx, c, u.o.threads(), func(_, first int, m *sparse.CSR) (none struct{}, err error) {
		for i := range m.Rows {
			if u.d.rows.Contains(uint32(first + i)) {
				columns, _ := m.Row(i)
				for _, j := range columns {
					atomic.AddUint32(&counts[j], 1)
				}
			}
		}
		return none, ctx.Err()
	}, func(struct{}) error { return nil })
	return func(j uint32) uint32 { return counts[j] }, err
}

// choose decides which columns count, and finds those of the matrix.
func (u *unpacker) choose(frequency func(j uint32) uint32) error {
	d, c := u.d, u.ds.packed
	id, minDF, maxDF, err := u.features()
	if err != nil {
		return err
	}
	counts := func(n uint32) bool { return n > 0 && n >= minDF && n <= maxDF }
	used := idset.New(d.universe)
	err = c.EachKey(func(j uint32, key uint64) {
		n := frequency(j)
		if n > 0 {
			d.stats.Distinct++
		}
		if counts(n) {
			d.stats.Selected++
			used.Add(id(key))
		}
	})
	if err != nil {
		return err
	}
	if u.all {
		d.stats.Distinct = c.Totals().Distinct
	}
	used.Index()
	d.ids = slices.AppendSeq(make([]uint32, 0, used.Len()), used.All())
	u.df, u.number = make([]uint32, len(d.ids)), make([]uint32, c.Totals().Columns)
	if !u.ds.ready {
		d.tags = make([]uint16, len(d.ids))
	}
	first := make([]uint32, len(d.ids)) // column of the corpus, from 1
	err = c.EachKey(func(j uint32, key uint64) {
		n := frequency(j)
		if !counts(n) {
			u.number[j] = uncounted
			return
		}
		p, _ := used.Rank(id(key))
		u.number[j] = p
		tag := hashing.Tag(key)
		if first[p] == 0 {
			first[p], u.df[p] = j+1, n
			if d.tags != nil {
				d.tags[p] = tag
			}
			return
		}
		if earlier := &u.number[first[p]-1]; *earlier < manyGrams {
			*earlier |= manyGrams
			u.df[p] = 0 // to be counted
			u.shared++
		}
		u.number[j] |= manyGrams
		if d.tags[p] != tag {
			d.tags[p] = 0
		}
	})
	if err != nil {
		return err
	}
	d.stats.Shared = float64(u.shared) / float64(max(1, len(d.ids)))
	return nil
}

// features are how ids come of keys, and the frequencies of those that count.
func (u *unpacker) features() (id func(key uint64) uint32, minDF, maxDF uint32, err error) {
	if !u.ds.ready {
		u.d.universe = 1 << u.o.Text.Bits
		minDF, maxDF = u.o.documentFrequencies(u.d.rows.GetCardinality())
		return func(key uint64) uint32 { return hashing.Bucket(key, u.o.Text.Bits) }, minDF, maxDF, nil
	}
	largest := uint64(0)
	err = u.ds.packed.EachKey(func(_ uint32, key uint64) { largest = max(largest, key) })
	u.d.universe = largest + 1
	return func(key uint64) uint32 { return uint32(key) }, 1, math.MaxUint32, err
}

// countShared counts the documents of the matrix's columns that several n-grams share.
func (u *unpacker) countShared(ctx context.Context) error {
	if u.shared == 0 {
		return nil
	}
	lasts := make([][]uint32, u.o.threads()) // document that a column was last counted in, from 1
	return eachPackedBlock(ctx, u.ds.packed, len(lasts), func(w, first int, m *sparse.CSR) (none struct{}, err error) {
		if lasts[w] == nil {
			lasts[w] = make([]uint32, len(u.df))
		}
		last := lasts[w]
		for i := range m.Rows {
			if !u.all && !u.d.rows.Contains(uint32(first+i)) {
				continue
			}
			columns, _ := m.Row(i)
			for _, j := range columns {
				if n := u.number[j]; n >= manyGrams && last[n-manyGrams] != uint32(first+i+1) {
					last[n-manyGrams] = uint32(first + i + 1)
					atomic.AddUint32(&u.df[n-manyGrams], 1)
				}
			}
		}
		return none, ctx.Err()
	}, func(struct{}) error { return nil })
}

// renumber gives columns their final numbers, and returns that from which on they are of
// one document each.
func (u *unpacker) renumber() (singles uint32) {
	d := u.d
	number, singles := renumber(u.df)
	if u.o.Values == TFIDF && !u.ds.ready {
		d.inverseDocumentFrequency(u.df, number)
	}
	ids := make([]uint32, len(d.ids))
	for j, id := range d.ids {
		ids[number[j]] = id
	}
	d.ids = ids
	for j, n := range u.number {
		if n != uncounted {
			u.number[j] = number[n&^manyGrams]
		}
	}
	return singles
}

// fill makes the rows.
func (u *unpacker) fill(ctx context.Context, singles uint32) error {
	d, c := u.d, u.ds.packed
	rows := int(d.rows.GetCardinality())
	// Room for all entries of the corpus, of which pages are used that are written to.
	most := c.Totals().Entries
	x := &sparse.CSR{Rows: rows, Cols: len(d.ids), Shared: int(singles), Indptr: make([]int64, 1, rows+1), Indices: make([]uint32, 0, most)}
	if d.valued {
		x.Values = make([]float32, 0, most)
	}
	d.x = x
	single := slices.Clone(d.ids[singles:]) // ids
	own := singles
	damaged := fmt.Errorf("nbsvm: %s contradicts itself: a column is in another number of documents than is said: nbsvm verify tells more", c.Path())
	sorters := make([]sparse.RowSorter, u.o.threads())
	err := eachPackedBlock(ctx, c, u.o.threads(), func(w, first int, m *sparse.CSR) (*sparse.CSR, error) {
		r := &sparse.CSR{Indptr: make([]int64, 1, m.Rows+1), Indices: make([]uint32, 0, len(m.Indices))}
		u.append(r, &sorters[w], first, m)
		return r, ctx.Err()
	}, func(r *sparse.CSR) error {
		for i := range r.Rows {
			columns, _ := r.Row(i)
			// Columns of one document are numbered document by document.
			from, _ := slices.BinarySearch(columns, singles)
			for k, j := range columns[from:] {
				id := &single[j-singles]
				if *id == noID {
					return damaged
				}
				d.ids[own], columns[from+k] = *id, own
				*id = noID
				own++
			}
			x.Indptr = append(x.Indptr, int64(len(x.Indices))+r.Indptr[i+1])
		}
		x.Indices, x.Values = append(x.Indices, r.Indices...), append(x.Values, r.Values...)
		return nil
	})
	if err == nil && int(own) < len(d.ids) {
		return damaged
	}
	return err
}

// append adds to r the rows of the matrix that are in a block of the corpus, whose first
// document has the given number. It works in the block's memory.
func (u *unpacker) append(r *sparse.CSR, sorter *sparse.RowSorter, first int, block *sparse.CSR) {
	for i := range block.Rows {
		if !u.all && !u.d.rows.Contains(uint32(first+i)) {
			continue
		}
		columns, values := block.Row(i)
		if !u.d.valued {
			values = nil
		}
		columns, values, sorted := u.renumbered(columns, values)
		if !sorted {
			columns, values = sparse.AddEqual(sorter.Sort(columns, values))
		}
		r.Indices, r.Values = append(r.Indices, columns...), append(r.Values, values...)
		r.Indptr = append(r.Indptr, int64(len(r.Indices)))
		r.Rows++
	}
}

// renumbered gives a row's columns their numbers in the matrix, in place, and says whether
// these are ascending.
func (u *unpacker) renumbered(columns []uint32, values []float32) ([]uint32, []float32, bool) {
	n, sorted, last := 0, true, int64(-1)
	for k, j := range columns {
		number := u.number[j]
		if number == uncounted {
			continue
		}
		sorted = sorted && int64(number) > last
		last = int64(number)
		columns[n] = number
		if values != nil {
			values[n] = values[k]
		}
		n++
	}
	if values != nil {
		values = values[:n]
	}
	return columns[:n], values, sorted
}
