package nbsvm

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/idset"
	"github.com/seed-167f963f/nbsvm/internal/ordered"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// design is the matrix of a training set: rows are its documents in ascending
// order, columns the features that count, numbered by falling document
// frequency (ties by id), so that the frequent ones share cache lines.
type design struct {
	rows     *roaring.Bitmap // the documents
	x        *sparse.CSR
	ids      []uint32  // feature id of every column
	idf      []float32 // of every column; nil where values are not tf-idf
	rowScale []float64 // brings features to unit length; nil without Prenormalize
	universe uint64    // ids are below it
	selected *hashing.Selection
	stats    FeatureStats
}

// FeatureStats tell what became of the n-grams of a training set.
type FeatureStats struct {
	Entries  int64   `json:"entries"`  // distinct n-grams, summed over documents
	Distinct uint64  `json:"distinct"` // distinct n-grams, estimated
	Selected uint64  `json:"selected"` // n-grams that count (estimated where all do)
	Buckets  int     `json:"buckets"`  // buckets in use: columns
	Shared   float64 `json:"shared"`   // share of buckets in use by several n-grams that count (estimated)
	NonZeros int64   `json:"non_zeros"`
}

// newDesign lays out the matrix of the documents in rows. With release, the
// dataset's hashes are given up on the way, to save memory.
func newDesign(ctx context.Context, ds *dataset, rows *roaring.Bitmap, o *Options, release bool) (*design, error) {
	d := &design{rows: rows}
	columns, err := d.selectFeatures(ctx, ds, o)
	if err != nil {
		return nil, err
	}
	if len(d.ids) == 0 {
		return nil, fmt.Errorf("nbsvm: no features left of %d documents: every n-gram is filtered out (min-df %d, max-df %v) or the texts are empty", rows.GetCardinality(), o.MinDF, o.MaxDF)
	}
	if err := d.layout(ctx, ds, columns, o, release); err != nil {
		return nil, err
	}
	d.scale(o)
	d.stats.NonZeros = d.x.NNZ()
	d.stats.Buckets = len(d.ids)
	return d, nil
}

// columnsOf appends the provisional columns of a batch's entries lo to hi,
// hashing.NotSelected for those that do not count.
type columnsOf func(dst []uint32, b *batch, lo, hi int) []uint32

// selectFeatures decides which features count and lists their ids in ascending
// order, which numbers the provisional columns.
func (d *design) selectFeatures(ctx context.Context, ds *dataset, o *Options) (columnsOf, error) {
	if ds.ready {
		return d.selectReady(ds), nil
	}
	n := float64(d.rows.GetCardinality())
	minDF, maxDF := uint32(o.MinDF), uint32(math.MaxUint32)
	if o.MaxDF < 1 {
		maxDF = uint32(o.MaxDF * n)
	} else if o.MaxDF > 1 {
		maxDF = uint32(o.MaxDF)
	}
	whole := int(d.rows.GetCardinality()) == ds.docs
	if whole {
		d.stats.Distinct = hashing.EstimateDistinct(ds.sample)
	} else {
		var sample []uint64
		for hashes := range ds.hashRows(d.rows) {
			sample = hashing.AppendSample(sample, hashes)
		}
		d.stats.Distinct = hashing.EstimateDistinct(sample)
	}
	if minDF == 1 && maxDF == math.MaxUint32 {
		d.selected = hashing.SelectAll(o.Text.Bits, ds.hashRows(d.rows))
	} else {
		counts := hashing.NewFrequencies(d.stats.Distinct)
		if err := countDocuments(ctx, counts, ds, d.rows, o.threads()); err != nil {
			return nil, err
		}
		d.selected = hashing.SelectByFrequency(o.Text.Bits, counts, minDF, maxDF, ds.hashRows(d.rows))
	}
	d.universe = 1 << o.Text.Bits
	d.ids = slices.AppendSeq(make([]uint32, 0, d.selected.Columns()), d.selected.Buckets())
	d.collisions(o.Text.Bits)
	selected := d.selected
	return func(dst []uint32, b *batch, lo, hi int) []uint32 {
		return selected.AppendColumns(dst, b.hashes[lo:hi])
	}, nil
}

