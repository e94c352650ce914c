package sparse

import (
	"math"

	"github.com/RoaringBitmap/roaring/v2"
)

// RowBitmap returns the ids of row i as a roaring bitmap; values are left out.
func (m *CSR) RowBitmap(i int) *roaring.Bitmap {
	idx, _ := m.Row(i)
	return roaring.BitmapOf(idx...)
}

// FromBitmaps returns the binary matrix whose rows are the given sets of ids.
// Cols is at least cols, and larger where a set holds a larger id.
func FromBitmaps(cols int, rows ...*roaring.Bitmap) *CSR {
	m := &CSR{Cols: cols, Indptr: make([]int64, 1, len(rows)+1)}
	var nnz uint64
	for _, b := range rows {
		nnz += b.GetCardinality()
	}
	m.Indices = make([]uint32, 0, nnz)
	for _, b := range rows {
		m.AppendRow(b.ToArray(), nil)
	}
	return m
}

// ColumnBitmaps returns, for every column, the set of rows that hold it. Rows
// must number less than 2^31.
func (m *CSR) ColumnBitmaps() []*roaring.Bitmap {
	t := m.Transpose()
	columns := make([]*roaring.Bitmap, m.Cols)
	for j := range columns {
		columns[j] = t.RowBitmap(j)
	}
	return columns
}

// Transpose returns the Cols x Rows matrix of columns. It panics if there are
// more rows than a matrix may have columns, 2^31-1.
func (m *CSR) Transpose() *CSR {
	if m.Rows > math.MaxInt32 {
		panic("sparse: too many rows to transpose")
	}
	t := &CSR{Rows: m.Cols, Cols: m.Rows, Indptr: make([]int64, m.Cols+1), Indices: make([]uint32, len(m.Indices))}
	if m.Values != nil {
		t.Values = make([]float32, len(m.Values))
	}
	for _, j := range m.Indices {
		t.Indptr[j+1]++
	}
	for j := range m.Cols {
		t.Indptr[j+1] += t.Indptr[j]
	}
	next := append([]int64(nil), t.Indptr[:m.Cols]...)
	for i := range m.Rows {
		idx, val := m.Row(i)
		for k, j := range idx {
			t.Indices[next[j]] = uint32(i)
			if val != nil {
				t.Values[next[j]] = val[k]
			}
			next[j]++
		}
	}
	return t
}

// Select returns a copy of the rows in the set, in ascending order.
func (m *CSR) Select(rows *roaring.Bitmap) *CSR {
	s := &CSR{Cols: m.Cols, Indptr: make([]int64, 1, rows.GetCardinality()+1)}
	var nnz int64
	for it := rows.Iterator(); it.HasNext(); {
		i := it.Next()
		nnz += m.Indptr[i+1] - m.Indptr[i]
	}
	s.Indices = make([]uint32, 0, nnz)
	if m.Values != nil {
		s.Values = make([]float32, 0, nnz)
	}
	for it := rows.Iterator(); it.HasNext(); {
		s.AppendRow(m.Row(int(it.Next())))
	}
	return s
}
