//go:build (!amd64 && !arm64) || purego

package kernels

const useVectors, useAVX512 = false, false

// assembly are the implementations beyond the Go loops.
var assembly []implementation

// There are no vector loops here, and what has their names is not called.

func sumSlotsVector([]uint64, []uint32) (sum float32, done int)                 { return 0, 0 }
func addSlotsVector([]uint64, []uint32, float32) (done int)                     { return 0 }
func dotSlotsVector([]uint64, []uint32, []float32) (sum float32, done int)      { return 0, 0 }
func axpySlotsVector([]uint64, []uint32, []float32, float32) (done int)         { return 0 }
func sum64Vector([]float64, []uint32) (sum float64, done int)                   { return 0, 0 }
func add64Vector([]float64, []uint32, float64) (done int)                       { return 0 }
func sumScalesVector([]uint64, []uint32) (sum float32, done int)                { return 0, 0 }
func dot64Vector([]float64, []uint32, []float32) (sum float64, done int)        { return 0, 0 }
func sumSquares64Vector([]float64, []uint32, []float32) (sum float64, done int) { return 0, 0 }
func axpy64Vector([]float64, []uint32, []float32, float64) (done int)           { return 0 }
func prefetchEntries([]uint64, []uint32, uint32)                                {}
func prefetchIDs([]uint32)                                                      {}
func prefetchLine(*byte)                                                        {}
func sumGroupsVector(*Group, []GroupSlot, []uint32) (done int)                  { return 0 }
func sumGroupScalesVector(*Group, []GroupSlot, []uint32) (done int)             { return 0 }
func dotGroupsVector(*Group, []GroupSlot, []uint32, []float32) (done int)       { return 0 }
func addGroupsVector([]GroupSlot, []uint32, *Group) (done int)                  { return 0 }
func axpyGroupsVector([]GroupSlot, []uint32, []float32, *Group) (done int)      { return 0 }
func sumGroups64Vector(*Group64, []Group64, []uint32) (done int)                { return 0 }
func addGroups64Vector([]Group64, []uint32, *Group64) (done int)                { return 0 }
func prefetchLines(*byte, []uint32, uint32)                                     {}
func columnsOfGapsVector([]uint32, []byte, []byte, *gapShapes) (done, used int, outside bool) {
	return 0, 0, false
}
func plainPrefixVector([]uint8) int { return 0 }
func splitWordsVector([]uint8, *columns, uint8, *lowered, *positions, *positions, bool) (words, size int) {
	return 0, 0
}

func hashWordsVector([]uint64, *lowered, *uint16, *uint16, uint64, uint64) (done int) { return 0 }
func hashCharsVector([]uint64, []byte, *[128]uint8, *charFirst, []uint32, *charASCII, uint64, uint64, uint8, bool) (n, size int) {
	return 0, 0
}
func mixSumsVector(_, _, _ []uint64, _ uint64) (done int) { return 0 }
func interleave2Vector(_, _, _ []uint64) (done int)       { return 0 }
func interleave3Vector(_, _, _, _ []uint64) (done int)    { return 0 }
func interleave4Vector(_, _, _, _, _ []uint64) (done int) { return 0 }
func markDistinctVector([]uint8, []uint32, []uint64, []uint16, uint64, int) (done, n int) {
	return 0, 0
}
func keepMarkedVector([]uint64, []uint8) (done, kept int) { return 0, 0 }

func addRowsVector(_ []float64, _ []float32, _ int, _ []uint32, _, _ int) bool { return false }
func addRatioRowsVector(_, _, _ []float64, _ []float32, _ int, _ []uint32, _ []float32, _, _ int) bool {
	return false
}
