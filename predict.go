package nbsvm

import (
	"context"
	"slices"
	"sort"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/internal/ordered"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// predicted is what a document of a dataset is predicted to be.
type predicted struct {
	doc int
	Prediction
}

// predictions are what a classifier says of documents of a dataset.
type predictions struct {
	c       *Classifier
	rows    *roaring.Bitmap // the documents
	threads int
	// byHash takes a document's n-grams in order of their hashes, so that margins have the
	// same bits whether they come from a text or from a packed corpus.
	byHash bool
}

// predictor predicts documents of a dataset; each worker has its own.
type predictor struct {
	*Scorer
	of     *predictions
	ds     *dataset
	block  sparse.CSR // of a packed corpus
	sorter sparse.RowSorter
	hashes []uint64
	counts []uint32
	done   []predicted
}

// predict predicts documents from their hashes, and visits them in order.
func (ds *dataset) predict(ctx context.Context, of predictions, visit func(doc int, p *Prediction)) error {
	parts := len(ds.batches)
	if ds.packed != nil {
		parts = ds.packed.Blocks()
		if err := ds.readKeys(); err != nil {
			return err
		}
	}
	workers := make([]predictor, of.threads)
	return ordered.Map(ctx, of.threads, parts, func(w, part int) ([]predicted, error) {
		p := &workers[w]
		if p.Scorer == nil {
			s, err := of.c.NewScorer()
			if err != nil {
				return nil, err
			}
			*p = predictor{Scorer: s, of: &of, ds: ds}
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
		if !p.of.rows.Contains(uint32(b.first + k)) {
			continue
		}
		lo, hi := b.bounds(k)
		switch {
		case p.ds.ready:
			p.features.set(b.ids[lo:hi], nil, b.values[lo:hi])
		case b.counts != nil:
			p.hashed(p.ordered(b.hashes[lo:hi], b.counts[lo:hi]))
		default:
			p.hashed(p.ordered(b.hashes[lo:hi], nil))
		}
		p.add(b.first + k)
	}
}

// packed predicts the documents of a block of a packed corpus.
func (p *predictor) packed(block int) error {
	first, end, _ := p.ds.packed.BlockRange(block)
	if !p.of.rows.IntersectsWithInterval(first, end) {
		return nil
	}
	if err := p.ds.packed.Block(block, &p.block); err != nil {
		return err
	}
	for i := range p.block.Rows {
		if doc := int(first) + i; p.of.rows.Contains(uint32(doc)) {
			columns, values := p.block.Row(i)
			p.row(columns, values)
			p.add(doc)
		}
	}
	return nil
}

// row takes in a document of a packed corpus, in whose memory it works.
func (p *predictor) row(columns []uint32, values []float32) {
	if p.ds.ready {
		for k, j := range columns {
			columns[k] = uint32(p.ds.keys[j])
		}
		if p.of.byHash {
			columns, values = p.sorter.Sort(columns, values)
		}
		p.features.set(columns, nil, values)
		return
	}
	p.hashes = p.hashes[:0]
	for _, j := range columns {
		p.hashes = append(p.hashes, p.ds.keys[j])
	}
	if p.m.Meta.Values == string(Binary) {
		p.hashed(p.ordered(p.hashes, nil))
		return
	}
	p.counts = p.counts[:0]
	for _, v := range values {
		p.counts = append(p.counts, uint32(v))
	}
	p.hashed(p.ordered(p.hashes, p.counts))
}

// ordered are n-grams and their counts in the order in which they are to be taken.
func (p *predictor) ordered(hashes []uint64, counts []uint32) ([]uint64, []uint32) {
	if !p.of.byHash {
		return hashes, counts
	}
	p.hashes, p.counts = append(p.hashes[:0], hashes...), append(p.counts[:0], counts...)
	if counts == nil {
		slices.Sort(p.hashes)
		return p.hashes, nil
	}
	sort.Sort((*hashOrder)(p))
	return p.hashes, p.counts
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
