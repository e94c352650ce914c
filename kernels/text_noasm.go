//go:build (!amd64 && !arm64) || purego

package kernels

// The assembly of other builds is not called here, or gets nothing done.

func splitWordsAsm([]uint8, *[4][16]uint8, uint8, *lowered, *positions, *positions, bool) (words, size int) {
	return 0, 0
}

func hashWordsAsm([]uint64, *lowered, *uint16, *uint16, uint64, uint64) (done int) { return 0 }
func mixSumsAsm(_, _, _ []uint64, _ uint64) (done int)                             { return 0 }
func interleave2Asm(_, _, _ []uint64) (done int)                                   { return 0 }
func interleave3Asm(_, _, _, _ []uint64) (done int)                                { return 0 }
func addRowsAsm(_, _ []float64, _ []uint32, _ int)                                 {}
