package model

import (
	"encoding/binary"
	"math"
)

// Halves are numbers of 16 bits: IEEE 754 half precision, times a scale. Their
// relative error is at most 2^-12, down to 2^-29 of the largest.
type Halves struct {
	Scale float64 // a power of two, from 2^-125 to 2^112, so that all are float32s
	Codes []uint16
}

const (
	minScale, maxScale = -125, 112 // exponents of Halves.Scale

	halfSign, halfInfinity, halfLargest = 0x8000, 0x7c00, 0x7bff
)

// NewHalves rounds numbers, which must be finite, to the nearest ones of 16 bits.
func NewHalves(s []float32) *Halves {
	var largest float32
	for _, x := range s {
		largest = max(largest, x, -x)
	}
	h := &Halves{Scale: 1, Codes: make([]uint16, len(s))}
	if largest > 0 {
		_, exponent := math.Frexp(float64(largest))
		h.Scale = math.Ldexp(1, min(max(exponent-15, minScale), maxScale)) // the largest becomes 2^14 to 2^15
	}
	for i, x := range s {
		h.Codes[i] = toHalf(float64(x) / h.Scale)
	}
	return h
}

// toHalf rounds to nearest, ties to even, and to the largest where that is infinite.
func toHalf(x float64) uint16 {
	b := math.Float32bits(float32(x))
	sign, b := uint16(b>>16)&halfSign, b&^(1<<31)
	if b < 113<<23 { // below 2^-14: multiples of 2^-24
		return sign | uint16(math.RoundToEven(math.Abs(x)*0x1p24))
	}
	b += 0xfff + b>>13&1
	return sign | uint16(min((b-112<<23)>>13, halfLargest))
}

// fromHalf gives what a finite half stands for. Its bits, in the places of a
// float32's, stand for the number times 2^-112, subnormal ones as well.
func fromHalf(h uint16) float32 {
	return math.Float32frombits(uint32(h&halfSign)<<16|uint32(h&^halfSign)<<13) * 0x1p112
}

// Len is how many there are.
func (h *Halves) Len() int { return len(h.Codes) }

// Bits is 16.
func (h *Halves) Bits() int { return 16 }

// At gives one number.
func (h *Halves) At(i int) float32 { return fromHalf(h.Codes[i]) * float32(h.Scale) }

// Range widens numbers into dst.
func (h *Halves) Range(dst []float32, lo, hi int) []float32 {
	codes, scale := h.Codes[lo:hi], float32(h.Scale)
	dst = dst[:len(codes)]
	for i, code := range codes {
		dst[i] = fromHalf(code) * scale
	}
	return dst
}

// Gather widens numbers into dst.
func (h *Halves) Gather(dst []float32, places []uint32) []float32 {
	dst = room(dst, len(places))
	scale := float32(h.Scale)
	for i, place := range places {
		dst[i] = fromHalf(h.Codes[place]) * scale
	}
	return dst
}

func (h *Halves) check(section string) *problem {
	fraction, exponent := math.Frexp(h.Scale)
	if fraction != 0.5 || exponent-1 < minScale || exponent-1 > maxScale {
		return at(section, 0, "the scale is %v: it must be a power of two from 2^%d to 2^%d", h.Scale, minScale, maxScale)
	}
	return finite(section, 8, h.Codes, halves)
}

func (h *Halves) encode(view bool) []byte {
	b := binary.LittleEndian.AppendUint64(make([]byte, 0, 8+2*len(h.Codes)), math.Float64bits(h.Scale))
	return append(b, toBytes(h.Codes, view)...)
}

func (d *decoder) halves(section string, b []byte) *Halves {
	if len(b) < 8 {
		d.bad = at(section, 0, "it has %d bytes, and its scale alone 8", len(b))
		return nil
	}
	return &Halves{
		Scale: math.Float64frombits(binary.LittleEndian.Uint64(b)),
		Codes: array[uint16](d, section, b[8:]),
	}
}
