package score

import (
	"context"
	"slices"
	"sort"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/dataset"
	"github.com/seed-167f963f/nbsvm/internal/ordered"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// predicted is what a document of a dataset is predicted to be.
type predicted struct {
	doc int
	Prediction
}

// predictor predicts documents of a dataset; each worker has its own.
type predictor struct {
	*Scorer
	ds     *dataset.Dataset
	keys   []uint64        // what the dataset's columns stand for
	wanted *roaring.Bitmap // documents
	block  sparse.CSR
	sorter sparse.RowSorter
	hashes []uint64
	counts []uint32
	done   []predicted
}

// PredictRows predicts documents of a dataset from their rows, and visits them in order. A document's
// n-grams are taken in order of their hashes, so that margins have the same bits however the rows came about.
func (c *Classifier) PredictRows(ctx context.Context, ds *dataset.Dataset, documents *roaring.Bitmap, threads int, visit func(doc int, p *Prediction)) error {
	keys, err := ds.Rows.Keys()
	if err != nil {
		return err
	}
	workers := make([]predictor, threads)
	return ordered.Map(ctx, threads, ds.Rows.Blocks(), func(w, block int) ([]predicted, error) {
		p := &workers[w]
		if p.Scorer == nil {
			s, err := c.NewScorer()
			if err != nil {
				return nil, err
			}
			*p = predictor{Scorer: s, ds: ds, keys: keys, wanted: documents}
		}
		p.done = nil
		if err := p.predictBlock(block); err != nil {
			return nil, err
		}
		return p.done, ctx.Err()
	}, func(done []predicted) error {
		for i := range done {
			visit(done[i].doc, &done[i].Prediction)
		}
		return nil
	})
}

// predictBlock predicts the documents of a block of rows.
func (p *predictor) predictBlock(block int) error {
	first, end, _ := p.ds.Rows.BlockRange(block)
	if !p.wanted.IntersectsWithInterval(first, end) {
		return nil
	}
	if err := p.ds.Rows.Block(block, &p.block); err != nil {
		return err
	}
	for i := range p.block.Rows {
		if doc := int(first) + i; p.wanted.Contains(uint32(doc)) {
			columns, values := p.block.Row(i)
			p.row(columns, values)
			p.add(doc)
		}
	}
	return nil
}

// row takes in a document's row, in whose memory it works.
func (p *predictor) row(columns []uint32, values []float32) {
	if p.ds.Ready() {
		for k, j := range columns {
			columns[k] = uint32(p.keys[j])
		}
		columns, values = p.sorter.Sort(columns, values)
		p.features.set(columns, nil, values)
		return
	}
	p.hashes = p.hashes[:0]
	for _, j := range columns {
		p.hashes = append(p.hashes, p.keys[j])
	}
	if p.m.Meta.Values == binary {
		slices.Sort(p.hashes)
		p.hashed(p.hashes, nil)
		return
	}
	p.counts = p.counts[:0]
	for _, v := range values {
		p.counts = append(p.counts, uint32(v))
	}
	sort.Sort((*hashOrder)(p))
	p.hashed(p.hashes, p.counts)
}

// hashOrder sorts n-grams and their counts.
type hashOrder predictor

func (b *hashOrder) Len() int           { return len(b.hashes) }
func (b *hashOrder) Less(i, j int) bool { return b.hashes[i] < b.hashes[j] }
func (b *hashOrder) Swap(i, j int) {
	b.hashes[i], b.hashes[j] = b.hashes[j], b.hashes[i]
	b.counts[i], b.counts[j] = b.counts[j], b.counts[i]
}

// add predicts the document that was taken in. The scorer's memory is used again.
func (p *predictor) add(doc int) {
	q := p.predict()
	p.done = append(p.done, predicted{doc, Prediction{slices.Clone(q.Labels), slices.Clone(q.Scores), slices.Clone(q.Margins)}})
}
