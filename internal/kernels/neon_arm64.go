//go:build !purego

package kernels

// The functions of neon_arm64.s, which have the names and do the work of those of
// avx2_amd64.go.

//go:noescape
func sumSlotsVector(table []uint64, idx []uint32) (sum float32, done int)

//go:noescape
func addSlotsVector(table []uint64, idx []uint32, d float32) (done int)

//go:noescape
func dotSlotsVector(table []uint64, idx []uint32, val []float32) (sum float32, done int)

//go:noescape
func axpySlotsVector(table []uint64, idx []uint32, val []float32, d float32) (done int)

//go:noescape
func sumScalesVector(table []uint64, idx []uint32) (sum float32, done int)

//go:noescape
func sum64Vector(table []float64, idx []uint32) (sum float64, done int)

//go:noescape
func add64Vector(table []float64, idx []uint32, d float64) (done int)

//go:noescape
func dot64Vector(table []float64, idx []uint32, val []float32) (sum float64, done int)

//go:noescape
func sumSquares64Vector(table []float64, idx []uint32, val []float32) (sum float64, done int)

//go:noescape
func axpy64Vector(table []float64, idx []uint32, val []float32, d float64) (done int)

//go:noescape
func prefetchEntries(table []uint64, idx []uint32, from uint32)

//go:noescape
func prefetchIDs(idx []uint32)

//go:noescape
func prefetchLine(p *byte)

//go:noescape
func sumGroupsVector(sum *Group, table []GroupSlot, idx []uint32) (done int)

//go:noescape
func sumGroupScalesVector(sum *Group, table []GroupSlot, idx []uint32) (done int)

//go:noescape
func dotGroupsVector(sum *Group, table []GroupSlot, idx []uint32, val []float32) (done int)

//go:noescape
func addGroupsVector(table []GroupSlot, idx []uint32, d *Group) (done int)

//go:noescape
func axpyGroupsVector(table []GroupSlot, idx []uint32, val []float32, d *Group) (done int)

//go:noescape
func sumGroups64Vector(sum *Group64, table []Group64, idx []uint32) (done int)

//go:noescape
func addGroups64Vector(table []Group64, idx []uint32, d *Group64) (done int)

//go:noescape
func prefetchLines(table *byte, idx []uint32, from uint32)

//go:noescape
func plainPrefixVector(text []uint8) (n int)

//go:noescape
func addRowsVector(sums []float64, table []float32, pitch int, rows []uint32, n, height int) (ok bool)

//go:noescape
func addRatioRowsVector(sums, squares, usual []float64, table []float32, pitch int, rows []uint32, of []float32, n, height int) (ok bool)

//go:noescape
func splitWordsVector(text []uint8, columns *[4][16]uint8, lower uint8, lowered *lowered, starts, ends *positions, final bool) (words, size int)

//go:noescape
func hashWordsVector(dst []uint64, lowered *lowered, start, end *uint16, a, b uint64) (done int)

//go:noescape
func mixSumsVector(dst, a, b []uint64, key uint64) (done int)

//go:noescape
func interleave2Vector(dst, a, b []uint64) (done int)

//go:noescape
func interleave3Vector(dst, a, b, c []uint64) (done int)

// bitPlaces has for every byte the places of its bits, lowest first.
//
//lint:ignore U1000 splitWordsVector reads it.
var bitPlaces = func() (places [256][8]uint8) {
	for b := range places {
		n := 0
		for i := range uint8(8) {
			if b>>i&1 != 0 {
				places[b][n] = i
				n++
			}
		}
	}
	return places
}()

// hashCharsVector has no assembly here.
func hashCharsVector(dst []uint64, text []byte, bytes *[128]uint8, first *charFirst, pages []uint32, ascii *charASCII, a, b uint64, stop uint8, after bool) (n, size int) {
	return hashChars(dst, text, bytes, first, pages, ascii, a, b, stop, after)
}