// countDocuments counts the documents of every n-gram. Each thread has its own
// shards, and goes through them one by one for every batch, so that a shard's table
// stays in the cache while its n-grams, in the documents' order, are looked up.
func countDocuments(ctx context.Context, counts *hashing.Frequencies, ds *dataset, rows *roaring.Bitmap, threads int) error {
	return ordered.Each(ctx, threads, threads, func(_, part int) error {
		var mine [hashing.Shards]bool
		for shard := part; shard < hashing.Shards; shard += threads {
			mine[shard] = true
		}
		var byShard [hashing.Shards][]uint64
		for _, b := range ds.batches {
			for k := range b.ends {
				if !rows.Contains(uint32(b.first + k)) {
					continue
				}
				lo, hi := b.bounds(k)
				for _, h := range b.hashes[lo:hi] {
					if shard := hashing.Shard(h); mine[shard] {
						byShard[shard] = append(byShard[shard], h)
					}
				}
			}
			for shard := range byShard {
				counts.AddAll(byShard[shard])
				byShard[shard] = byShard[shard][:0]
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		return nil
	})
}

// collisions tells how many buckets several n-grams share. Where the n-grams
// that count are not themselves counted, their number D follows from the buckets
// in use, which random hashing makes B·(1−exp(−D/B)) of B.
func (d *design) collisions(bits int) {
	all, used := float64(d.universe), float64(len(d.ids))
	n, exact := d.selected.Ngrams()
	load := float64(n) / all
	if !exact {
		load = -xmath.Log1p(-min(used/all, 1-1/all))
		n = uint64(load * all)
	}
	d.stats.Selected = n
	if load > 0 {
		empty := xmath.Exp(-load)
		d.stats.Shared = max(0, 1-load*empty/(1-empty))
	}
}

// selectReady takes every feature number that occurs.
func (d *design) selectReady(ds *dataset) columnsOf {
	var top uint32
	for _, b := range ds.batches {
		for _, id := range b.ids {
			top = max(top, id)
		}
	}
	d.universe = uint64(top) + 1
	used := idset.New(d.universe)
	for _, b := range ds.batches {
		for k := range b.ends {
			if !d.rows.Contains(uint32(b.first + k)) {
				continue
			}
			lo, hi := b.bounds(k)
			for _, id := range b.ids[lo:hi] {
				used.Add(id)
			}
		}
	}
	used.Index()
	d.ids = slices.AppendSeq(make([]uint32, 0, used.Len()), used.All())
	d.stats.Distinct, d.stats.Selected = uint64(len(d.ids)), uint64(len(d.ids))
	return func(dst []uint32, b *batch, lo, hi int) []uint32 {
		for _, id := range b.ids[lo:hi] {
			column, _ := used.Rank(id) // all ids of the documents in rows are used
			dst = append(dst, column)
		}
		return dst
	}
}

// strip is the part of the matrix that comes of one batch.
type strip struct {
	columns []uint32
	values  []float32
	ends    []int
}

// layout builds the matrix: provisional columns row by row, their document
// frequencies, and the order that follows.
func (d *design) layout(ctx context.Context, ds *dataset, column columnsOf, o *Options, release bool) error {
	threads := o.threads()
	strips := make([]strip, len(ds.batches))
	df := make([][]uint32, threads)
	gatherers := make([]gatherer, threads)
	binary := ds.binary(o)
	err := ordered.Each(ctx, threads, len(ds.batches), func(w, i int) error {
		if df[w] == nil {
			df[w] = make([]uint32, len(d.ids))
			gatherers[w].seen = make([]uint32, len(d.ids))
		}
		b := ds.batches[i]
		strips[i] = gatherers[w].strip(b, d.rows, column, !binary)
		for _, j := range strips[i].columns {
			df[w][j]++
		}
		if release {
			b.hashes, b.counts, b.ids, b.values = nil, nil, nil, nil
			if i%64 == 63 {
				runtime.GC() // or the heap would grow to twice what is needed
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	total := make([]uint32, len(d.ids))
	for _, part := range df {
		for j, n := range part {
			total[j] += n
		}
	}
	rank := d.renumber(total)
	if o.Values == TFIDF && !ds.ready {
		d.inverseDocumentFrequency(total, rank)
	}
	return d.join(ctx, strips, rank, o, binary)
}

// renumber orders the columns by falling document frequency, ties by id, and
// returns the new number of every provisional column.
func (d *design) renumber(df []uint32) []uint32 {
	order := make([]uint64, len(df)) // ascending: fewest documents missing first
	for j, n := range df {
		order[j] = uint64(math.MaxUint32-n)<<32 | uint64(j)
	}
	slices.Sort(order)
	rank, ids := make([]uint32, len(df)), make([]uint32, len(df))
	for k, key := range order {
		j := uint32(key)
		rank[j], ids[k] = uint32(k), d.ids[j]
	}
	d.ids = ids
	return rank
}

// inverseDocumentFrequency is log((1+n)/(1+df)) + 1, scikit-learn's smoothed idf.
func (d *design) inverseDocumentFrequency(df, rank []uint32) {
	d.idf = make([]float32, len(df))
	n := float64(d.rows.GetCardinality())
	for j, count := range df {
		d.idf[rank[j]] = float32(xmath.Log((1+n)/(1+float64(count))) + 1)
	}
}

// join puts the strips together as one matrix, ids ascending in every row.
func (d *design) join(ctx context.Context, strips []strip, rank []uint32, o *Options, binary bool) error {
	x := &sparse.CSR{Cols: len(rank), Indptr: []int64{0}}
	starts := make([]int64, len(strips))
	for i, s := range strips {
		starts[i] = x.Indptr[x.Rows]
		for _, end := range s.ends {
			x.Indptr = append(x.Indptr, starts[i]+int64(end))
		}
		x.Rows += len(s.ends)
	}
	x.Indices = make([]uint32, x.NNZ())
	if !binary {
		x.Values = make([]float32, x.NNZ())
	}
	sorters := make([]rowSorter, o.threads())
	err := ordered.Each(ctx, len(sorters), len(strips), func(w, i int) error {
		s := &strips[i]
		indices := x.Indices[starts[i]:][:len(s.columns)]
		for k, j := range s.columns {
			indices[k] = rank[j]
		}
		lo := 0
		for _, hi := range s.ends {
			if binary {
				sorters[w].sort(indices[lo:hi])
			} else {
				sorters[w].sortWith(indices[lo:hi], s.values[lo:hi])
				copy(x.Values[starts[i]+int64(lo):], s.values[lo:hi])
			}
			lo = hi
		}
		*s = strip{}
		return nil
	})
	if err != nil {
		return err
	}
	if o.SublinearTF {
		for k, v := range x.Values {
			x.Values[k] = sublinear(v)
		}
	}
	d.x = x
	return nil
}

// sublinear is 1+log(tf).
func sublinear(tf float32) float32 { return float32(1 + xmath.Log(float64(tf))) }

// scale computes the row scales of Prenormalize.
func (d *design) scale(o *Options) {
	if o.Prenormalize {
		d.rowScale = d.x.InverseNorms(d.idf)
	}
}

// binary says whether the matrix needs no values.
func (ds *dataset) binary(o *Options) bool {
	if !ds.ready {
		return !o.counted()
	}
	for _, b := range ds.batches {
		for _, v := range b.values {
			if v != 1 {
				return false
			}
		}
	}
	return true
}
