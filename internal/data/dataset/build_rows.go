package dataset

import (
	"context"
	"slices"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/data/ngrams"
	"github.com/seed-167f963f/nbsvm/internal/data/packed"
	"github.com/seed-167f963f/nbsvm/internal/mem"
	"github.com/seed-167f963f/nbsvm/internal/par"
)

// rowMaker makes rows of blocks whose n-grams have been looked up; each worker has its own, and uses its
// memory again.
type rowMaker struct {
	kind  packed.Values
	radix packed.RowBuilder
}

// sort sorts the columns of a block's rows.
func (m *rowMaker) sort(b *block) { m.radix.Build(m.take(b), b.Documents()) }

// take gives the radix builder the entries of a block's rows, and returns how many there are.
func (m *rowMaker) take(b *block) int {
	entries, entryValues := m.radix.Reserve(b.Entries(), m.kind != packed.Binary)
	return b.Found(entries, entryValues)
}

// made are the rows of some blocks.
type made struct {
	encoded *packed.Encoded // for a file
	ends    []uint32        // in memory, of rows in the block's
	names   columnNames
	rows    int
}

// makeRows makes rows of all blocks: visit gets a maker for every block, and what it returns is collected in order.
// Before, unless it is nil, prepare gets the blocks that are visited next.
func (b *builder) makeRows(
	ctx context.Context, v *ngrams.Vocabulary,
	prepare func([]*block) error, visit func(m *rowMaker, w int, some *block) *made, collect func(*made) error,
) error {
	makers := make([]rowMaker, b.threads)
	for w := range makers {
		makers[w].kind = b.kind
	}
	rows := 0 // that were made
	rowsOf := func(blocks []*block) error {
		return par.InStage(ctx, par.StageLayout, func(ctx context.Context) error {
			if err := v.Find(ctx, ngramBlocks(blocks), b.threads); err != nil {
				return err
			}
			if prepare != nil {
				if err := prepare(blocks); err != nil {
					return err
				}
			}
			err := par.Run(ctx, b.threads, par.Slice(blocks), func(w int, some *block) (*made, error) {
				m := visit(&makers[w], w, some)
				makers[w].radix.Release()
				m.rows = some.Documents()
				some.give(&b.memories)
				return m, ctx.Err()
			}, func(m *made) error {
				rows += m.rows
				return collect(m)
			})
			if b.o.Progress != nil && b.bytes > 0 {
				done := int64(float64(b.bytes) * float64(rows) / float64(b.documents))
				b.o.Progress(corpus.Progress{
					Stage: "layout", Done: done, Total: b.bytes, Unit: "bytes",
					Documents: int64(rows),
				})
			}
			return err
		})
	}
	for {
		blocks, err := b.spool.take(ctx, b.mostWaiting)
		if err != nil {
			return err
		}
		if len(blocks) == 0 {
			break
		}
		if err := rowsOf(blocks); err != nil {
			return err
		}
	}
	last := b.blocks
	b.blocks = nil
	return rowsOf(last)
}

// narrow turns hashes into keys.
func (b *builder) narrow(keys []uint64) {
	shift := hashing.MaxBits - b.keyBits()
	for j := range keys {
		keys[j] >>= shift
	}
}

// inMemory makes rows in memory.
func (b *builder) inMemory(ctx context.Context, v *ngrams.Vocabulary) (*memoryRows, error) {
	keys, free := v.TakeKeys()
	r := &memoryRows{keys: keys, distinct: v.Distinct, blocks: []int{0}, freeKeys: free}
	entries := uint64(0)
	for _, run := range v.Runs {
		r.runs = append(r.runs, packed.Run{Frequency: run.Documents, Columns: run.Columns})
		entries += run.Documents * run.Columns
	}
	b.narrow(r.keys)
	x := &r.x
	x.Rows, x.Cols, x.Indptr = b.documents, len(r.keys), make([]int64, 1, b.documents+1)
	x.Indices, free = mem.MakeHuge[uint32](int(entries))
	r.free = append(r.free, free)
	if b.kind != packed.Binary {
		x.Values, free = mem.MakeHuge[float32](int(entries))
		r.free = append(r.free, free)
	}
	at, blockAt, rows := int64(0), int64(0), 0
	next := int64(0) // place of an entry
	prepare := func(blocks []*block) error {
		err := par.Each(ctx, b.threads, len(blocks), func(_, i int) error {
			blocks[i].found = blocks[i].CountFound()
			return nil
		})
		for _, some := range blocks {
			some.at = next
			next += int64(some.found)
		}
		return err
	}
	err := b.makeRows(ctx, v, prepare, func(m *rowMaker, _ int, from *block) *made {
		to := from.at + int64(from.found)
		columns, values := x.Indices[from.at:to], []float32(nil)
		if x.Values != nil {
			values = x.Values[from.at:to]
		}
		return &made{ends: slices.Clone(m.radix.BuildIn(columns, values, m.take(from), from.Documents()))}
	}, func(some *made) error {
		first := at
		for _, end := range some.ends {
			at = first + int64(end)
			x.Indptr = append(x.Indptr, at)
			if rows++; at-blockAt >= blockEntries {
				r.blocks, blockAt = append(r.blocks, rows), at
			}
		}
		return nil
	})
	if err != nil {
		r.Close()
		return nil, err
	}
	if rows > r.blocks[len(r.blocks)-1] {
		r.blocks = append(r.blocks, rows)
	}
	return r, nil
}
