//go:build !purego

package kernels

// addRowsAsm is addRows of at least one row.
//
//go:noescape
func addRowsAsm(sums, table []float64, rows []uint32, n int)
