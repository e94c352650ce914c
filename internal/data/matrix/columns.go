package matrix

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/base/idset"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/mem"
	"github.com/seed-167f963f/nbsvm/internal/par"
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
	// its bucket; dropped where the n-gram does not count. Columns beyond its end are dropped as well: where
	// documents of the whole dataset are rows, those of too few documents.
	number  []uint32
	free    func() // gives up number
	shares  int    // buckets of several n-grams
	singles uint32 // columns from here on have one n-gram, which one document has
}

const (
	dropped = 1<<31 - 1
	shared  = 1 << 31

	chunkColumns = 1 << 16 // that a thread takes at once
)

func (m *Matrix) layOut(ctx context.Context, ds *dataset.Dataset, o Options, consume bool) error {
	l := &layout{m: m, ds: ds, o: &o, all: int(m.Documents.GetCardinality()) == ds.Documents}
	frequencies, err := l.frequencies(ctx)
	if err != nil {
		return err
	}
	defer l.close()
	if err := l.choose(ctx, frequencies); err != nil || len(m.IDs) == 0 {
		return err
	}
	shape := l.shape()
	if o.OnDisk || o.Memory > 0 && shape.InMemory() > o.Memory {
		if m.Plan, err = shape.OnDisk(o.Memory); err != nil {
			return err
		}
		m.Disk, err = newDiskRows(ctx, l)
	} else {
		err = l.inMemory(ctx, consume)
	}
	if err != nil {
		return err
	}
	documents := m.Documents.GetCardinality()
	for _, n := range m.Frequencies {
		if n == 0 || uint64(n) > documents {
			return l.damaged()
		}
	}
	if o.IDF && !ds.Ready() {
		m.inverseDocumentFrequency()
	}
	if o.Known != nil {
		if m.Disk != nil {
			return errors.New("nbsvm: updating a model takes all documents in memory, and they take more than Options.Memory: raise it")
		}
		m.addKnown(o.Known)
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

// bucket is what is known of a bucket while columns are chosen.
type bucket struct {
	documents uint64 // of its n-grams, added up
	first     uint32 // column of the dataset, from 1; 0 for none yet
	tag       uint16 // see Matrix.Tags
}

// candidatesAtOnce is how many columns are dealt with together.
const candidatesAtOnce = 64

// candidate is a column of the dataset.
type candidate struct {
	key                   uint64
	column, id, documents uint32
}

// choose decides which columns of the dataset count, and finds those of the matrix.
func (l *layout) choose(ctx context.Context, frequencies []uint32) error {
	m, rows := l.m, l.ds.Rows
	shift, least, most, err := l.features()
	if err != nil {
		return err
	}
	columns := uint32(rows.Totals().Columns)
	if l.all && l.o.Known == nil {
		columns = uint32(rows.ColumnsOf(uint64(least)))
	}
	each := func(lo, hi uint64, visit func(c candidate)) error {
		return rows.EachColumnOf(lo, hi, func(j uint32, key, n uint64) {
			if j >= columns {
				return
			}
			if frequencies != nil {
				n = uint64(frequencies[j])
			}
			visit(candidate{key, j, uint32(key >> shift), uint32(n)}) // there are fewer than 2^31 documents
		})
	}
	counts := func(c *candidate) bool {
		n := c.documents
		return n > 0 && (n >= least && n <= most || l.o.Known.has(c))
	}
	// Each thread deals with the columns whose buckets are in its part of all, which shares no word of a bitmap with
	// others. It may have to look at all columns for that.
	const mostParts = 16
	parts := min(max(l.o.Threads, 1), mostParts)
	width := (m.Universe/uint64(parts)/idset.WordBits + 1) * idset.WordBits
	byParts := func(work func(part int, some []candidate) error) error {
		return par.Each(ctx, parts, parts, func(_, part int) (err error) {
			var some [candidatesAtOnce]candidate
			n := 0
			lo, hi := min(uint64(part)*width, m.Universe), min(uint64(part+1)*width, m.Universe)
			failed := each(lo<<shift, hi<<shift-1, func(c candidate) {
				// Whose part it is in is hard to predict, so there is no branch on it.
				some[n] = c
				own := 0
				if uint64(c.id)-lo < width {
					own = 1
				}
				if n += own; n == len(some) {
					if err == nil {
						err = work(part, some[:])
					}
					n = 0
				}
			})
			if err == nil {
				err = work(part, some[:n])
			}
			return errors.Join(failed, err)
		})
	}
	used := idset.New(m.Universe)
	found := make([]struct{ distinct, selected, shares int }, parts)
	err = byParts(func(part int, some []candidate) error {
		distinct, selected := 0, 0 // what others count may be on the same line of the cache
		for i := range some {
			c := &some[i]
			if c.documents > 0 {
				distinct++
			}
			if counts(c) {
				selected++
				used.Add(c.id)
			}
		}
		found[part].distinct += distinct
		found[part].selected += selected
		return nil
	})
	if err != nil {
		return err
	}
	for _, f := range found {
		m.Stats.Distinct += uint64(f.distinct)
		m.Stats.Selected += uint64(f.selected)
	}
	if l.all {
		m.Stats.Distinct = rows.Totals().Distinct
	}
	used.Index()
	m.IDs = make([]uint32, used.Size)
	par.Chunks(l.o.Threads, len(m.IDs), chunkColumns, func(_, lo, hi int) {
		for p, id := range used.Between(lo, hi) {
			m.IDs[p] = id
		}
	})
	buckets, free := mem.MakeHuge[bucket](len(m.IDs)) // by ascending id, as numbers are until these are ordered
	defer free()
	l.number, l.free = mem.MakeHuge[uint32](int(columns))
	err = byParts(func(part int, some []candidate) error {
		shares, err := l.enter(some, counts, used, buckets)
		found[part].shares += shares
		return err
	})
	if err != nil || len(m.IDs) == 0 {
		return err
	}
	for _, f := range found {
		l.shares += f.shares
	}
	m.Stats.Shared = float64(l.shares) / float64(len(m.IDs))
	if !l.ds.Ready() {
		m.Tags = make([]uint16, len(m.IDs))
		par.Chunks(l.o.Threads, len(m.Tags), chunkColumns, func(_, lo, hi int) {
			for p := lo; p < hi; p++ {
				m.Tags[p] = buckets[p].tag
			}
		})
	}
	l.order(buckets)
	return nil
}

// enter enters columns of the dataset, which ascend, into their buckets, and says how many of these are shared from
// now on. Buckets are far from one another, so that all are asked for before they are looked at.
func (l *layout) enter(some []candidate, counts func(c *candidate) bool, used *idset.Set, buckets []bucket) (shares int, err error) {
	var ranks [candidatesAtOnce]uint32
	for i := range some {
		c := &some[i]
		if !counts(c) {
			l.number[c.column], ranks[i] = dropped, dropped
			continue
		}
		p, _ := used.Rank(c.id)
		kernels.Prefetch(&buckets[p])
		l.number[c.column], ranks[i] = uint32(p), uint32(p)
	}
	for i := range some {
		if ranks[i] == dropped {
			continue
		}
		c, b := &some[i], &buckets[ranks[i]]
		b.documents += uint64(c.documents)
		tag := hashing.Tag(c.key)
		if b.first == 0 {
			b.first, b.tag = c.column+1, tag
			continue
		}
		if l.ds.Ready() {
			err = fmt.Errorf("nbsvm: %s contradicts itself: two columns have the feature %d; pack the documents again", l.ds.From(), c.key)
			continue
		}
		if earlier := b.first - 1; l.number[earlier] < shared {
			l.number[earlier] |= shared
			shares++
		}
		l.number[c.column] |= shared
		if b.tag != tag {
			b.tag = 0
		}
	}
	return shares, err
}

// features are how far to the right keys are shifted to be ids, as hashing.Bucket does, and the frequencies of those
// that count.
func (l *layout) features() (shift int, least, most uint32, err error) {
	if !l.ds.Ready() {
		l.m.Universe = 1 << l.o.Bits
		least, most = l.o.DocumentFrequencies(int(l.m.Documents.GetCardinality()))
		return 64 - l.o.Bits, least, most, nil
	}
	largest := uint64(0)
	if k := l.o.Known; k != nil {
		largest = k.Universe - 1
	}
	err = l.ds.Rows.EachColumn(func(_ uint32, key, _ uint64) { largest = max(largest, key) })
	l.m.Universe = largest + 1
	return 0, 1, math.MaxUint32, err
}

// order numbers buckets by the documents of their n-grams, added up, falling, ties by id.
func (l *layout) order(buckets []bucket) {
	m := l.m
	documents := m.Documents.GetCardinality()
	// A counting sort: each thread has some of the buckets, if these are many more than the frequencies there may be.
	const many = 4
	threads := max(min(uint64(l.o.Threads), uint64(len(buckets))/(many*(documents+1))), 1)
	some := func(thread int) (lo, hi int) {
		n := uint64(len(buckets))
		return int(n * uint64(thread) / threads), int(n * uint64(thread+1) / threads)
	}
	next := make([][]uint32, threads) // by document frequency
	par.Do(int(threads), func(thread int) {
		counts := make([]uint32, documents+1)
		for lo, hi := some(thread); lo < hi; lo++ {
			counts[min(buckets[lo].documents, documents)]++ // what several n-grams add up to may be more
		}
		next[thread] = counts
	})
	sum := uint32(0)
	for n := documents; n > 0; n-- {
		for _, counts := range next {
			counts[n], sum = sum, sum+counts[n]
		}
	}
	l.singles = next[0][1]
	number, free := mem.MakeHuge[uint32](len(buckets))
	defer free()
	ids := make([]uint32, len(m.IDs))
	m.Frequencies = make([]uint32, len(m.IDs))
	par.Do(int(threads), func(thread int) {
		next := next[thread]
		for p, hi := some(thread); p < hi; p++ {
			n := buckets[p].documents
			place := &next[min(n, documents)]
			k := *place
			*place++
			number[p], ids[k], m.Frequencies[k] = k, m.IDs[p], uint32(n)
		}
	})
	m.IDs = ids
	par.Chunks(l.o.Threads, len(l.number), chunkColumns, func(_, lo, hi int) {
		for j, p := range l.number[lo:hi] {
			if p != dropped {
				l.number[lo+j] = number[p&^shared] | p&shared
			}
		}
	})
}
