package matrix

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// blockRows are the rows of the matrix that a block of the dataset becomes.
type blockRows struct {
	at      int64 // where their entries would begin if no block before lost any
	lengths []uint32
	singles int // entries of columns that one document has
}

// made are the rows of a block, whose entries begin at a place of all.
func (l *layout) made(at int64, entries, lengths []uint32) *blockRows {
	b := &blockRows{at: at, lengths: lengths}
	for _, length := range lengths {
		b.singles += len(l.singlesOf(entries[:length]))
		entries = entries[length:]
	}
	return b
}

// singlesOf are the columns of a row, which ascend, that no other row has.
func (l *layout) singlesOf(row []uint32) []uint32 {
	if len(row) == 0 || row[len(row)-1] < l.singles {
		return nil
	}
	from, _ := slices.BinarySearch(row, l.singles)
	return row[from:]
}

// gatherer moves blocks up to each other, and numbers columns of one document document by document.
type gatherer struct {
	l       *layout
	x       *sparse.CSR
	indices []uint32
	values  []float32
	blocks  []gathered
	singles int // of all blocks
}

// gathered is a block: where its rows begin, and how many columns of one document there are before.
type gathered struct{ row, singles int }

func (l *layout) newGatherer(indices []uint32, values []float32) *gatherer {
	m := l.m
	rows := int(m.Documents.GetCardinality())
	m.X = &sparse.CSR{Rows: rows, Cols: len(m.IDs), Shared: int(l.singles), Indptr: make([]int64, 1, rows+1)}
	return &gatherer{l: l, x: m.X, indices: indices, values: values}
}

// gather takes in the next block.
func (g *gatherer) gather(b *blockRows) error {
	x := g.x
	g.blocks = append(g.blocks, gathered{len(x.Indptr) - 1, g.singles})
	g.singles += b.singles
	begin := int64(len(x.Indices))
	end := begin
	for _, length := range b.lengths {
		end += int64(length)
		x.Indptr = append(x.Indptr, end)
	}
	if b.at > begin {
		copy(g.indices[begin:end], g.indices[b.at:])
		if g.values != nil {
			copy(g.values[begin:end], g.values[b.at:])
		}
	}
	x.Indices = g.indices[:end]
	if g.values != nil {
		x.Values = g.values[:end]
	}
	return nil
}

// numberSingles gives columns of one document the numbers that they have in the order of documents, so that rows side
// by side have them side by side.
func (g *gatherer) numberSingles(ctx context.Context) error {
	l, first := g.l, int(g.l.singles)
	ids := slices.Clone(l.m.IDs[first:])
	if g.singles != len(ids) {
		return l.damaged()
	}
	if len(ids) == 0 {
		return nil
	}
	words := (len(ids) + 63) / 64
	met := make([][]uint64, l.o.Threads) // bits of columns, each thread's own
	err := par.Each(ctx, len(met), len(g.blocks), func(w, b int) error {
		if met[w] == nil {
			met[w] = make([]uint64, words)
		}
		met, next, end := met[w], first+g.blocks[b].singles, g.x.Rows
		if b+1 < len(g.blocks) {
			end = g.blocks[b+1].row
		}
		for i := g.blocks[b].row; i < end; i++ {
			row := l.singlesOf(g.x.Indices[g.x.Indptr[i]:g.x.Indptr[i+1]])
			for k, column := range row {
				own := int(column) - first
				met[own/64] |= 1 << (own % 64)
				l.m.IDs[next], row[k] = ids[own], uint32(next)
				next++
			}
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	// There are as many entries as columns, so that each column has one if all have been met.
	union, all := make([]uint64, words), 0
	for _, some := range met {
		for word, columns := range some {
			union[word] |= columns
		}
	}
	for _, columns := range union {
		all += bits.OnesCount64(columns)
	}
	if all != len(ids) {
		return l.damaged()
	}
	return nil
}

// damaged is an error about a corpus whose frequencies are not those of its rows.
func (l *layout) damaged() error {
	return fmt.Errorf("nbsvm: %s contradicts itself: a column is in a different number of documents than the file says; run nbsvm verify", l.ds.From())
}
