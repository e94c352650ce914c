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

// interleave4Vector is amd64's alone.
func interleave4Vector(_, _, _, _, _ []uint64) (done int) { return 0 }
