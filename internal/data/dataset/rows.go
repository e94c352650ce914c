package dataset

import (
	"context"
	"errors"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/internal/data/vocab"
	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// EachBlock visits the blocks of rows, on several threads; visit gets the number of each. Its
// results are collected in order.
func EachBlock[R any](ctx context.Context, rows *vocab.Corpus, threads int, visit func(w, block int, m *sparse.CSR) (R, error), collect func(R) error) error {
	blocks := make([]sparse.CSR, threads)
	return par.Map(ctx, threads, rows.Blocks(), func(w, i int) (r R, err error) {
		if err := rows.Block(i, &blocks[w]); err != nil {
			return r, err
		}
		rows.Release(i)
		return visit(w, i, &blocks[w])
	}, collect)
}

// EachRow visits the columns of some documents, in their order.
func (d *Dataset) EachRow(
	ctx context.Context, documents *roaring.Bitmap, visit func(document int, columns []uint32),
) error {
	var x sparse.CSR
	for b := range d.Rows.Blocks() {
		first, end := d.Rows.BlockRange(b)
		if !documents.IntersectsWithInterval(first, end) {
			continue
		}
		if err := errors.Join(d.Rows.Block(b, &x), ctx.Err()); err != nil {
			return err
		}
		for i := range x.Rows {
			if document := int(first) + i; documents.Contains(uint32(document)) {
				columns, _ := x.Row(i)
				visit(document, columns)
			}
		}
	}
	return nil
}
