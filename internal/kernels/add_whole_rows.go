package kernels

import "fmt"

// WholeUnit is what the width of a row of whole numbers is a multiple of.
const WholeUnit = 16

// MostWholeRows is how many rows of whole numbers have sums that an int32 holds, whatever the numbers are.
const MostWholeRows = 1 << 16

// AddWholeRows returns [AddRows] for whole numbers and at most [MostWholeRows] rows, with sums in multiples of
// [WholeUnit]. Sums of whole numbers are exact, and twice as many fit into a cache line and a register.
func AddWholeRows(sums []int32, table []int16, pitch int, rows []uint32, n int) {
	if n > MostWholeRows {
		panic(fmt.Sprintf("kernels: %d rows of whole numbers", n))
	}
	height := checkRows(len(sums), WholeUnit, len(sums), len(table), pitch, len(rows), n)
	if len(sums) == 0 || n == 0 {
		return
	}
	ok := false
	switch {
	case useVectors:
		ok = addWholeRowsVector(sums, table, pitch, rows, n, height)
	default:
		ok = addWholeRows(sums, table, pitch, rows, n, height)
	}
	if !ok {
		badRow(rows[:n], height)
	}
}

// addWholeRows returns false if a row is not in the table.
func addWholeRows(sums []int32, table []int16, pitch int, rows []uint32, n, height int) (ok bool) {
	for _, row := range rows[:n] {
		if uint64(row) >= uint64(height) {
			return false
		}
		for i, x := range table[int(row)*pitch:][:len(sums)] {
			sums[i] += int32(x)
		}
	}
	return true
}
