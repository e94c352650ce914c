//go:build !amd64 || purego

package kernels

// onAMD64 says that there is the assembly that only amd64 has.
const onAMD64 = false

func lineKeysVector([]uint32, []uint64, int, int) {}

func findRowsVector([]uint32, []uint32, []uint64, int, [][16]uint32, []uint64) (n int) { return 0 }

func sumDistinctVector([]uint64, []uint32, []uint64, float64, float64) (w, s float64, n, done int) {
	return 0, 0, 0, 0
}

func findSpansVector(*[1544]uint32, *[88]uint8, *[24]uint64, int, int, int, *[4]uint32, []uint64, *[256][8]uint32) (n int) {
	return 0
}

func expsVector([]float32, *[12]float32) (sum float64) { return 0 }

func mulMatrixVector(_, _, _ []float32) {}

func addCodesVector([]uint16, []uint8, uint32) {}
