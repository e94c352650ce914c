package kernels

import (
	"fmt"
	"slices"
)

// RowUnit is what the width of a table is a multiple of: eight numbers are a line of the
// cache.
const RowUnit = 8

// AddRows adds rows of a table to sums, one row after the other: sums[i] gets the i-th
// number of each. A row is as wide as there are sums, a multiple of [RowUnit].
func AddRows(sums, table []float64, rows []uint32) {
	width := len(sums)
	if width%RowUnit != 0 {
		panic(fmt.Sprintf("kernels: rows of %d numbers", width))
	}
	if width == 0 || len(rows) == 0 {
		return
	}
	if last := slices.Max(rows); uint64(last) >= uint64(len(table)/width) {
		panic(fmt.Sprintf("kernels: row %d of %d", last, len(table)/width))
	}
	switch {
	case useAVX512:
		addRowsAVX512(sums, table, rows)
	case useAVX2:
		addRowsAVX2(sums, table, rows)
	default:
		addRows(sums, table, rows)
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
