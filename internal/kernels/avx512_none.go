//go:build !amd64 || purego

package kernels

// AVX-512 is not here, and what has its names is not called.

func splitWordsAVX512([]uint8, *[128]uint8, uint8, *lowered, *positions, *positions, bool) (words, size int) {
	return 0, 0
}

func hashWordsAVX512([]uint64, *lowered, *uint16, *uint16, uint64, uint64) (done int) { return 0 }
func hashCharsAVX512([]uint64, []byte, *[128]uint8, *charFirst, []uint32, *charASCII, uint64, uint64, uint8, bool) (n, size int) {
	return 0, 0
}
func mixSumsAVX512(_, _, _ []uint64, _ uint64) (done int) { return 0 }

func addRowsAVX512(_ []float64, _ []float32, _ int, _ []uint32, _, _ int) bool { return false }

func addRatioRowsAVX512(_, _, _ []float64, _ []float32, _ int, _ []uint32, _ []float32, _, _ int) bool {
	return false
}
