package nbsvm

import (
	"context"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

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
	ds    *dataset
	rows  *roaring.Bitmap // the documents
	block sparse.CSR      // of a packed corpus
	done  []predicted
}

// predict predicts the documents in rows from their hashes, and visits them in order.
func (ds *dataset) predict(ctx context.Context, c *Classifier, rows *roaring.Bitmap, threads int, visit func(doc int, p *Prediction)) error {
	parts := len(ds.batches)
	if ds.packed != nil {
		parts = ds.packed.Blocks()
		if err := ds.readKeys(); err != nil {
			return err
		}
	}
	workers := make([]predictor, threads)
	return ordered.Map(ctx, threads, parts, func(w, part int) ([]predicted, error) {
		p := &workers[w]
		if p.Scorer == nil {
			s, err := c.NewScorer()
			if err != nil {
				return nil, err
			}
			*p = predictor{Scorer: s, ds: ds, rows: rows}
		}
		p.done = nil
		if ds.packed == nil {
			p.batch(ds.batches[part])
		} else if err := p.packed(part); err != nil {
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

// batch predicts the documents of a batch.
func (p *predictor) batch(b *batch) {
	for k := range b.ends {
		if !p.rows.Contains(uint32(b.first + k)) {
			continue
		}
		lo, hi := b.bounds(k)
		switch {
		case p.ds.ready:
			p.features.set(b.ids[lo:hi], nil, b.values[lo:hi])
		case b.counts != nil:
			p.hashed(b.hashes[lo:hi], b.counts[lo:hi])
		default:
			p.hashed(b.hashes[lo:hi], nil)
		}
		p.add(b.first + k)
	}
}

// packed predicts the documents of a block of a packed corpus.
func (p *predictor) packed(block int) error {
	first, end, _ := p.ds.packed.BlockRange(block)
	if !p.rows.IntersectsWithInterval(first, end) {
		return nil
	}
	if err := p.ds.packed.Block(block, &p.block); err != nil {
		return err
	}
	for i := range p.block.Rows {
		if doc := int(first) + i; p.rows.Contains(uint32(doc)) {
			columns, values := p.block.Row(i)
			p.packedRow(p.ds, columns, values)
			p.add(doc)
		}
	}
	return nil
}

// add predicts the document that was taken in. The scorer's memory is used again.
func (p *predictor) add(doc int) {
	q := p.predict()
	p.done = append(p.done, predicted{doc, Prediction{slices.Clone(q.Labels), slices.Clone(q.Scores), slices.Clone(q.Margins)}})
}
