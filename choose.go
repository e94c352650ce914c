package nbsvm

import (
	"context"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/idset"
	"github.com/seed-167f963f/nbsvm/internal/ordered"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

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
	d.tags = d.selected.Tags(ds.hashRows(d.rows))
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
	d.stats.Distinct = max(d.stats.Distinct, n) // an estimate, rough where they are few
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
