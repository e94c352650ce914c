package dataset

import (
	"context"
	"errors"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/internal/data/packed"
	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// Rows are the documents of a dataset as rows of columns, in blocks. Columns are n-grams, or
// ready-made features, by falling document frequency, ties by key. *packed.Corpus is one kind
// of them, rows in memory are the other. Methods may be called from several goroutines.
type Rows interface {
	// Totals are the numbers of documents, entries and columns.
	Totals() packed.Totals
	// Blocks is the number of blocks.
	Blocks() int
	// BlockRange is the documents of a block, from first to the one before end, and the number
	// of their entries.
	BlockRange(i int) (first, end, entries uint64)
	// Block puts the rows of a block into m, whose memory is used again.
	Block(i int, m *sparse.CSR) error
	// Release gives up memory of a block, which can be had again.
	Release(i int)
	// ColumnsOf is how many columns at least so many documents have. They are the first.
	ColumnsOf(least uint64) int
	// FrequencyRuns are the numbers of columns of each frequency, in order.
	FrequencyRuns() []packed.Run
	// EachColumn visits the columns, ascending, with what they stand for, the hash of an n-gram
	// or the number of a feature, and their document frequencies.
	EachColumn(visit func(column uint32, key, frequency uint64)) error
	// Keys lists what the columns stand for.
	Keys() ([]uint64, error)
	// Checksum is the same for the same rows of the same kind.
	Checksum() uint32
	// Close gives up what the rows take.
	Close() error
}

// memoryRows are rows in memory.
type memoryRows struct {
	x        sparse.CSR
	keys     []uint64
	runs     []packed.Run
	distinct uint64
	blocks   []int    // first documents, and the end
	free     []func() // of x
	freeKeys func()   // nil where the garbage collector does
}

// blockEntries is from how many entries on a block of rows in memory ends.
const blockEntries = 1 << 17

func (r *memoryRows) Totals() packed.Totals {
	return packed.Totals{
		Documents: uint64(r.x.Rows), Entries: uint64(r.x.NNZ()), Columns: uint64(len(r.keys)),
		Distinct: r.distinct,
	}
}

func (r *memoryRows) Blocks() int { return len(r.blocks) - 1 }

func (r *memoryRows) BlockRange(i int) (first, end, entries uint64) {
	lo, hi := r.blocks[i], r.blocks[i+1]
	return uint64(lo), uint64(hi), uint64(r.x.Indptr[hi] - r.x.Indptr[lo])
}

func (r *memoryRows) Block(i int, m *sparse.CSR) error {
	lo, hi := r.blocks[i], r.blocks[i+1]
	from, to := r.x.Indptr[lo], r.x.Indptr[hi]
	m.Rows, m.Cols, m.Shared = hi-lo, len(r.keys), 0
	m.Indptr = m.Indptr[:0]
	for _, p := range r.x.Indptr[lo : hi+1] {
		m.Indptr = append(m.Indptr, p-from)
	}
	m.Indices = append(m.Indices[:0], r.x.Indices[from:to]...)
	m.Values = m.Values[:0]
	if r.x.Values != nil {
		m.Values = append(m.Values, r.x.Values[from:to]...)
	} else {
		m.Values = nil
	}
	return nil
}

func (r *memoryRows) Release(int) {}

func (r *memoryRows) ColumnsOf(least uint64) int { return int(packed.ColumnsOf(r.runs, least)) }

func (r *memoryRows) FrequencyRuns() []packed.Run { return r.runs }

func (r *memoryRows) EachColumn(visit func(column uint32, key, frequency uint64)) error {
	column := uint32(0)
	for _, run := range r.runs {
		for range run.Columns {
			visit(column, r.keys[column], run.Frequency)
			column++
		}
	}
	return nil
}

func (r *memoryRows) Keys() ([]uint64, error) { return r.keys, nil }

func (r *memoryRows) Checksum() uint32 { return r.x.Checksum() }

func (r *memoryRows) Close() error {
	for _, free := range append(r.free, r.freeKeys) {
		if free != nil {
			free()
		}
	}
	*r = memoryRows{blocks: []int{0}}
	return nil
}

// EachBlock visits the blocks of rows, on several threads; visit gets the number of each. Its
// results are collected in order.
func EachBlock[R any](ctx context.Context, rows Rows, threads int, visit func(w, block int, m *sparse.CSR) (R, error), collect func(R) error) error {
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
		first, end, _ := d.Rows.BlockRange(b)
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

// InMemory returns the rows of all documents, one after the other, if they are in memory; nil otherwise. They must not
// be written to.
func (d *Dataset) InMemory() *sparse.CSR {
	if rows, ok := d.Rows.(*memoryRows); ok {
		return &rows.x
	}
	return nil
}
