//go:build !amd64 || purego

package kernels

// The assembly of other builds gets nothing done here.

func sumSlotsAVX2([]uint64, []uint32) (sum float32, done int)            { return 0, -1 }
func addSlotsAVX2([]uint64, []uint32, float32) (done int)                { return 0 }
func dotSlotsAVX2([]uint64, []uint32, []float32) (sum float32, done int) { return 0, -1 }
func axpySlotsAVX2([]uint64, []uint32, []float32, float32) (done int)    { return 0 }
func sum64AVX2([]float64, []uint32) (sum float64, done int)              { return 0, -1 }
func add64AVX2([]float64, []uint32, float64) (done int)                  { return 0 }
func sumScalesAVX2([]uint64, []uint32) (sum float32, done int)           { return 0, -1 }
func prefetchEntries([]uint64, []uint32, uint32)                         {}
func prefetchIDs([]uint32)                                               {}
func prefetchLine(*byte)                                                 {}
