// Package sparse holds documents as compressed sparse rows of numbered features, and reads and writes them as SVMlight
// text.
package sparse

import (
	"fmt"
	"math"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
)

// CSR is a matrix of Rows × Cols numbers in compressed sparse rows. Row i has the columns
// Indices[Indptr[i]:Indptr[i+1]], which ascend strictly and are below Cols, and the values of the same range of
// Values. Values is nil in a binary matrix, whose entries are all 1.
//
// The zero value is an empty binary matrix to which [CSR.AppendRow] adds rows. Methods that only read may be called by
// several goroutines at once. They trust the fields: call [CSR.Validate] on a matrix that comes from elsewhere.
type CSR struct {
	Rows, Cols int
	Indptr     []int64   // Rows+1 elements from 0; may be nil while Rows is 0
	Indices    []uint32  // columns, from 0
	Values     []float32 // as long as Indices, or nil
	// Shared is the result of SharedColumns if it is known already. SharedColumns computes it if this is 0.
	Shared int
}

// Validate reports the first field or row that breaks the rules of [CSR].
func (m *CSR) Validate() error {
	switch n := len(m.Indices); {
	case m.Rows < 0 || m.Cols < 0:
		return fmt.Errorf("sparse: a matrix of %d × %d", m.Rows, m.Cols)
	case len(m.Indptr) != m.Rows+1 && (m.Rows > 0 || m.Indptr != nil):
		return fmt.Errorf("sparse: Indptr must have %d elements for %d rows, got %d", m.Rows+1, m.Rows, len(m.Indptr))
	case m.Values != nil && len(m.Values) != n:
		return fmt.Errorf("sparse: Values must be nil or have %d elements like Indices, got %d", n, len(m.Values))
	case m.Indptr == nil && n > 0:
		return fmt.Errorf("sparse: a matrix without rows must have no Indices, got %d", n)
	case m.Indptr != nil && (m.Indptr[0] != 0 || m.NNZ() != int64(n)):
		return fmt.Errorf("sparse: Indptr must go from 0 to %d, the length of Indices, got %d to %d",
			n, m.Indptr[0], m.NNZ())
	case m.Shared < 0 || m.Shared > m.Cols:
		return fmt.Errorf("sparse: Shared must be from 0 to %d, the number of columns, got %d", m.Cols, m.Shared)
	}
	for i := range m.Rows {
		lo, hi := m.Indptr[i], m.Indptr[i+1]
		if lo > hi || hi > int64(len(m.Indices)) {
			return fmt.Errorf("sparse: row %d reaches from element %d to %d of Indices", i, lo, hi)
		}
		next := 0
		for _, j := range m.Indices[lo:hi] {
			if int(j) < next || int(j) >= m.Cols {
				return fmt.Errorf("sparse: row %d: column must be from %d to %d, got %d", i, next, m.Cols-1, j)
			}
			next = int(j) + 1
		}
	}
	return nil
}

// AppendRow adds a row. Its columns, idx, must ascend strictly. val is nil if the matrix is binary, and has a value
// for each column otherwise. Cols grows as needed.
func (m *CSR) AppendRow(idx []uint32, val []float32) {
	if m.Indptr == nil {
		m.Indptr = append(m.Indptr, 0)
	}
	m.Indices = append(m.Indices, idx...)
	m.Values = append(m.Values, val...)
	m.Indptr = append(m.Indptr, int64(len(m.Indices)))
	m.Rows++
	if n := len(idx); n > 0 {
		m.Cols = max(m.Cols, int(idx[n-1])+1)
	}
}

// Reset removes all rows and sets the number of columns. The memory is kept for rows that are added later.
func (m *CSR) Reset(cols int) {
	*m = CSR{Cols: cols, Indptr: append(m.Indptr[:0], 0), Indices: m.Indices[:0], Values: m.Values[:0]}
}

// NNZ returns the number of stored entries ("non-zeros").
func (m *CSR) NNZ() int64 {
	if m.Indptr == nil {
		return 0
	}
	return m.Indptr[m.Rows]
}

// Row returns the columns and values of row i. The values are nil in a binary matrix. Both slices alias the matrix.
func (m *CSR) Row(i int) (idx []uint32, val []float32) {
	lo, hi := m.Indptr[i], m.Indptr[i+1]
	if m.Values != nil {
		val = m.Values[lo:hi:hi]
	}
	return m.Indices[lo:hi:hi], val
}

// SharedColumns returns the smallest n such that each column from n on occurs in one row at most. If columns are
// numbered by falling document frequency, the columns from n on are those that occur once.
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

// AddColumnSums adds Σ_i scale[i]·x_ij to dst[j] for every column j. The sum goes over the rows of the set, or over all
// rows if the set is nil, in ascending order. A nil scale means 1 for every row. dst must have Cols elements.
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

// InverseNorms returns 1/‖x_i∘s‖₂ for every row x_i, where s is colScale and ∘ the product by element. It returns 0 for
// a row whose norm is 0. A nil colScale means 1 for every column.
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

// squaredNorm returns Σ_j x_ij²·squares_j. Squares that are nil are all 1.
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
