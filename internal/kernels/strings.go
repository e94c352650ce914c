package kernels

import (
	"encoding/binary"
	"math/bits"
)

// PlainPrefix returns how many bytes go before the first quote, backslash or control
// character (below 0x20), which JSON strings can't hold as they are. It looks at eight bytes at a time.
func PlainPrefix(text []byte) int {
	i := 0
	for ; i+8 <= len(text); i += 8 {
		if flags := notPlain(binary.LittleEndian.Uint64(text[i:])); flags != 0 {
			return i + bits.TrailingZeros64(flags)/8
		}
	}
	for i < len(text) && text[i] >= ' ' && text[i] != '"' && text[i] != '\\' {
		i++
	}
	return i
}

// notPlain has the high bit of the first of eight bytes that is not plain; of those
// behind it nothing is said.
func notPlain(x uint64) uint64 {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	quote, slash := x^'"'*ones, x^'\\'*ones
	// The lowest flag is right: borrows only go upwards, from a flag.
	return (((x - ' '*ones) &^ x) | ((quote - ones) &^ quote) | ((slash - ones) &^ slash)) & high
}
