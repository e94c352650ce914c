// Package half converts numbers of IEEE 754 half precision.
package half

import "math"

// Bits of a half: its sign, the exponent of what is no finite number, and the largest finite number.
const (
	Sign, Infinity, Largest = 0x8000, 0x7c00, 0x7bff
)

// Of rounds to nearest, ties to even, and to the largest where that is infinite.
func Of(x float64) uint16 {
	b := math.Float32bits(float32(x))
	sign, b := uint16(b>>16)&Sign, b&^(1<<31)
	if b < 113<<23 { // below 2^-14: multiples of 2^-24
		return sign | uint16(math.RoundToEven(math.Abs(x)*0x1p24))
	}
	b += 0xfff + b>>13&1
	return sign | uint16(min((b-112<<23)>>13, Largest))
}

// Float gives what a finite half stands for. Its bits, in the places of a
// float32's, stand for the number times 2^-112, subnormal ones as well.
func Float(h uint16) float32 {
	return math.Float32frombits(uint32(h&Sign)<<16|uint32(h&^Sign)<<13) * 0x1p112
}
