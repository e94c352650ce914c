package xmath

import "math"

// Bits of a number of IEEE 754 half precision: its sign, the exponent of what is no finite number, and the largest
// finite number.
const (
	HalfSign, HalfInfinity, LargestHalf = 0x8000, 0x7c00, 0x7bff
)

// Half rounds to nearest, ties to even, and to the largest where that is infinite.
func Half(x float64) uint16 {
	b := math.Float32bits(float32(x))
	sign, b := uint16(b>>16)&HalfSign, b&^(1<<31)
	if b < 113<<23 { // below 2^-14: multiples of 2^-24
		return sign | uint16(math.RoundToEven(math.Abs(x)*0x1p24))
	}
	b += 0xfff + b>>13&1
	return sign | uint16(min((b-112<<23)>>13, LargestHalf))
}

// FromHalf gives what a finite half stands for. Its bits, in the places of a
// float32's, stand for the number times 2^-112, subnormal ones as well.
func FromHalf(h uint16) float32 {
	return math.Float32frombits(uint32(h&HalfSign)<<16|uint32(h&^HalfSign)<<13) * 0x1p112
}
