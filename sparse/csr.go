// Package sparse holds documents as compressed sparse rows of feature numbers, with values or
// without; it sorts rows and builds them from unordered entries, and reads and writes SVMlight text.
package sparse

import (
	"math"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/internal/file/checksum"
	"github.com/seed-167f963f/nbsvm/internal/kernels"
)

// CSR is a matrix of Rows x Cols in compressed sparse rows. Row i holds
// Indices[Indptr[i]:Indptr[i+1]], strictly ascending and below Cols. Values is
// parallel to Indices, or nil for a binary matrix, whose entries are all 1.
type CSR struct {
	Rows, Cols int
	Indptr     []int64
	Indices    []uint32
	Values     []float32
	// Shared is what SharedColumns returns, if it is known; 0 makes SharedColumns count.
	Shared int
}

// Reset makes it a matrix of no rows, whose memory is used again for those that are added.
func (m *CSR) Reset(cols int) {
	*m = CSR{Cols: cols, Indptr: append(m.Indptr[:0], 0), Indices: m.Indices[:0], Values: m.Values[:0]}
}

// NNZ is the number of stored entries.
func (m *CSR) NNZ() int64 { return m.Indptr[m.Rows] }

// Checksum is a CRC-32C of all that the matrix holds.
func (m *CSR) Checksum() uint32 {
	sum := checksum.Add(0, []int64{int64(m.Rows), int64(m.Cols)})
	return checksum.Add(checksum.Add(checksum.Add(sum, m.Indptr), m.Indices), m.Values)
}

// Row returns the ids and values of row i; the values are nil in a binary
// matrix. Both are views.
func (m *CSR) Row(i int) ([]uint32, []float32) {
	lo, hi := m.Indptr[i], m.Indptr[i+1]
	if m.Values == nil {
		return m.Indices[lo:hi:hi], nil
	}
	return m.Indices[lo:hi:hi], m.Values[lo:hi:hi]
}

// SharedColumns returns the number of leading columns up to the last that two rows or more have, so
// that each column from there on occurs in one row at most. If columns are numbered by falling
// document frequency, these are all columns that occur once.
func (m *CSR) SharedColumns() int {
	if m.Shared > 0 {
		return m.Shared
	}
	seen := make([]bool, m.Cols)
	shared := 0
	for i := range m.Rows {
		idx, _ := m.Row(i)
		// From the end of the row, because ids below shared no longer matter.
		for k := len(idx) - 1; k >= 0 && int(idx[k]) >= shared; k-- {
			if seen[idx[k]] {
				shared = int(idx[k]) + 1
			}
			seen[idx[k]] = true
		}
	}
	return shared
}

// AddColumnSums adds to dst[j], for every column j, Σ scale_i·x_ij over the
// rows of the set (all rows where the set is nil). A nil scale means 1. len(dst)
// is Cols. Rows are taken in ascending order, so that the sums are the same
// however often they are computed.
func (m *CSR) AddColumnSums(dst []float64, rows *roaring.Bitmap, scale []float64) {
	add := func(i int) {
		d := 1.0
		if scale != nil {
			d = scale[i]
		}
		idx, val := m.Row(i)
		kernels.Axpy64(dst, idx, val, d)
	}
	if rows == nil {
		for i := range m.Rows {
			add(i)
		}
		return
	}
	for it := rows.Iterator(); it.HasNext(); {
		add(int(it.Next()))
	}
}

// InverseNorms returns 1/‖x_i∘s‖₂ for every row i, with s the columns' scales
// (nil: all 1), and 0 for a row whose norm is 0.
func (m *CSR) InverseNorms(colScale []float32) []float64 {
	var squares []float64
	if colScale != nil {
		squares = make([]float64, m.Cols)
		for j, s := range colScale {
			squares[j] = float64(s) * float64(s)
		}
	}
	inv := make([]float64, m.Rows)
	for i := range inv {
		if n := m.squaredNorm(i, squares); n > 0 {
			inv[i] = 1 / math.Sqrt(n)
		}
	}
	return inv
}

// squaredNorm is Σ x_ij²·squares_j; nil squares are all 1.
func (m *CSR) squaredNorm(i int, squares []float64) float64 {
	idx, val := m.Row(i)
	switch {
	case val == nil && squares == nil:
		return float64(len(idx))
	case val == nil:
		return kernels.Dot64(squares, idx, nil)
	case squares == nil:
		var sum float64
		for _, v := range val {
			sum += float64(float64(v) * float64(v))
		}
		return sum
	default:
		return kernels.SumSquares64(squares, idx, val)
	}
}
