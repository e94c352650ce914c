package nbsvm

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/hugepages"
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
	free   func()   // gives up number
	many   []uint64 // bits of columns of the corpus: which have manyGrams
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
	frequencies, err := u.frequencies(ctx)
	if err != nil {
		return err
	}
	defer u.close()
	if err := u.choose(frequencies); err != nil || len(d.ids) == 0 {
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

// close gives up what is known of columns.
func (u *unpacker) close() {
	if u.free != nil {
		u.free()
	}
	u.number, u.free = nil, nil
}

// frequencies are the numbers of the design's documents that have each column; nil if those
// of the corpus are.
func (u *unpacker) frequencies(ctx context.Context) ([]uint32, error) {
	if u.all {
		return nil, nil
	}
	c := u.ds.packed
	counts := make([]uint32, c.Totals().Columns)
	err := eachPackedBlock(ctx, c, u.o.threads(), func(_, block int, m *sparse.CSR) (none struct{}, err error) {
		first, _, _ := c.BlockRange(block)
		for i := range m.Rows {
			if u.d.rows.Contains(uint32(first) + uint32(i)) {
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
func (u *unpacker) choose(frequencies []uint32) error {
	d, c := u.d, u.ds.packed
	id, minDF, maxDF, err := u.features()
	if err != nil {
		return err
	}
	counts := func(n uint32) bool { return n > 0 && n >= minDF && n <= maxDF }
	each := func(visit func(j uint32, key uint64, n uint32)) error {
		return c.EachColumn(func(j uint32, key, n uint64) {
			if frequencies != nil {
				n = uint64(frequencies[j])
			}
			visit(j, key, uint32(n)) // there are fewer than 2^31 documents
		})
	}
	used := idset.New(d.universe)
	err = each(func(j uint32, key uint64, n uint32) {
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
	columns := int(c.Totals().Columns)
	u.df, u.many = make([]uint32, len(d.ids)), make([]uint64, (columns+63)/64)
	u.number, u.free = hugepages.Make[uint32](columns)
	if !u.ds.ready {
		d.tags = make([]uint16, len(d.ids))
	}
	first := make([]uint32, len(d.ids)) // column of the corpus, from 1
	err = each(func(j uint32, key uint64, n uint32) {
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
		if earlier := first[p] - 1; u.number[earlier] < manyGrams {
			u.mark(earlier)
			u.df[p] = 0 // to be counted
			u.shared++
		}
		u.mark(j)
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

// mark notes that a column of the corpus shares its column of the matrix.
func (u *unpacker) mark(j uint32) {
	u.number[j] |= manyGrams
	u.many[j/64] |= 1 << (j % 64)
}

// features are how ids come of keys, and the frequencies of those that count.
func (u *unpacker) features() (id func(key uint64) uint32, minDF, maxDF uint32, err error) {
	if !u.ds.ready {
		u.d.universe = 1 << u.o.Text.Bits
		minDF, maxDF = u.o.documentFrequencies(u.d.rows.GetCardinality())
		return func(key uint64) uint32 { return hashing.Bucket(key, u.o.Text.Bits) }, minDF, maxDF, nil
	}
	largest := uint64(0)
	err = u.ds.packed.EachColumn(func(_ uint32, key, _ uint64) { largest = max(largest, key) })
	u.d.universe = largest + 1
	return func(key uint64) uint32 { return uint32(key) }, 1, math.MaxUint32, err
}

// countShared counts the documents of the matrix's columns that several n-grams share.
func (u *unpacker) countShared(ctx context.Context) error {
	if u.shared == 0 {
		return nil
	}
	lasts := make([][]uint32, u.o.threads()) // document that a column was last counted in, from 1
	shared := make([][]uint32, len(lasts))   // columns of a document
	return eachPackedBlock(ctx, u.ds.packed, len(lasts), func(w, block int, m *sparse.CSR) (none struct{}, err error) {
		if lasts[w] == nil {
			lasts[w] = make([]uint32, len(u.df))
		}
		last, number, many := lasts[w], u.number, u.many
		first, _, _ := u.ds.packed.BlockRange(block)
		for i := range m.Rows {
			document := uint32(first) + uint32(i)
			if !u.all && !u.d.rows.Contains(document) {
				continue
			}
			columns, _ := m.Row(i)
			some := slices.Grow(shared[w][:0], len(columns))[:len(columns)]
			shared[w] = some
			n := 0
			for _, j := range columns { // no branch on what is hard to predict
				some[n] = j
				n += int(many[j/64] >> (j % 64) & 1)
			}
			for _, j := range some[:n] {
				column := number[j] - manyGrams
				if last[column] != document+1 {
					last[column] = document + 1
					atomic.AddUint32(&u.df[column], 1)
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
			u.number[j] = number[n&^manyGrams] | n&manyGrams
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
	before := make([]int64, c.Blocks()+1) // entries of the corpus, by block
	for b := range c.Blocks() {
		_, _, entries := c.BlockRange(b)
		before[b+1] = before[b] + int64(entries)
	}
	makers, columns, values := u.newRows(), x.Indices, x.Values // as x's grow meanwhile
	err := eachPackedBlock(ctx, c, len(makers), func(w, block int, m *sparse.CSR) (filledBlock, error) {
		// A block's rows have no more entries than in the corpus: they are made where they would be
		// if all before them had as many.
		lo, hi := before[block], before[block+1]
		r := &sparse.CSR{Indptr: make([]int64, 1, m.Rows+1), Indices: columns[lo:lo:hi]}
		if d.valued {
			r.Values = values[lo:lo:hi]
		}
		u.append(r, &makers[w], block, m)
		return filledBlock{r, lo}, ctx.Err()
	}, func(b filledBlock) error {
		end := int64(len(x.Indices))
		x.Indices = x.Indices[:end+int64(len(b.Indices))]
		if b.at > end {
			copy(x.Indices[end:], b.Indices)
		}
		if d.valued {
			if x.Values = x.Values[:len(x.Indices)]; b.at > end {
				copy(x.Values[end:], b.Values)
			}
		}
		for i := range b.Rows {
			x.Indptr = append(x.Indptr, end+b.Indptr[i+1])
			if int(singles) == len(d.ids) {
				continue
			}
			// Columns of one document are numbered document by document.
			columns := x.Indices[end+b.Indptr[i] : end+b.Indptr[i+1]]
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
		}
		return nil
	})
	if err == nil && int(own) < len(d.ids) {
		return damaged
	}
	return err
}

// filledBlock is rows of the matrix that one block of the corpus became, from which entry on they
// were made.
type filledBlock struct {
	*sparse.CSR
	at int64
}

// append adds to r the rows of the matrix that are in a block of the corpus, given its rows, in whose
// memory it works.
func (u *unpacker) append(r *sparse.CSR, maker *unpackRow, block int, m *sparse.CSR) {
	first, _, _ := u.ds.packed.BlockRange(block)
	for i := range m.Rows {
		if !u.all && !u.d.rows.Contains(uint32(first)+uint32(i)) {
			continue
		}
		columns, values := m.Row(i)
		maker.append(r, columns, values, u.number)
	}
}
