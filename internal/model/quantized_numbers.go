package model

import (
	"math"

	"github.com/seed-167f963f/nbsvm/internal/mem"
	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// halves are numbers of 16 bits: IEEE 754 half precision, times a scale. Their relative error is at most 2^-12, down to
// 2^-29 of the largest.
type halves struct {
	scale float64 // a power of two, from 2^-125 to 2^112, so that all are float32s
	codes []uint16
}

const minScale, maxScale = -125, 112 // exponents of halves.scale

// newHalves rounds numbers, which must be finite, to the nearest halves.
func newHalves(s []float32) *halves {
	var largest float32
	for _, x := range s {
		largest = max(largest, x, -x)
	}
	h := &halves{scale: 1, codes: make([]uint16, len(s))}
	if largest > 0 {
		_, exponent := math.Frexp(float64(largest))
		h.scale = math.Ldexp(1, min(max(exponent-15, minScale), maxScale)) // the largest becomes 2^14 to 2^15
	}
	par.Chunks(par.Processors(), len(s), chunk, func(_, lo, hi int) {
		for i, x := range s[lo:hi] {
			h.codes[lo+i] = xmath.Half(float64(x) / h.scale)
		}
	})
	return h
}

// chunk is how many numbers a thread takes at once.
const chunk = 1 << 16

// numbers8 are numbers of 8 bits: each is the place of one of 256 levels.
type numbers8 struct {
	levels [256]float32
	codes  []uint8
}

// levelBytes is what the levels take of a section.
const levelBytes = 4 * len(numbers8{}.levels)

// newNumbers8 rounds numbers, which must be finite, to the 256 levels with the least
// squared error. Zero stays zero, and nothing above 2^-36 of the largest (or 2^-147) becomes it.
func newNumbers8(s []float32) *numbers8 {
	// The levels are fitted to halves, which are so many that their error does not
	// show, and so few that each can be looked at.
	h := newHalves(s)
	levels, places := levelsOf(h)
	b := &numbers8{levels: levels, codes: make([]uint8, len(s))}
	for i, code := range h.codes {
		b.codes[i] = places[code>>groupBits]
	}
	return b
}

// mostWhole is the largest whole number that a level is of the unit of wholeUnit.
const mostWhole = math.MaxInt16

// wholeUnit returns the power of two of which all numbers up to the largest are mostWhole times as much, about, or
// less.
func wholeUnit(levels []float32) float64 {
	largest := 0.0
	for _, level := range levels {
		largest = max(largest, math.Abs(float64(level)))
	}
	_, exponent := math.Frexp(largest)
	return math.Ldexp(1, max(exponent-15, -149))
}

// makeWhole rounds levels to multiples of their wholeUnit.
func (b *numbers8) makeWhole() {
	unit := wholeUnit(b.levels[:])
	for i, level := range b.levels {
		whole := math.RoundToEven(float64(level) / unit)
		b.levels[i] = float32(min(max(whole, -mostWhole), mostWhole) * unit)
	}
}

// WholeUnit returns the power of two of which all weights are multiples by a whole number of 16 bits, if there is one:
// then their sums are exact. Weights of 8 bits have one, if they are of several outputs and were rounded since it is
// so.
func (m *Model) WholeUnit() (unit float64, ok bool) {
	b, ok := m.weights().(*numbers8)
	if !ok {
		return 0, false
	}
	unit = wholeUnit(b.levels[:])
	for _, level := range b.levels {
		if whole := float64(level) / unit; whole != math.Trunc(whole) || math.Abs(whole) > mostWhole {
			return 0, false
		}
	}
	return unit, true
}

// Len returns how many there are.
func (b *numbers8) Len() int { return len(b.codes) }

func (b *numbers8) bits() int { return 8 }

// At gives one number.
func (b *numbers8) At(i int) float32 { return b.levels[b.codes[i]] }

// Range looks numbers up, into dst.
func (b *numbers8) Range(dst []float32, lo, hi int) []float32 {
	codes := b.codes[lo:hi]
	dst = dst[:len(codes)]
	for i, code := range codes {
		dst[i] = b.levels[code]
	}
	return dst
}

func (b *numbers8) check(section string) *fileError { return finite(section, b.levels[:]) }

func (b *numbers8) encode() []byte {
	return append(append(make([]byte, 0, levelBytes+len(b.codes)), mem.ViewBytes(b.levels[:])...), b.codes...)
}

func bytesOf(section string, b []byte) (*numbers8, *fileError) {
	if len(b) < levelBytes {
		return nil, at(section, 0, "it has %d bytes, and its levels alone %d", len(b), levelBytes)
	}
	return &numbers8{levels: [256]float32(mem.View[float32](b[:levelBytes])), codes: b[levelBytes:]}, nil
}
