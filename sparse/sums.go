package sparse

import (
	"math"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/kernels"
)

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
