package kernels

import (
	"fmt"
	"slices"
)

// RowUnit is what the width of a table is a multiple of: eight numbers are a line of the
// cache.
const RowUnit = 8

// RowsAhead is how many rows before they are added [AddRows] may ask for them.
const RowsAhead = 64

// AddRows adds the first n of these rows of a table to sums, one after the other: sums[i]
// gets the i-th number of each. A row is as wide as there are sums, a multiple of
// [RowUnit]. The other rows are to be added next, and may be asked for.
func AddRows(sums, table []float64, rows []uint32, n int) {
	width := len(sums)
	if width%RowUnit != 0 || n > len(rows) {
		panic(fmt.Sprintf("kernels: %d of %d rows of %d numbers", n, len(rows), width))
	}
	if width == 0 || n == 0 {
		return
	}
	ok, height := false, len(table)/width
	switch {
	case useAVX512:
		ok = addRowsAVX512(sums, table, rows, n, height)
	case useVectors:
		ok = addRowsVector(sums, table, rows, n, height)
	default:
		ok = addRows(sums, table, rows, n, height)
	}
	if !ok {
		panic(fmt.Sprintf("kernels: row %d of %d", slices.Max(rows[:n]), height))
	}
}

// addRows is not ok if one of the rows is not in the table.
func addRows(sums, table []float64, rows []uint32, n, height int) (ok bool) {
	width := len(sums)
	for _, row := range rows[:n] {
		if uint64(row) >= uint64(height) {
			return false
		}
		for i, x := range table[int(row)*width:][:width] {
			sums[i] += x
		}
	}
	return true
}
