package matrix

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/dataset"
	"github.com/seed-167f963f/nbsvm/internal/hugepages"
	"github.com/seed-167f963f/nbsvm/internal/idset"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// layout is what is known of columns while a matrix is laid out.
//
// A dataset's columns are n-grams, those of the matrix are buckets, which several n-grams may share.
// Buckets are numbered by the documents of their n-grams, added up: what documents have several
// n-grams of a bucket is known only when rows are made.
type layout struct {
	m   *Matrix
	ds  *dataset.Dataset
	o   *Options
	all bool // documents of the dataset are rows

	// number is, by column of the dataset, that of the matrix, with shared where several n-grams are in
	// its bucket; dropped where the n-gram does not count.
	number  []uint32
	free    func() // gives up number
	shares  int    // buckets of several n-grams
	singles uint32 // columns from here on have one n-gram, which one document has
}

const (
	dropped = 1<<31 - 1
	shared  = 1 << 31
)

func (m *Matrix) layOut(ctx context.Context, ds *dataset.Dataset, o Options, consume bool) error {
	l := &layout{m: m, ds: ds, o: &o, all: int(m.Documents.GetCardinality()) == ds.Documents}
	frequencies, err := l.frequencies(ctx)
	if err != nil {
		return err
	}
	defer l.close()
	if err := l.choose(frequencies); err != nil || len(m.IDs) == 0 {
		return err
	}
	b := l.budget()
	if o.OnDisk || o.Memory > 0 && b.inMemory(int64(len(m.IDs))) > o.Memory {
		if m.Plan, err = b.plan(o.Memory); err != nil {
			return err
		}
		m.Disk, err = newDiskRows(ctx, l)
	} else {
		err = l.inMemory(ctx, consume)
	}
	if err != nil {
		return err
	}
	for _, n := range m.Frequencies {
		if n == 0 || uint64(n) > m.Documents.GetCardinality() {
			return l.damaged()
		}
	}
	if o.IDF && !ds.Ready() {
		m.inverseDocumentFrequency()
	}
	return nil
}

// close gives up what is known of columns.
func (l *layout) close() {
	if l.free != nil {
		l.free()
	}
}

// frequencies are the numbers of the matrix's documents that have each column of the dataset; nil if
// those of the dataset are.
func (l *layout) frequencies(ctx context.Context) ([]uint32, error) {
	if l.all {
		return nil, nil
	}
	counts := make([][]uint32, l.o.Threads) // each thread's own: to add to common ones at once takes much longer
	err := dataset.EachBlock(ctx, l.ds.Rows, len(counts), func(w, block int, x *sparse.CSR) (none struct{}, err error) {
		if counts[w] == nil {
			counts[w] = make([]uint32, l.ds.Rows.Totals().Columns)
		}
		first, _, _ := l.ds.Rows.BlockRange(block)
		for i := range x.Rows {
			if l.m.Documents.Contains(uint32(first) + uint32(i)) {
				columns, _ := x.Row(i)
				for _, j := range columns {
					counts[w][j]++
				}
			}
		}
		return none, ctx.Err()
	}, func(struct{}) error { return nil })
	var sum []uint32
	for _, some := range counts {
		if sum == nil {
			sum = some
			continue
		}
		for j, n := range some {
			sum[j] += n
		}
	}
	if sum == nil {
		sum = make([]uint32, l.ds.Rows.Totals().Columns)
	}
	return sum, err
}

