//go:build (!amd64 && !arm64) || purego

package kernels

// The assembly of other builds is not called here.

func addRowsAsm(_, _ []float64, _ []uint32, _ int) {}
