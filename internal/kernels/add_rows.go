package kernels

import (
	"fmt"
	"slices"
)

// RowUnit is what the width of a part of a row is a multiple of.
const RowUnit = 8

// RowsAhead is how many rows before they are added [AddRows] may ask for them.
const RowsAhead = 64

// AddRows adds the first n of these rows of a table to sums, one after the other: sums[i]
// gets the i-th number of each. There are as many sums as are to be added of a row, a multiple of
// [RowUnit]; row r begins at table[r*pitch]. The other rows are to be added next, and may be asked for.
func AddRows(sums []float64, table []float32, pitch int, rows []uint32, n int) {
	height := checkRows(len(sums), RowUnit, len(sums), len(table), pitch, len(rows), n)
	if len(sums) == 0 || n == 0 {
		return
	}
	add := addRows
	if useVectors {
		add = addRowsVector
	}
	if !add(sums, table, pitch, rows, n, height) {
		badRow(rows[:n], height)
	}
}

// checkRows checks sizes, and returns the number of rows that a table has, each of so many sums, in multiples of a
// unit, and numbers.
func checkRows(width, unit, numbers, size, pitch, rows, n int) (height int) {
	if width%unit != 0 || pitch < numbers || n > rows {
		panic(fmt.Sprintf("kernels: %d of %d rows, %d of %d numbers, for %d sums", n, rows, numbers, pitch, width))
	}
	if width == 0 || size < numbers {
		return 0
	}
	return (size-numbers)/pitch + 1
}

func badRow(rows []uint32, height int) {
	panic(fmt.Sprintf("kernels: row %d of %d", slices.Max(rows), height))
}

// addRows returns false if a row is not in the table.
func addRows(sums []float64, table []float32, pitch int, rows []uint32, n, height int) (ok bool) {
	for _, row := range rows[:n] {
		if uint64(row) >= uint64(height) {
			return false
		}
		for i, x := range table[int(row)*pitch:][:len(sums)] {
			sums[i] += float64(x)
		}
	}
	return true
}