// choose decides which columns of the dataset count, and finds those of the matrix.
func (l *layout) choose(frequencies []uint32) error {
	m, rows := l.m, l.ds.Rows
	id, least, most, err := l.features()
	if err != nil {
		return err
	}
	each := func(visit func(j uint32, key uint64, n uint32)) error {
		return rows.EachColumn(func(j uint32, key, n uint64) {
			if frequencies != nil {
				n = uint64(frequencies[j])
			}
			visit(j, key, uint32(n)) // there are fewer than 2^31 documents
		})
	}
	counts := func(n uint32) bool { return n > 0 && n >= least && n <= most }
	used := idset.New(m.Universe)
	err = each(func(j uint32, key uint64, n uint32) {
		if n > 0 {
			m.Stats.Distinct++
		}
		if counts(n) {
			m.Stats.Selected++
			used.Add(id(key))
		}
	})
	if err != nil {
		return err
	}
	if l.all {
		m.Stats.Distinct = rows.Totals().Distinct
	}
	used.Index()
	m.IDs = make([]uint32, used.Size)
	for p, id := range used.All() {
		m.IDs[p] = id
	}
	df := make([]uint64, len(m.IDs)) // by ascending id, as numbers are until these are ordered
	l.number, l.free = hugepages.Make[uint32](int(rows.Totals().Columns))
	if !l.ds.Ready() {
		m.Tags = make([]uint16, len(m.IDs))
	}
	first := make([]uint32, len(m.IDs)) // column of the dataset, from 1
	var twice error
	err = each(func(j uint32, key uint64, n uint32) {
		if !counts(n) {
			l.number[j] = dropped
			return
		}
		p, _ := used.Rank(id(key))
		l.number[j] = uint32(p)
		df[p] += uint64(n)
		tag := hashing.Tag(key)
		if first[p] == 0 {
			first[p] = j + 1
			if m.Tags != nil {
				m.Tags[p] = tag
			}
			return
		}
		if m.Tags == nil {
			twice = fmt.Errorf("nbsvm: %s contradicts itself: two of its columns are of the feature %d: pack the documents again", l.ds.Path, key)
			return
		}
		if earlier := first[p] - 1; l.number[earlier] < shared {
			l.number[earlier] |= shared
			l.shares++
		}
		l.number[j] |= shared
		if m.Tags[p] != tag {
			m.Tags[p] = 0
		}
	})
	m.Stats.Shared = float64(l.shares) / float64(max(1, len(m.IDs)))
	if err = errors.Join(err, twice); err == nil && len(m.IDs) > 0 {
		l.order(df)
	}
	return err
}

// features are how ids come of keys, and the frequencies of those that count.
func (l *layout) features() (id func(key uint64) uint32, least, most uint32, err error) {
	if !l.ds.Ready() {
		l.m.Universe = 1 << l.o.Bits
		least, most = l.o.DocumentFrequencies(int(l.m.Documents.GetCardinality()))
		return func(key uint64) uint32 { return hashing.Bucket(key, l.o.Bits) }, least, most, nil
	}
	largest := uint64(0)
	err = l.ds.Rows.EachColumn(func(_ uint32, key, _ uint64) { largest = max(largest, key) })
	l.m.Universe = largest + 1
	return func(key uint64) uint32 { return uint32(key) }, 1, math.MaxUint32, err
}

// order numbers buckets by the documents of their n-grams, added up, falling, ties by id.
func (l *layout) order(df []uint64) {
	m := l.m
	documents := m.Documents.GetCardinality()
	next := make([]uint32, documents+1) // by document frequency
	for _, n := range df {
		next[min(n, documents)]++ // what several n-grams add up to may be more
	}
	sum := uint32(0)
	for n := len(next) - 1; n > 0; n-- {
		next[n], sum = sum, sum+next[n]
	}
	l.singles = next[1]
	number, free := hugepages.Make[uint32](len(df))
	defer free()
	ids := make([]uint32, len(m.IDs))
	m.Frequencies = make([]uint32, len(m.IDs))
	for p, n := range df {
		place := &next[min(n, documents)]
		k := *place
		*place++
		number[p], ids[k], m.Frequencies[k] = k, m.IDs[p], uint32(n)
	}
	m.IDs = ids
	for j, p := range l.number {
		if p != dropped {
			l.number[j] = number[p&^shared] | p&shared
		}
	}
}
