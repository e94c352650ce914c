package nbsvm

import (
	"context"
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
	all    bool     // documents of the corpus
}

const (
	uncounted = 1<<31 - 1
	manyGrams = 1 << 31
)

// unpack lays out the matrix.
func (d *design) unpack(ctx context.Context, ds *dataset, o *Options, _ bool) error {
	u := &unpacker{d: d, ds: ds, o: o, all: int(d.rows.GetCardinality()) == ds.docs}
	frequencies, err := u.frequencies(ctx)
	if err != nil {
		return err
	}
	if err := u.choose(ctx, frequencies); err != nil || len(d.ids) == 0 {
		return err
	}
	singles := u.renumber()
	return u.fill(ctx, singles)
}

// frequencies are the numbers of the design's documents that have each column.
func (u *unpacker) frequencies(ctx context.Context) ([]uint32, error) {
	c := u.ds.packed
	counts := make([]uint32, c.Totals().Columns)
	if u.all {
		j := 0
		for _, run := range c.Runs {
			for range run.Columns {
				counts[j] = uint32(run.Frequency)
				j++
			}
		}
		return counts, nil
	}
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
	return counts, err
}

// choose decides which columns count, and finds those of the matrix.
func (u *unpacker) choose(ctx context.Context, frequencies []uint32) error {
	d, keys := u.d, u.ds.keys
	minDF, maxDF := uint32(1), uint32(1<<31)
	id := func(key uint64) uint32 { return uint32(key) }
	if u.ds.ready {
		d.universe = 1
		for _, key := range keys {
			d.universe = max(d.universe, key+1)
		}
	} else {
		minDF, maxDF = u.o.documentFrequencies(d.rows.GetCardinality())
		d.universe = 1 << u.o.Text.Bits
		id = func(key uint64) uint32 { return hashing.Bucket(key, u.o.Text.Bits) }
	}
	used := idset.New(d.universe)
	for j, n := range frequencies {
		if n > 0 {
			d.stats.Distinct++
		}
		if n >= minDF && n <= maxDF {
			d.stats.Selected++
			used.Add(id(keys[j]))
		}
	}
	if u.all {
		d.stats.Distinct = u.ds.packed.Totals().Distinct
	}
	used.Index()
	d.ids = slices.AppendSeq(make([]uint32, 0, used.Len()), used.All())
	u.df = make([]uint32, len(d.ids))
	u.number = make([]uint32, len(keys))
	if !u.ds.ready {
		d.tags = make([]uint16, len(d.ids))
	}
	first := make([]uint32, len(d.ids)) // column of the corpus, from 1
	shared := 0
	for j, n := range frequencies {
		if n < minDF || n > maxDF || n == 0 {
			u.number[j] = uncounted
			continue
		}
		p, _ := used.Rank(id(keys[j]))
		u.number[j] = p
		if first[p] == 0 {
			first[p], u.df[p] = uint32(j+1), n
			if d.tags != nil {
				d.tags[p] = hashing.Tag(keys[j])
			}
			continue
		}
		if u.number[first[p]-1] < manyGrams {
			u.number[first[p]-1] |= manyGrams
			u.df[p] = 0 // to be counted
			shared++
		}
		u.number[j] |= manyGrams
		if d.tags[p] != hashing.Tag(keys[j]) {
			d.tags[p] = 0
		}
	}
	d.stats.Shared = float64(shared) / float64(max(1, len(d.ids)))
	if shared == 0 {
		return nil
	}
	return u.countShared(ctx)
}

// countShared counts the documents of the matrix's columns that several n-grams share.
func (u *unpacker) countShared(ctx context.Context) error {
	scratch := make([][]uint32, u.o.threads())
	return eachPackedBlock(ctx, u.ds.packed, u.o.threads(), func(w, first int, m *sparse.CSR) (none struct{}, err error) {
		for i := range m.Rows {
			if !u.all && !u.d.rows.Contains(uint32(first+i)) {
				continue
			}
			found := scratch[w][:0]
			columns, _ := m.Row(i)
			for _, j := range columns {
				if n := u.number[j]; n >= manyGrams {
					found = append(found, n-manyGrams)
				}
			}
			slices.Sort(found)
			scratch[w] = found
			for _, p := range slices.Compact(found) {
				atomic.AddUint32(&u.df[p], 1)
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

// unpacked are rows of the matrix, ids ascending in each.
type unpacked struct {
	ends    []int
	columns []uint32
	values  []float32
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
	sorters := make([]sparse.RowSorter, u.o.threads())
	return eachPackedBlock(ctx, c, u.o.threads(), func(w, first int, m *sparse.CSR) (*unpacked, error) {
		r := &unpacked{columns: make([]uint32, 0, len(m.Indices))}
		if d.valued {
			r.values = make([]float32, 0, len(m.Indices))
		}
		for i := range m.Rows {
			if u.all || d.rows.Contains(uint32(first+i)) {
				columns, values := m.Row(i)
				u.row(r, &sorters[w], columns, values)
			}
		}
		return r, ctx.Err()
	}, func(r *unpacked) error {
		lo := 0
		for _, hi := range r.ends {
			columns := r.columns[lo:hi]
			// Columns of one document are numbered document by document.
			from, _ := slices.BinarySearch(columns, singles)
			for k, j := range columns[from:] {
				d.ids[own], columns[from+k] = single[j-singles], own
				own++
			}
			x.Indptr = append(x.Indptr, int64(len(x.Indices)+hi))
			lo = hi
		}
		x.Indices, x.Values = append(x.Indices, r.columns...), append(x.Values, r.values...)
		return nil
	})
}

// row appends a row of the corpus as one of the matrix.
func (u *unpacker) row(r *unpacked, sorter *sparse.RowSorter, columns []uint32, values []float32) {
	n := 0
	sorted, last := true, int64(-1)
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
	columns = columns[:n]
	if !u.d.valued {
		values = nil
	} else {
		values = values[:n]
	}
	if !sorted {
		columns, values = sparse.AddEqual(sorter.Sort(columns, values))
	}
	r.columns, r.values = append(r.columns, columns...), append(r.values, values...)
	r.ends = append(r.ends, len(r.columns))
}
