//go:build (!amd64 && !arm64) || purego

package kernels

// The assembly of other builds gets nothing done here.

func sumSlotsAsm([]uint64, []uint32) (sum float32, done int)                 { return 0, -1 }
func addSlotsAsm([]uint64, []uint32, float32) (done int)                     { return 0 }
func dotSlotsAsm([]uint64, []uint32, []float32) (sum float32, done int)      { return 0, -1 }
func axpySlotsAsm([]uint64, []uint32, []float32, float32) (done int)         { return 0 }
func sum64Asm([]float64, []uint32) (sum float64, done int)                   { return 0, -1 }
func add64Asm([]float64, []uint32, float64) (done int)                       { return 0 }
func sumScalesAsm([]uint64, []uint32) (sum float32, done int)                { return 0, -1 }
func dot64Asm([]float64, []uint32, []float32) (sum float64, done int)        { return 0, -1 }
func sumSquares64Asm([]float64, []uint32, []float32) (sum float64, done int) { return 0, -1 }
func axpy64Asm([]float64, []uint32, []float32, float64) (done int)           { return 0 }
func prefetchEntries([]uint64, []uint32, uint32)                             {}
func prefetchIDs([]uint32)                                                   {}
func prefetchLine(*byte)                                                     {}
