package kernels

import (
	"fmt"
	"slices"
)

// RowUnit is what the width of a part of a row is a multiple of.
const RowUnit = 8

// RowsAhead is how many rows before they are added [AddRows] and [AddRatioRows] may ask for them.
const RowsAhead = 64

// AddRows adds the first n of these rows of a table to sums, one after the other: sums[i]
// gets the i-th number of each. There are as many sums as are to be added of a row, a multiple of
// [RowUnit]; row r begins at table[r*pitch]. The other rows are to be added next, and may be asked for.
func AddRows(sums []float64, table []float32, pitch int, rows []uint32, n int) {
	height := checkRows(len(sums), RowUnit, len(sums), len(table), pitch, len(rows), n)
	if len(sums) == 0 || n == 0 {
		return
	}
	ok := false
	switch {
	case useAVX512:
		ok = addRowsAVX512(sums, table, pitch, rows, n, height)
	case useVectors:
		ok = addRowsVector(sums, table, pitch, rows, n, height)
	default:
		ok = addRows(sums, table, pitch, rows, n, height)
	}
	if !ok {
		badRow(rows[:n], height)
	}
}

// AddRatioRows adds weights as [AddRows] does, and squares of ratios, which are behind the weights of a row,
// as many: squares[i] gets r² − u² of each row, by how much the square of its i-th ratio r exceeds what it usually
// is; u is usual[i] and, for the k-th row, of[k]. A ratio that is NaN is the usual one.
func AddRatioRows(sums, squares, usual []float64, table []float32, pitch int, rows []uint32, of []float32, n int) {
	width := len(sums)
	if len(squares) != width || len(usual) != width || n > len(of) {
		panic(fmt.Sprintf("kernels: %d of %d rows, %d sums and %d squares of %d", n, len(of), width, len(squares), len(usual)))
	}
	height := checkRows(width, RowUnit, 2*width, len(table), pitch, len(rows), n)
	if width == 0 || n == 0 {
		return
	}
	ok := false
	switch {
	case useAVX512:
		ok = addRatioRowsAVX512(sums, squares, usual, table, pitch, rows, of, n, height)
	case useVectors:
		ok = addRatioRowsVector(sums, squares, usual, table, pitch, rows, of, n, height)
	default:
		ok = addRatioRows(sums, squares, usual, table, pitch, rows, of, n, height)
	}
	if !ok {
		badRow(rows[:n], height)
	}
}

// checkRows checks sizes, and returns the number of rows that a table has, each of so many sums, in multiples of a unit,
// and numbers.
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

// addRows is not ok if one of the rows is not in the table.
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

// addRatioRows is not ok if one of the rows is not in the table.
func addRatioRows(sums, squares, usual []float64, table []float32, pitch int, rows []uint32, of []float32, n, height int) (ok bool) {
	if !addRows(sums, table, pitch, rows, n, height) {
		return false
	}
	for k, row := range rows[:n] {
		a := float64(of[k])
		for i, r := range table[int(row)*pitch+len(sums):][:len(sums)] {
			if r == r { // not NaN
				u := a + usual[i]
				squares[i] += float64((float64(r) - u) * (float64(r) + u))
			}
		}
	}
	return true
}
