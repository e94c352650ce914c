package dataset

import (
	"context"
	"fmt"
	"sync"

	"github.com/seed-167f963f/nbsvm/internal/mem"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// layRows makes the rows of the matrix, block by block.
func (s *selection) layRows(ctx context.Context) error {
	m := s.m
	entries := 0
	for _, n := range m.Frequencies {
		entries += int(n)
	}
	ends, err := table[int64](s, int(m.Documents.GetCardinality())+1)
	if err != nil {
		return err
	}
	x := &sparse.CSR{Cols: len(m.Keys), Indptr: ends[:1], Shared: s.shared()}
	indices, err := table[uint32](s, entries)
	if err != nil {
		return err
	}
	var values []float32
	if m.valued {
		if values, err = table[float32](s, entries); err != nil {
			return err
		}
	}
	single := make([]bool, len(m.Keys)-x.Shared) // columns of one document that it was found for
	singles := 0
	err = s.eachBlock(ctx, func(some *sparse.CSR) error {
		at := x.NNZ()
		if some.NNZ() > int64(entries)-at {
			return s.damaged()
		}
		copy(indices[at:], some.Indices)
		if m.valued {
			copy(values[at:], some.Values)
		}
		for _, end := range some.Indptr[1:] {
			x.Indptr = append(x.Indptr, at+end)
		}
		x.Rows += some.Rows
		for i := 0; i < some.Rows && len(single) > 0; i++ {
			row, _ := some.Row(i)
			for k := len(row) - 1; k >= 0 && int(row[k]) >= x.Shared; k-- {
				if single[int(row[k])-x.Shared] {
					return s.damaged()
				}
				single[int(row[k])-x.Shared] = true
				singles++
			}
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	if x.NNZ() != int64(entries) || singles != len(single) {
		return s.damaged()
	}
	x.Indices, x.Values, m.X = indices, values, x
	return nil
}

// shared returns how many of the first columns several documents may have.
func (s *selection) shared() int {
	if !s.all {
		return len(s.m.Keys) // frequencies need not fall
	}
	n := len(s.m.Frequencies)
	for n > 0 && s.m.Frequencies[n-1] == 1 {
		n--
	}
	return n
}

// eachBlock visits the rows of the matrix in order, those of a block of the dataset at a time.
func (s *selection) eachBlock(ctx context.Context, visit func(some *sparse.CSR) error) error {
	rows := s.ds.Rows
	spare := sync.Pool{New: func() any { return new(sparse.CSR) }}
	return par.Map(ctx, max(s.o.Threads, 1), rows.Blocks(), func(_, b int) (*sparse.CSR, error) {
		x := spare.Get().(*sparse.CSR)
		if err := rows.Block(b, x); err != nil {
			return nil, err
		}
		rows.Release(b)
		if !s.m.valued {
			x.Values = nil
		}
		s.keep(b, x)
		return x, ctx.Err()
	}, func(x *sparse.CSR) error {
		err := visit(x)
		spare.Put(x)
		return err
	})
}

// keep leaves of a block, in place, the rows and columns that the matrix has.
func (s *selection) keep(block int, x *sparse.CSR) {
	first, _ := s.ds.Rows.BlockRange(block)
	n, at := 0, 0
	begin, values := x.Indptr[0], []float32(nil)
	for i := range x.Rows {
		end := x.Indptr[i+1] // before it is written over
		columns := x.Indices[begin:end]
		if x.Values != nil {
			values = x.Values[begin:end]
		}
		if begin = end; !s.counts(first, i) {
			continue
		}
		columns, values := s.row(columns, values)
		copy(x.Indices[at:], columns)
		if values != nil {
			copy(x.Values[at:], values)
		}
		n, at = n+1, at+len(columns)
		x.Indptr[n] = int64(at)
	}
	x.Rows, x.Cols, x.Indptr, x.Indices = n, len(s.m.Keys), x.Indptr[:n+1], x.Indices[:at]
	if x.Values != nil {
		x.Values = x.Values[:at]
	}
}

// table makes n zeros that last as long as the matrix, in a temporary file if it is mapped.
func table[T any](s *selection, n int) (t []T, err error) {
	var free func()
	if s.m.Mapped {
		if t, free, err = osfile.MakeTable[T](n, s.o.Temp); err != nil {
			return nil, fmt.Errorf("nbsvm: cannot write rows to a temporary file: %w", err)
		}
	} else {
		t, free = mem.MakeHuge[T](n)
	}
	s.m.free = append(s.m.free, free)
	return t, nil
}
