package dataset

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/hugepages"
	"github.com/seed-167f963f/nbsvm/internal/ordered"
	"github.com/seed-167f963f/nbsvm/internal/stage"
	"github.com/seed-167f963f/nbsvm/sparse"
	"github.com/seed-167f963f/nbsvm/sparse/packed"
)

// rowMaker makes rows of blocks; each worker has its own, and uses its memory again.
type rowMaker struct {
	finder *hashing.Finder
	kind   packed.Values
	radix  sparse.RadixBuilder
}

// findTogether is how many entries are looked up together at least: the vocabulary is gone through once for
// all of them.
const findTogether = 3 << 20

// each makes the rows of blocks and visits them in order. Their slices are used again.
func (m *rowMaker) each(blocks []*block, visit func(text []byte, columns []uint32, values []float32)) {
	m.finder.Find(hashBlocks(blocks))
	valued := m.kind != packed.Binary
	for _, b := range blocks {
		entries, values := b.Found()
		to, toValues := m.radix.Reserve(len(entries), valued)
		copy(to, entries)
		if valued {
			copy(toValues, values)
		}
		m.radix.Build(len(entries), b.Documents())
		for i := range b.Documents() {
			columns, values := m.radix.Row(i)
			visit(b.texts[i], columns, values)
		}
	}
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

// makeRows is the second pass: visit gets a maker for some blocks at a time, and what it returns is
// collected in order.
func (b *builder) makeRows(ctx context.Context, v *hashing.Vocabulary, visit func(m *rowMaker, w int, blocks []*block) *made, collect func(*made) error) error {
	makers := make([]rowMaker, b.threads)
	for w := range makers {
		makers[w] = rowMaker{finder: v.NewFinder(), kind: b.kind}
	}
	make := func(w int, blocks []*block) *made {
		r := visit(&makers[w], w, blocks)
		r.rows, r.entries = 0, 0
		for _, some := range blocks {
			r.rows += some.Documents()
			r.entries += int64(some.Entries())
			some.give(&b.memories)
		}
		return r
	}
	documents, entries := 0, int64(0)
	take := func(r *made, done, total int64) error {
		documents, entries = documents+r.rows, entries+r.entries
		if documents > b.documents || entries > b.entries {
			return b.changed()
		}
		if b.o.Progress != nil {
			b.o.Progress(Progress{Stage: "layout", Done: done, Total: total, Unit: "bytes", Documents: int64(documents)})
		}
		return collect(r)
	}
	var err error
	if b.kept {
		err = b.eachKept(ctx, make, take)
	} else {
		err = eachPiece(ctx, b.texts, b.threads, func(w int, pieces []*piece) (*made, error) {
			return stage.Get(ctx, stage.Layout, func(context.Context) (*made, error) {
				var blocks []*block
				for _, p := range pieces {
					var err error
					if blocks, err = b.makers[w].make(blocks, p.texts); err != nil {
						return nil, err
					}
				}
				return make(w, blocks), nil
			})
		}, take)
	}
	if err == nil && (documents != b.documents || entries != b.entries) {
		err = b.changed()
	}
	return err
}

// eachKept makes rows of blocks that are kept.
func (b *builder) eachKept(ctx context.Context, make func(w int, blocks []*block) *made, take func(r *made, done, total int64) error) error {
	var ends []int // of blocks that are worked on together
	entries := int64(0)
	for i, some := range b.blocks {
		entries += int64(some.Entries())
		if entries >= min(findTogether, b.entries/int64(2*b.threads)) || i+1 == len(b.blocks) {
			ends, entries = append(ends, i+1), 0
		}
	}
	documents := int64(0)
	return ordered.Map(ctx, b.threads, len(ends), func(w, i int) (*made, error) {
		return stage.Get(ctx, stage.Layout, func(context.Context) (*made, error) {
			first := 0
			if i > 0 {
				first = ends[i-1]
			}
			return make(w, b.blocks[first:ends[i]]), nil
		})
	}, func(r *made) error {
		documents += int64(r.rows)
		return take(r, b.bytes*documents/int64(b.documents), b.bytes)
	})
}

// changed is an error about an input that is not what it was at the first reading.
func (b *builder) changed() error {
	return fmt.Errorf("nbsvm: %s was changed while it was read: it is read twice", b.in.describe())
}

// inMemory makes rows in memory.
func (b *builder) inMemory(ctx context.Context, v *hashing.Vocabulary) (*memoryRows, error) {
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
	err := b.makeRows(ctx, v, func(m *rowMaker, _ int, blocks []*block) *made {
		some := spareMade.Get().(*made)
		*some = made{columns: some.columns[:0], values: some.values[:0], lengths: some.lengths[:0]}
		m.each(blocks, func(_ []byte, columns []uint32, values []float32) {
			some.columns = append(some.columns, columns...)
			some.values = append(some.values, values...)
			some.lengths = append(some.lengths, uint32(len(columns)))
		})
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
