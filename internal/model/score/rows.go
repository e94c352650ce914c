package score

import (
	"cmp"
	"context"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/par"
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
	number int      // of the block, which is kept for its next part; -1 for none
	row    []uint64 // keys of a document
}

// blockPart is some of the documents of a block.
type blockPart struct {
	block      int
	first, end uint64
}

// mostKept bounds the scores, or what is written of them, that wait for those of the documents before them, for each
// chunk of an input.
const mostKept = 1 << 20

// Batch returns the number of documents whose scores may wait at a time.
func (c *Classifier) Batch() int { return max(1, mostKept/len(c.Labels())) }

// PredictRows predicts documents of a dataset from their rows, and visits them in order.
func PredictRows(ctx context.Context, c *Classifier, ds *dataset.Dataset, documents *roaring.Bitmap, threads int, visit func(doc int, p *Prediction)) error {
	keys, err := ds.Rows.Keys()
	if err != nil {
		return err
	}
	var parts []blockPart
	for block := range ds.Rows.Blocks() {
		first, end := ds.Rows.BlockRange(block)
		for first < end {
			next := min(first+uint64(c.Batch()), end)
			if documents.IntersectsWithInterval(first, next) {
				parts = append(parts, blockPart{block, first, next})
			}
			first = next
		}
	}
	workers := make([]rowPredictor, threads)
	return par.Map(ctx, threads, len(parts), func(w, i int) (done []predicted, err error) {
		p := &workers[w]
		if p.ruledPredictor == nil {
			s, err := c.NewScorer()
			if err != nil {
				return nil, err
			}
			*p = rowPredictor{
				ruledPredictor: s.predictor.(*ruledPredictor), ds: ds, keys: keys, wanted: documents,
				number: -1,
			}
		}
		err = c.Guard(func() error {
			done, err = p.predictPart(parts[i])
			return err
		})
		return done, cmp.Or(err, ctx.Err())
	}, func(done []predicted) error {
		for i := range done {
			visit(done[i].doc, &done[i].Prediction)
		}
		return nil
	})
}

// predictPart predicts the documents of a part of a block of rows.
func (p *rowPredictor) predictPart(part blockPart) (done []predicted, err error) {
	if p.number != part.block {
		p.number = -1
		if err := p.ds.Rows.Block(part.block, &p.block); err != nil {
			return nil, err
		}
		p.number = part.block
	}
	begin, _ := p.ds.Rows.BlockRange(part.block)
	for doc := part.first; doc < part.end; doc++ {
		if !p.wanted.Contains(uint32(doc)) {
			continue
		}
		columns, values := p.block.Row(int(doc - begin))
		p.row = p.row[:0]
		for _, j := range columns {
			p.row = append(p.row, p.keys[j])
		}
		q, err := p.predictRow(p.row, values)
		if err != nil {
			return nil, err
		}
		done = append(done, predicted{int(doc), q.clone()})
	}
	return done, nil
}
