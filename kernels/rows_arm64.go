//go:build !purego

package kernels

// The functions of rows_arm64.s, which are those of rows_amd64.go.

//go:noescape
func sumSlotsAsm(table []uint64, idx []uint32) (sum float32, done int)

//go:noescape
func addSlotsAsm(table []uint64, idx []uint32, d float32) (done int)

//go:noescape
func dotSlotsAsm(table []uint64, idx []uint32, val []float32) (sum float32, done int)

//go:noescape
func axpySlotsAsm(table []uint64, idx []uint32, val []float32, d float32) (done int)

//go:noescape
func sumScalesAsm(table []uint64, idx []uint32) (sum float32, done int)

//go:noescape
func sum64Asm(table []float64, idx []uint32) (sum float64, done int)

//go:noescape
func add64Asm(table []float64, idx []uint32, d float64) (done int)

//go:noescape
func dot64Asm(table []float64, idx []uint32, val []float32) (sum float64, done int)

//go:noescape
func sumSquares64Asm(table []float64, idx []uint32, val []float32) (sum float64, done int)

//go:noescape
func axpy64Asm(table []float64, idx []uint32, val []float32, d float64) (done int)

//go:noescape
func prefetchEntries(table []uint64, idx []uint32, from uint32)

//go:noescape
func prefetchIDs(idx []uint32)

//go:noescape
func prefetchLine(p *byte)
