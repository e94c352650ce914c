//go:build !purego

package kernels

// The functions of text_arm64.s, which are those of text_amd64.go.

//go:noescape
func splitWordsAsm(text []uint8, columns *[4][16]uint8, lower uint8, lowered *lowered, starts, ends *positions, final bool) (words, size int)

//go:noescape
func hashWordsAsm(dst []uint64, lowered *lowered, start, end *uint16, a, b uint64) (done int)

//go:noescape
func mixSumsAsm(dst, a, b []uint64, key uint64) (done int)

//go:noescape
func interleave2Asm(dst, a, b []uint64) (done int)

//go:noescape
func interleave3Asm(dst, a, b, c []uint64) (done int)

// bitPlaces has for every byte the places of its bits, lowest first.
//
//lint:ignore U1000 splitWordsAsm reads it.
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
