package kernels

import (
	"fmt"
	"math/bits"
)

// MaxDistinct is how many hashes [MarkDistinct] takes.
const MaxDistinct = 1 << 15

// MarkDistinct sets marks[i] to 1 if hashes[i] does not occur before, and to 0 otherwise.
// It writes down where in table hashes are, by the top bits of their product with the
// odd key, the first of an entry last. Where another hash has taken the entry, the mark
// is 0 and i is one of left, ascending, of which it returns the number: either all
// occurrences of a hash are among them, or none.
//
// There are at most [MaxDistinct] hashes, as many marks and as much room for left. The
// table has a power of two of entries, from 2 on.
func MarkDistinct(marks []uint8, left []uint32, hashes []uint64, table []uint16, key uint64) int {
	size := len(table)
	if len(hashes) > MaxDistinct || len(left) != len(hashes) || len(marks) != len(hashes) || size < 2 ||
		size&(size-1) != 0 {
		panic(fmt.Sprintf("kernels: %d hashes, %d to be left, %d marks and %d entries",
			len(hashes), len(left), len(marks), size))
	}
	shift := 64 - bits.TrailingZeros(uint(size))
	n := 0
	for i := len(hashes) - 1; i >= 0; i-- {
		table[hashes[i]*key>>(shift&63)&uint64(len(table)-1)] = uint16(i)
	}
	for i, h := range hashes {
		place := int(table[h*key>>(shift&63)&uint64(len(table)-1)])
		other := hashes[place] ^ h
		// Arithmetic, as neither can be guessed.
		marks[i] = uint8(uint64((i^place)-1) >> 63)
		left[n] = uint32(i)
		n += int((other | -other) >> 63)
	}
	return n
}

// KeepMarked moves the entries that are marked to the front, in order, and returns their
// number. What is behind them then is not promised.
func KeepMarked(p []uint64, marks []uint8) int {
	if len(marks) != len(p) {
		panic(fmt.Sprintf("kernels: %d marks of %d", len(marks), len(p)))
	}
	kept := 0
	for i, x := range p {
		p[kept] = x
		kept += int(marks[i] & 1)
	}
	return kept
}
