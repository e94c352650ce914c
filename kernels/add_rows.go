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
	if last := slices.Max(rows[:n]); uint64(last) >= uint64(len(table)/width) {
		panic(fmt.Sprintf("kernels: row %d of %d", last, len(table)/width))
	}
	switch {
	case useAVX512:
		addRowsAVX512(sums, table, rows, n)
	case useVectors:
		addRowsVector(sums, table, rows, n)
	default:
		addRows(sums, table, rows[:n])
	}
}

func addRows(sums, table []float64, rows []uint32) {
	width := len(sums)
	for _, row := range rows {
		for i, x := range table[int(row)*width:][:width] {
			sums[i] += x
		}
	}
}
