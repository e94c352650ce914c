//go:build !purego

package kernels

// onAMD64 says that there is the assembly that only amd64 has.
const onAMD64 = false

// useVectors says that the assembly of NEON runs.
var useVectors bool

// assembly are the implementations beyond the Go loops. Every CPU that Go supports
// has NEON.
var assembly = []implementation{{name: "neon", runs: true, use: &useVectors}}

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
