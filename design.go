package nbsvm

import (
	"context"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/stage"
	"github.com/seed-167f963f/nbsvm/sparse"
	"github.com/seed-167f963f/nbsvm/sparse/packed"
)

// design is the matrix of a training set: rows are its documents in ascending
// order, columns the features that count, numbered by falling document
// frequency (ties by id; those of one document by document), so that the frequent ones
// share cache lines.
type design struct {
	rows     *roaring.Bitmap // the documents
	x        *sparse.CSR
	far      *farRows // instead of x, where rows are not in memory
	plan     farPlan  // for them
	threads  int
	ids      []uint32  // feature id of every column
	tags     []uint16  // of text: of the ids in ascending order, see hashing.Columns
	idf      []float32 // of every column; nil where values are not tf-idf
	rowScale []float64 // brings features to unit length; nil without Prenormalize
	universe uint64    // ids are below it
	selected *hashing.Selection
	valued   bool // the matrix has values
	stats    FeatureStats
}

// FeatureStats tell what became of the n-grams of a training set.
type FeatureStats struct {
	Entries  int64   `json:"entries"`  // distinct n-grams, summed over documents
	Distinct uint64  `json:"distinct"` // distinct n-grams
	Selected uint64  `json:"selected"` // n-grams that count
	Buckets  int     `json:"buckets"`  // buckets in use: columns
	Shared   float64 `json:"shared"`   // share of buckets in use by several n-grams that count
	NonZeros int64   `json:"non_zeros"`
}

// newDesign lays out the matrix of the documents in rows. With release, the
// dataset's hashes are given up on the way, to save memory.
func newDesign(ctx context.Context, ds *dataset, rows *roaring.Bitmap, o *Options, release bool) (*design, error) {
	d := &design{rows: rows, valued: !ds.binary(o), threads: o.threads()}
	var err error
	if ds.packed != nil {
		err = d.unpack(ctx, ds, o)
	} else {
		err = d.build(ctx, ds, o, release)
	}
	if err != nil {
		return nil, err
	}
	if len(d.ids) == 0 {
		return nil, fmt.Errorf("nbsvm: no features left of %d documents: every n-gram is filtered out (min-df %d, max-df %v) or the texts are empty", rows.GetCardinality(), o.MinDF, o.MaxDF)
	}
	if d.far == nil {
		o.sublinear(d.x.Values)
	}
	if err := d.scale(ctx, o); err != nil {
		return nil, err
	}
	d.stats.NonZeros = d.nnz()
	d.stats.Buckets = len(d.ids)
	return d, nil
}

// build selects features of texts and lays out their matrix, which is left out where there
// are none.
func (d *design) build(ctx context.Context, ds *dataset, o *Options, release bool) error {
	c, err := stage.Get(ctx, stage.Count, func(ctx context.Context) (*chosen, error) {
		return d.selectFeatures(ctx, ds, o, release)
	})
	if err != nil || len(d.ids) == 0 {
		return err
	}
	return stage.Do(ctx, stage.Layout, func(ctx context.Context) error { return d.layout(ctx, c, ds, o) })
}

// scale computes the row scales of Prenormalize.
func (d *design) scale(ctx context.Context, o *Options) error {
	if !o.Prenormalize {
		return nil
	}
	return d.each(ctx, func(_ int, x *sparse.CSR) error {
		d.rowScale = append(d.rowScale, x.InverseNorms(d.idf)...)
		return nil
	})
}

// each visits all rows: those from first on, in x.
func (d *design) each(ctx context.Context, visit func(first int, x *sparse.CSR) error) error {
	if d.far != nil {
		return d.far.each(ctx, d.threads, visit)
	}
	return visit(0, d.x)
}

// close gives up rows that are not in memory.
func (d *design) close() {
	if d.far != nil {
		d.far.Close()
	}
}

// count is the number of rows.
func (d *design) count() int {
	if d.far != nil {
		return d.far.Rows()
	}
	return d.x.Rows
}

// checksum is the same for the same matrix, of rows in memory or of those in one corpus.
func (d *design) checksum() uint32 {
	if d.far != nil {
		return d.far.Checksum()
	}
	return d.x.Checksum()
}

// nnz is the number of entries.
func (d *design) nnz() int64 {
	if d.far != nil {
		return int64(d.far.Totals().Entries)
	}
	return d.x.NNZ()
}

// binary says whether the matrix needs no values.
func (ds *dataset) binary(o *Options) bool {
	if !ds.ready {
		return !o.counted()
	}
	if ds.packed != nil {
		return ds.packed.Kind == packed.Binary
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
