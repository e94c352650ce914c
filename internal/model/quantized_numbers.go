package model

import (
	"math"

	"github.com/seed-167f963f/nbsvm/internal/mem"
	"github.com/seed-167f963f/nbsvm/internal/par"
)

// numbers8 are numbers of 8 bits: each is the place of one of 256 levels.
type numbers8 struct {
	levels [256]float32
	codes  []uint8
}

// levelBytes is what the levels take of a section.
const levelBytes = 4 * len(numbers8{}.levels)

// levelFactor is how many times the next smaller level a level is. The smallest is a 2,800th of the largest: factors
// from 1.06 to 1.076 leave about the same error on six sets, 1.7 to 2.2 % of the weights' own size.
const levelFactor = 1.065

// byWordFactor is that where values are by word, so that the smallest level is a 52,000th of the largest: values may be
// a hundred and more, whose weights are as much smaller.
const byWordFactor = 1.09

// newNumbers8 rounds numbers, which must be finite, to the nearest of 255 levels: zero, which no other number is
// rounded to, and 127 of either sign, that fall by the factor from the largest magnitude.
//
// Levels fitted to the numbers have half the error, and int8 with a scale has 7 times as much: most weights are small,
// and a few a hundred times as large (docs/explanation/quantization.md).
func newNumbers8(s []float32, factor float64) *numbers8 {
	const side = 127
	var largest float32
	for _, x := range s {
		largest = max(largest, x, -x)
	}
	b := &numbers8{codes: make([]uint8, len(s))}
	level := float64(largest)
	for k := range side {
		b.levels[side-k] = max(float32(level), math.SmallestNonzeroFloat32)
		b.levels[2*side-k] = -b.levels[side-k]
		level /= factor
	}
	// Numbers of a group, which have the sign, the exponent and the first 7 bits of the fraction in common, have one
	// level.
	const shift = 16
	var places [1 << (32 - shift)]uint8
	place := 1
	for group := range len(places) / 2 {
		x := math.Float32frombits(uint32(group)<<shift | 1<<(shift-1))
		for place < side && b.levels[place+1]-x < x-b.levels[place] {
			place++
		}
		places[group], places[len(places)/2+group] = uint8(place), uint8(side+place)
	}
	par.Chunks(par.Processors(), len(s), chunk, func(_, lo, hi int) {
		for i, x := range s[lo:hi] {
			if x != 0 {
				b.codes[lo+i] = places[math.Float32bits(x)>>shift]
			}
		}
	})
	return b
}

// chunk is how many numbers a thread takes at once.
const chunk = 1 << 16

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
