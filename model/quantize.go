package model

import (
	"fmt"
	"math"
)

// Rounding is what quantizing has done to the numbers of a section.
type Rounding struct {
	Section string  `json:"section"` // as in a file of 32 bits
	Numbers int     `json:"numbers"`
	Largest float64 `json:"largest"` // magnitude
	Worst   float64 `json:"worst"`   // rounding error
	RMS     float64 `json:"rms"`     // of the errors, by that of the numbers; 0 if all are 0
}

// Quantize gives the model with weights and ratios of 16 or 8 bits; all else is
// shared. It fails where they have as few bits already.
func (m *Model) Quantize(bits int) (*Model, []Rounding, error) {
	if bits != 16 && bits != 8 {
		return nil, nil, fmt.Errorf("model: %d bits for a number: must be 16 or 8", bits)
	}
	if have := m.Bits(); have <= bits {
		return nil, nil, fmt.Errorf("model: its numbers have %d bits already; quantize the model of 32 bits", have)
	}
	quantized := *m
	var roundings []Rounding
	round := func(section string, s *Numbers) {
		if *s == nil {
			return
		}
		wide := (*s).Range(make([]float32, (*s).Len()), 0, (*s).Len())
		if bits == 16 {
			*s = newNumbers16(wide)
		} else {
			*s = newNumbers8(wide)
		}
		roundings = append(roundings, rounding(section, wide, *s))
	}
	round("DENSE", &quantized.Dense)
	if m.Sparse != nil {
		sparse := *m.Sparse
		round(weightSections[2], &sparse.Value)
		quantized.Sparse = &sparse
	}
	round("RATIO", &quantized.Ratio)
	if m.SparseRatio != nil {
		ratio := *m.SparseRatio
		round(ratioRow, &ratio.Row)
		round(pairSections[2], &ratio.Pairs.Value)
		quantized.SparseRatio = &ratio
	}
	return &quantized, roundings, nil
}

// Bits are the bits of a weight: 32, 16 or 8.
func (m *Model) Bits() int {
	if m.Dense != nil {
		return m.Dense.Bits()
	}
	return m.Sparse.Value.Bits()
}

// rounding compares numbers with what they have become.
func rounding(section string, wide []float32, quantized Numbers) Rounding {
	r := Rounding{Section: section, Numbers: len(wide)}
	var errors, squares float64
	for i, x := range wide {
		x := float64(x)
		off := x - float64(quantized.At(i))
		r.Largest, r.Worst = max(r.Largest, math.Abs(x)), max(r.Worst, math.Abs(off))
		errors += float64(off * off)
		squares += float64(x * x)
	}
	if squares > 0 {
		r.RMS = math.Sqrt(errors / squares)
	}
	return r
}
