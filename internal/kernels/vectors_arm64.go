//go:build !purego

package kernels

// AVX-512 is another CPU's.
const useAVX512 = false

// useVectors says that the assembly of NEON runs.
var useVectors bool

// assembly are the implementations beyond the Go loops. Every CPU that Go supports
// has NEON.
var assembly = []implementation{{name: "neon", runs: true, use: &useVectors}}

// columnsOfGapsVector is amd64's alone.
func columnsOfGapsVector([]uint32, []byte, []byte, *gapShapes) (done, used int, outside bool) {
	return 0, 0, false
}

// The same goes for these.

func interleave4Vector(_, _, _, _, _ []uint64) (done int) { return 0 }

func markDistinctVector([]uint8, []uint32, []uint64, []uint16, uint64, int) (done, n int) {
	return 0, 0
}
func keepMarkedVector([]uint64, []uint8) (done, kept int) { return 0, 0 }
