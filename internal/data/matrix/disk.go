package matrix

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/data/packed"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/solver"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// DiskRows are the rows of a matrix for which there is no room in memory. They are in a
// packed file of their own, with smaller blocks and the columns of the matrix alone.
type DiskRows struct {
	*packed.Corpus
	file *osfile.Temp
	room []byte       // scratch memory of Append
	took atomic.Int64 // nanoseconds that the last visit of all rows took
}

// diskBlock is how many entries make a block: some ten kilobytes. Rows that are in memory
// together come from as many places, so that a corpus may be sorted by class.
const diskBlock = 1 << 13

// newDiskRows writes the rows of a matrix whose columns are numbered.
func newDiskRows(ctx context.Context, s *selection) (*DiskRows, error) {
	temp, err := osfile.CreateTemp(s.o.Temp)
	if err != nil {
		return nil, fmt.Errorf("nbsvm: cannot create a temporary file: %w", err)
	}
	f := &DiskRows{file: temp}
	if err = s.write(ctx, temp); err == nil {
		f.Corpus, err = packed.Open(temp.Name())
	}
	if err != nil {
		temp.Close()
		return nil, fmt.Errorf("nbsvm: cannot write rows to a temporary file: %w", err)
	}
	temp.Unlink()
	return f, nil
}

// Took returns how long the last visit of all rows took.
func (f *DiskRows) Took() time.Duration { return time.Duration(f.took.Load()) }

// Close gives up the rows.
func (f *DiskRows) Close() error {
	return errors.Join(f.Corpus.Close(), f.file.Close())
}

// write writes the rows of the matrix.
func (s *selection) write(ctx context.Context, file io.Writer) error {
	kind := packed.Binary
	if s.m.valued {
		kind = packed.Floats
	}
	out := bufio.NewWriterSize(file, 1<<20)
	w, err := packed.NewWriter(out, kind)
	if err != nil {
		return err
	}
	w.MaxEntries = diskBlock
	err = s.eachBlock(ctx, func(x *sparse.CSR) error {
		rows := packed.NewEncoded()
		for i := range x.Rows {
			columns, values := x.Row(i)
			rows.Append(kind, columns, values)
		}
		return w.Append(rows)
	})
	if err != nil {
		return err
	}
	keys := make([]uint64, len(s.m.Keys)) // nobody asks what columns stand for
	for j := range keys {
		keys[j] = uint64(j)
	}
	_, err = w.Finish(&packed.Head{Distinct: uint64(len(keys)), Runs: s.runs()}, keys)
	return errors.Join(err, out.Flush())
}

// runs returns the frequencies of the matrix's columns, in falling order, which need not be that of the columns.
func (s *selection) runs() []packed.Run {
	columns := map[uint32]uint64{} // by frequency
	for _, n := range s.m.Frequencies {
		columns[n]++
	}
	var runs []packed.Run
	for _, n := range slices.Backward(slices.Sorted(maps.Keys(columns))) {
		runs = append(runs, packed.Run{Frequency: uint64(n), Columns: columns[n]})
	}
	return runs
}

// Rows, Cols, Range and Append make of it a solver.Source.
func (f *DiskRows) Rows() int { return int(f.Totals().Documents) }
func (f *DiskRows) Cols() int { return int(f.Totals().Columns) }

// Range returns the rows of a block.
func (f *DiskRows) Range(block int) (first, end int) {
	a, b, _ := f.BlockRange(block)
	return int(a), int(b)
}

// Append adds the rows of a block to x.
func (f *DiskRows) Append(ctx context.Context, block int, x *sparse.CSR) (err error) {
	f.room, err = f.AppendFrom(f.file, f.room, block, x)
	return errors.Join(err, ctx.Err())
}

// each visits the rows of all blocks in order: those from first on, in x.
func (f *DiskRows) each(ctx context.Context, threads int, visit func(first int, x *sparse.CSR) error) error {
	start := time.Now()
	defer func() { f.took.Store(int64(time.Since(start))) }()
	type decoded struct {
		first int
		x     *sparse.CSR
	}
	free := make(chan *sparse.CSR, 3*threads+3) // more than are ever under way
	rooms := make([][]byte, threads)
	return par.Map(ctx, threads, f.Blocks(), func(w, i int) (d decoded, err error) {
		select {
		case d.x = <-free:
		default:
			d.x = new(sparse.CSR)
		}
		d.first, _ = f.Range(i)
		d.x.Reset(f.Cols())
		rooms[w], err = f.AppendFrom(f.file, rooms[w], i, d.x)
		return d, err
	}, func(d decoded) error {
		err := visit(d.first, d.x)
		free <- d.x
		return err
	})
}

var _ solver.Source = (*DiskRows)(nil)
