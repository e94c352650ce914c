package nbsvm

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/ordered"
	"github.com/seed-167f963f/nbsvm/internal/scratch"
	"github.com/seed-167f963f/nbsvm/solver"
	"github.com/seed-167f963f/nbsvm/sparse"
	"github.com/seed-167f963f/nbsvm/sparse/packed"
)

// farRows are the rows of a design for which there is no room in memory. They are in a
// packed file of their own, in terms of the matrix: to find n-grams' buckets again in every
// epoch took five times as long as the rest of it.
type farRows struct {
	*packed.Corpus
	folder *scratch.Folder
	took   atomic.Int64 // nanoseconds that the last visit of all rows took
}

// farBlock is how many entries make a block: some ten kilobytes. Rows that are in memory
// together come from as many places, so that a corpus may be sorted by class.
const farBlock = 1 << 13

// newFarRows writes the rows of a matrix whose columns are numbered.
func newFarRows(ctx context.Context, u *unpacker) (*farRows, error) {
	scratch.Sweep(u.o.Temp)
	folder, err := scratch.New(u.o.Temp)
	if err != nil {
		return nil, fmt.Errorf("nbsvm: a folder for rows that don't fit into memory: %w", err)
	}
	f := &farRows{folder: folder}
	path := filepath.Join(folder.Path(), "rows")
	if err = u.write(ctx, path); err == nil {
		f.Corpus, err = packed.Open(path)
	}
	if err != nil {
		folder.Remove()
		return nil, fmt.Errorf("nbsvm: rows that don't fit into memory: %w", err)
	}
	// Where a mapped file can be removed, nothing is left behind whatever happens.
	os.Remove(path)
	return f, nil
}

// Close gives up the rows.
func (f *farRows) Close() error { return errors.Join(f.Corpus.Close(), f.folder.Remove()) }

// write writes the rows of the matrix.
func (u *unpacker) write(ctx context.Context, path string) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	kind := packed.Binary
	if u.d.valued {
		kind = packed.Floats
	}
	out := bufio.NewWriterSize(file, 1<<20)
	w, err := packed.NewWriter(out, kind)
	if err != nil {
		return err
	}
	w.MaxEntries = farBlock
	makers, blocks := u.newRows(), make([]sparse.CSR, u.o.threads())
	err = eachPackedBlock(ctx, u.ds.packed, len(makers), func(k, block int, m *sparse.CSR) (*packed.Encoded, error) {
		x := &blocks[k]
		x.Rows, x.Indptr, x.Indices, x.Values = 0, append(x.Indptr[:0], 0), x.Indices[:0], x.Values[:0]
		u.append(x, &makers[k], block, m)
		u.o.sublinear(x.Values)
		rows := packed.NewEncoded()
		for i := range x.Rows {
			columns, values := x.Row(i)
			rows.Append(kind, columns, values)
		}
		return rows, ctx.Err()
	}, w.Append)
	if err != nil {
		return err
	}
	keys := make([]uint64, len(u.d.ids)) // nobody asks what columns stand for
	for j := range keys {
		keys[j] = uint64(j)
	}
	_, err = w.Finish(&packed.Head{Distinct: uint64(len(keys)), Runs: u.runs()}, keys)
	return errors.Join(err, out.Flush())
}

// runs are the frequencies of the matrix's columns.
func (u *unpacker) runs() []packed.Run {
	columns := map[uint32]uint64{} // by frequency
	for _, n := range u.df {
		columns[n]++
	}
	var runs []packed.Run
	for _, n := range slices.Backward(slices.Sorted(maps.Keys(columns))) {
		runs = append(runs, packed.Run{Frequency: uint64(n), Columns: columns[n]})
	}
	return runs
}

// Rows, Cols, Range and Append make of it a solver.Source.
func (f *farRows) Rows() int { return int(f.Totals().Documents) }
func (f *farRows) Cols() int { return int(f.Totals().Columns) }

// Range is the rows of a block.
func (f *farRows) Range(block int) (first, end int) {
	a, b, _ := f.BlockRange(block)
	return int(a), int(b)
}

// Append adds the rows of a block to x.
func (f *farRows) Append(ctx context.Context, block int, x *sparse.CSR) error {
	err := f.Corpus.Append(block, x)
	f.Release(block)
	return errors.Join(err, ctx.Err())
}

// each visits the rows of all blocks in order: those from first on, in x.
func (f *farRows) each(ctx context.Context, threads int, visit func(first int, x *sparse.CSR) error) error {
	start := time.Now()
	defer func() { f.took.Store(int64(time.Since(start))) }()
	type decoded struct {
		first int
		x     *sparse.CSR
	}
	free := make(chan *sparse.CSR, 3*threads+3) // more than are ever under way
	return ordered.Map(ctx, threads, f.Blocks(), func(_, i int) (d decoded, err error) {
		select {
		case d.x = <-free:
		default:
			d.x = new(sparse.CSR)
		}
		d.first, _ = f.Range(i)
		err = f.Block(i, d.x)
		f.Release(i)
		return d, err
	}, func(d decoded) error {
		err := visit(d.first, d.x)
		free <- d.x
		return err
	})
}

var _ solver.Source = (*farRows)(nil)
