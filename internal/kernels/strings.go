package kernels

import (
	"encoding/binary"
	"math/bits"
)

// fewWords are the words of a text that are looked at without vectors: most names in
// JSON end within them.
const fewWords = 4

// PlainPrefix returns how many bytes go before the first quote, backslash or control
// character (below 0x20), which JSON strings can't hold as they are.
func PlainPrefix(text []byte) int {
	n := 0
	if useVectors && len(text) >= fewWords*8+32 {
		for ; n < fewWords*8; n += 8 {
			if flags := notPlain(binary.LittleEndian.Uint64(text[n:])); flags != 0 {
				return n + bits.TrailingZeros64(flags)/8
			}
		}
		n += plainPrefixVector(text[n:])
	}
	return n + plainPrefix(text[n:])
}

// plainPrefix is like PlainPrefix, eight bytes at a time.
func plainPrefix(text []byte) int {
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
