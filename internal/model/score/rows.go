package score

import (
	"context"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/internal/base/ordered"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// predicted is what a document of a dataset is predicted to be.
type predicted struct {
	doc int
	Prediction
}

// rowPredictor predicts documents of a dataset; each worker has its own.
type rowPredictor struct {
	*ruledPredictor
	ds     *dataset.Dataset
	keys   []uint64        // what the dataset's columns stand for
	wanted *roaring.Bitmap // documents
	block  sparse.CSR
	row    []uint64 // keys of a document
	done   []predicted
}

// PredictRows predicts documents of a dataset from their rows, and visits them in order.
func PredictRows(ctx context.Context, c *Classifier, ds *dataset.Dataset, documents *roaring.Bitmap, threads int, visit func(doc int, p *Prediction)) error {
	keys, err := ds.Rows.Keys()
	if err != nil {
		return err
	}
	workers := make([]rowPredictor, threads)
	return ordered.Map(ctx, threads, ds.Rows.Blocks(), func(w, block int) ([]predicted, error) {
		p := &workers[w]
		if p.ruledPredictor == nil {
			s, err := c.NewScorer()
			if err != nil {
				return nil, err
			}
			*p = rowPredictor{ruledPredictor: s.predictor.(*ruledPredictor), ds: ds, keys: keys, wanted: documents}
		}
		p.done = nil
		if err := c.guard(func() error { return p.predictBlock(block) }); err != nil {
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
func (p *rowPredictor) predictBlock(block int) error {
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
			p.row = p.row[:0]
			for _, j := range columns {
				p.row = append(p.row, p.keys[j])
			}
			q, err := p.predictRow(p.row, values)
			if err != nil {
				return err
			}
			p.done = append(p.done, predicted{doc, q.clone()})
		}
	}
	return nil
}
