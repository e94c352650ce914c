package nbsvm

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/idset"
	"github.com/seed-167f963f/nbsvm/internal/ordered"
)

// chosen are the entries that count, in terms of provisional columns, which the ids in
// use number in ascending order, and what is known of these columns.
type chosen struct {
	blocks  []*hashing.Block
	columns *hashing.Columns
}

// question is what is asked of n-grams.
type question struct {
	hash         hasher
	distinct     uint64 // about so many n-grams
	bits         int    // of buckets
	minDF, maxDF uint32
}

// selectFeatures decides which features count and lists their ids in ascending
// order. With release, the dataset's entries are given up.
func (d *design) selectFeatures(ctx context.Context, ds *dataset, o *Options, release bool) (*chosen, error) {
	if ds.ready {
		return d.selectReady(ctx, ds, o, release)
	}
	minDF, maxDF := o.documentFrequencies(d.rows.GetCardinality())
	c, err := d.choose(ctx, ds, question{textHashes, hashing.EstimateDistinct(ds.sample), o.Text.Bits, minDF, maxDF}, o, release)
	if err != nil {
		return nil, err
	}
	d.universe = 1 << o.Text.Bits
	d.ids, d.tags = c.columns.Buckets, c.columns.Tags
	d.stats.Distinct, d.stats.Selected = d.selected.Distinct(), d.selected.Ngrams()
	d.stats.Shared = float64(d.selected.Shared()) / float64(max(1, len(d.ids)))
	return c, nil
}

// documentFrequencies are those of n-grams that count, in so many documents.
func (o *Options) documentFrequencies(documents uint64) (least, most uint32) {
	switch {
	case o.MaxDF < 1:
		most = uint32(o.MaxDF * float64(documents))
	case o.MaxDF > 1:
		most = uint32(o.MaxDF)
	default:
		most = math.MaxUint32
	}
	return uint32(o.MinDF), most
}

// choose selects the n-grams that are asked for.
func (d *design) choose(ctx context.Context, ds *dataset, q question, o *Options, release bool) (*chosen, error) {
	partition := hashing.NewPartition(q.distinct, q.bits)
	blocks, err := d.split(ctx, ds, partition, q.hash, o.threads(), release)
	if err != nil {
		return nil, err
	}
	d.selected = hashing.NewSelection(partition, q.bits, q.minDF, q.maxDF)
	counters := make([]hashing.Counter, o.threads())
	err = ordered.Each(ctx, len(counters), d.selected.Shards(), func(w, shard int) error {
		d.selected.Select(&counters[w], blocks, shard)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &chosen{blocks, d.selected.Finish()}, nil
}

// selectReady takes every feature number that occurs.
func (d *design) selectReady(ctx context.Context, ds *dataset, o *Options, release bool) (*chosen, error) {
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
	// The numbers in use, numbered without gaps, take the place of buckets.
	width := max(bits.Len(uint(len(d.ids))), hashing.MinBits)
	hash := func(dst []uint64, b *batch, lo, hi int) []uint64 {
		for _, id := range b.ids[lo:hi] {
			column, _ := used.Rank(id) // all ids of the documents in rows are used
			dst = append(dst, uint64(column)<<(64-width))
		}
		return dst
	}
	return d.choose(ctx, ds, question{hash, uint64(len(d.ids)), width, 1, math.MaxUint32}, o, release)
}
