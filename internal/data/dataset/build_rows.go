package dataset

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/base/ordered"
	"github.com/seed-167f963f/nbsvm/internal/base/stage"
	"github.com/seed-167f963f/nbsvm/internal/data/ngrams"
	"github.com/seed-167f963f/nbsvm/internal/data/packed"
	"github.com/seed-167f963f/nbsvm/internal/data/rowsort"
	"github.com/seed-167f963f/nbsvm/internal/file/hugepages"
)

// rowMaker makes rows of blocks whose n-grams have been looked up; each worker has its own, and uses its
// memory again.
type rowMaker struct {
	kind  packed.Values
	radix rowsort.RadixBuilder
}

// sort sorts the columns of a block's rows.
func (m *rowMaker) sort(b *block) {
	entries, entryValues := m.radix.Reserve(b.Entries(), m.kind != packed.Binary)
	n := b.Found(entries, entryValues)
	for i := range b.Documents() {
		columns, places := b.Frequent(i)
		for _, place := range places {
			column := columns[place]
			entries[n] = rowsort.Entry(column, uint32(i))
			if column != ngrams.NoColumn {
				n++
			}
		}
	}
	m.radix.Build(n, b.Documents())
}

// made are the rows of some blocks.
type made struct {
	encoded *packed.Encoded // for a file
	columns []uint32        // for memory
	values  []float32
	lengths []uint32 // of rows
	names   []columnName
	rows    int
	entries int64
}

var spareMade = sync.Pool{New: func() any { return new(made) }}

// makeRows is the second pass: visit gets a maker for every block, and what it returns is collected in order.
func (b *builder) makeRows(ctx context.Context, v *ngrams.Vocabulary, visit func(m *rowMaker, w int, some *block) *made, collect func(*made) error) error {
	makers := make([]rowMaker, b.threads)
	for w := range makers {
		makers[w].kind = b.kind
	}
	rows, entries := 0, int64(0) // that were made
	rowsOf := func(blocks []*block, done, total int64) error {
		return stage.Do(ctx, stage.Layout, func(ctx context.Context) error {
			if err := v.Find(ctx, ngramBlocks(blocks), b.threads); err != nil {
				return err
			}
			err := ordered.Map(ctx, b.threads, len(blocks), func(w, i int) (*made, error) {
				some := blocks[i]
				m := visit(&makers[w], w, some)
				m.rows, m.entries = some.Documents(), int64(some.Entries())
				some.give(&b.memories)
				return m, ctx.Err()
			}, func(m *made) error {
				rows += m.rows
				if entries += m.entries; rows > b.documents || entries > b.entries {
					return b.changed()
				}
				return collect(m)
			})
			if b.o.Progress != nil && total > 0 {
				b.o.Progress(corpus.Progress{Stage: "layout", Done: done, Total: total, Unit: "bytes", Documents: int64(rows)})
			}
			return err
		})
	}
	var pending []*block // whose n-grams have not been looked up
	waiting := int64(0)  // entries of them
	done, total := b.bytes, max(b.bytes, 1)
	if b.kept {
		pending, b.blocks = b.blocks, nil
	} else {
		err := b.eachBatch(ctx, func(some batch, d, t int64) (err error) {
			done, total = d, t
			for _, block := range some.blocks {
				waiting += int64(block.Entries())
			}
			if pending = append(pending, some.blocks...); waiting >= b.keepEntries() {
				err = rowsOf(pending, done, total)
				pending, waiting = pending[:0], 0
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	if err := rowsOf(pending, done, total); err != nil {
		return err
	}
	if rows != b.documents || entries != b.entries {
		return b.changed()
	}
	return nil
}

// changed is an error about an input that is not what it was at the first reading.
func (b *builder) changed() error {
	return fmt.Errorf("nbsvm: %s changed while it was read, and it is read twice; leave it alone until the end", b.in.Describe())
}

// inMemory makes rows in memory.
func (b *builder) inMemory(ctx context.Context, v *ngrams.Vocabulary) (*memoryRows, error) {
	r := &memoryRows{keys: slices.Clone(v.Keys), distinct: v.Distinct, blocks: []int{0}}
	entries := uint64(0)
	for _, run := range v.Runs {
		r.runs = append(r.runs, packed.Run{Frequency: run.Documents, Columns: run.Columns})
		entries += run.Documents * run.Columns
	}
	if b.ready {
		for j := range r.keys {
			r.keys[j] >>= featureShift
		}
	}
	x := &r.x
	x.Rows, x.Cols, x.Indptr = b.documents, len(r.keys), make([]int64, 1, b.documents+1)
	var free func()
	x.Indices, free = hugepages.Make[uint32](int(entries))
	r.free = append(r.free, free)
	if b.kind != packed.Binary {
		x.Values, free = hugepages.Make[float32](int(entries))
		r.free = append(r.free, free)
	}
	at, blockAt, rows := int64(0), int64(0), 0
	err := b.makeRows(ctx, v, func(m *rowMaker, _ int, from *block) *made {
		some := spareMade.Get().(*made)
		if n := from.Entries(); cap(some.columns) < n {
			some.columns = make([]uint32, n+n/8)
		}
		*some = made{columns: some.columns[:0], values: some.values[:0], lengths: some.lengths[:0]}
		m.sort(from)
		for i := range from.Documents() {
			columns, values := m.radix.Row(i)
			some.columns = append(some.columns, columns...)
			some.values = append(some.values, values...)
			some.lengths = append(some.lengths, uint32(len(columns)))
		}
		return some
	}, func(some *made) error {
		defer spareMade.Put(some)
		if at+int64(len(some.columns)) > int64(entries) {
			return b.changed()
		}
		copy(x.Indices[at:], some.columns)
		if x.Values != nil {
			copy(x.Values[at:], some.values)
		}
		for _, n := range some.lengths {
			at += int64(n)
			x.Indptr = append(x.Indptr, at)
			if rows++; at-blockAt >= blockEntries {
				r.blocks, blockAt = append(r.blocks, rows), at
			}
		}
		return nil
	})
	if err == nil && at != int64(entries) {
		err = b.changed()
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	if rows > r.blocks[len(r.blocks)-1] {
		r.blocks = append(r.blocks, rows)
	}
	return r, nil
}
