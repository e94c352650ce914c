package nbsvm

import (
	"context"
	"time"

	"github.com/seed-167f963f/nbsvm/solver"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// farRows are the rows of a design that stay in their packed corpus, as there is no room
// for them in memory.
type farRows struct {
	u      *unpacker
	firsts []int // row of the matrix that each block of the corpus begins with, and their number
	nnz    int64 // of the corpus: at least that of the matrix
	block  sparse.CSR
	sorter sparse.RowSorter
	took   time.Duration // by the last visit of all rows
}

func newFarRows(u *unpacker) *farRows {
	c := u.ds.packed
	f := &farRows{u: u, firsts: make([]int, c.Blocks()+1), nnz: int64(c.Totals().Entries)}
	for i := range c.Blocks() {
		first, end, _ := c.BlockRange(i)
		f.firsts[i+1] = f.firsts[i] + int(end-first)
		if !u.all {
			f.firsts[i+1] = int(u.d.rows.Rank(uint32(end - 1)))
		}
	}
	return f
}

// Rows, Cols, Blocks, Range and Append make of it a solver.Source.
func (f *farRows) Rows() int                    { return f.firsts[len(f.firsts)-1] }
func (f *farRows) Cols() int                    { return len(f.u.d.ids) }
func (f *farRows) Blocks() int                  { return len(f.firsts) - 1 }
func (f *farRows) Range(b int) (first, end int) { return f.firsts[b], f.firsts[b+1] }

// Append decodes a block, not for concurrent use.
func (f *farRows) Append(ctx context.Context, block int, x *sparse.CSR) error {
	c := f.u.ds.packed
	if err := c.Block(block, &f.block); err != nil {
		return err
	}
	c.Release(block)
	first, _, _ := c.BlockRange(block)
	from := len(x.Values)
	f.u.append(x, &f.sorter, int(first), &f.block)
	f.u.o.sublinear(x.Values[from:])
	return ctx.Err()
}

// Ahead asks for a block that will be decoded soon.
func (f *farRows) Ahead(block int) { f.u.ds.packed.Ahead(block) }

// each visits the rows of all blocks in order: those from first on, in x.
func (f *farRows) each(ctx context.Context, visit func(first int, x *sparse.CSR) error) error {
	start := time.Now()
	defer func() { f.took = time.Since(start) }()
	workers := make([]sparse.RowSorter, f.u.o.threads())
	return eachPackedBlock(ctx, f.u.ds.packed, len(workers), func(w, first int, m *sparse.CSR) (*sparse.CSR, error) {
		x := &sparse.CSR{Cols: f.Cols(), Indptr: make([]int64, 1, m.Rows+1), Indices: make([]uint32, 0, len(m.Indices))}
		f.u.append(x, &workers[w], first, m)
		f.u.o.sublinear(x.Values)
		return x, ctx.Err()
	}, func() func(x *sparse.CSR) error {
		next := 0
		return func(x *sparse.CSR) error {
			first := next
			next += x.Rows
			return visit(first, x)
		}
	}())
}

var _ solver.Source = (*farRows)(nil)
