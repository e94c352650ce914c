package model

import (
	"fmt"
	"math"

	"github.com/seed-167f963f/nbsvm/internal/par"
)

// KeepWeights has training leave weights as the solver finds them: none is dropped, and none is rounded. Only tests set
// it.
var KeepWeights bool

// Rounding is what quantizing has done to the numbers of a section.
type Rounding struct {
	Section string  `json:"section"` // as in a file of 32 bits
	Numbers int     `json:"numbers"`
	Largest float64 `json:"largest"` // magnitude
	Worst   float64 `json:"worst"`   // rounding error
	RMS     float64 `json:"rms"`     // of the errors, by that of the numbers; 0 if all are 0
}

// roundBits are the bits of a rounded number.
const roundBits = 8

// Quantize gives the model with weights and ratios of 8 bits; all else is shared. It fails where they have 8 already.
func (m *Model) Quantize() (*Model, []Rounding, error) {
	quantized, jobs, err := m.quantize()
	roundings := make([]Rounding, len(jobs))
	for i := range jobs {
		roundings[i] = jobs[i].compare()
	}
	return quantized, roundings, err
}

// Round is like Quantize for those who don't ask what it has done to the numbers.
func (m *Model) Round() (*Model, error) {
	quantized, _, err := m.quantize()
	return quantized, err
}

func (m *Model) quantize() (*Model, []rounding, error) {
	if m.Rule != nil {
		return nil, nil, fmt.Errorf("model: section %s has no weights to round", m.Rule.Section)
	}
	if have := m.Bits(); have <= roundBits {
		return nil, nil, fmt.Errorf("model: its numbers already have %d bits: there is no smaller form; train with Options.MaxModel", have)
	}
	quantized := *m
	quantized.Meta.StoredGap = nil
	var jobs []rounding
	round := func(section string, s *Numbers, n int) {
		jobs = append(jobs, rounding{section: section, numbers: s, n: n})
	}
	if s := m.Sparse; s != nil {
		if SparseIsSmaller(roundBits, s.Entries(), m.Keys.Size(), m.Outputs) {
			same := *s
			quantized.Sparse = &same
		} else {
			quantized.setWeights(roundBits, s.Entries(), s.visit) // which are dense now
		}
	}
	if quantized.Dense != nil {
		round("DENSE", &quantized.Dense, quantized.Dense.Len())
	} else {
		round(numbersSection, &quantized.Sparse.Value, m.Sparse.Entries())
	}
	if m.Ratio != nil {
		round("RATIO", &quantized.Ratio, m.Ratio.Len())
	}
	par.EachItem(len(jobs), func(i int) { jobs[i].round(m.Outputs) })
	return &quantized, jobs, nil
}

// rounding is to be done to the numbers of a section, of which n are in the model.
type rounding struct {
	section string
	numbers *Numbers
	n       int
	wide    []float32 // what they were
}

// round rounds the numbers to 8 bits.
func (r *rounding) round(outputs int) {
	s := r.numbers
	wide, is32 := (*s).(Float32s)
	if !is32 {
		wide = (*s).Range(make([]float32, (*s).Len()), 0, (*s).Len())
	}
	r.wide = wide
	b := newNumbers8(wide)
	if outputs > 1 && (r.section == "DENSE" || r.section == numbersSection) {
		b.makeWhole()
	}
	*s = b
}

// Bits returns the bits of a weight: 32 or 8; 32 where there are none.
func (m *Model) Bits() int {
	if m.Rule != nil {
		return 32
	}
	return m.weights().bits()
}

// weights returns the numbers of all weights, in the order of Dense or of Sparse.
func (m *Model) weights() Numbers {
	if m.Dense != nil {
		return m.Dense
	}
	return m.Sparse.Value
}

// compare compares the numbers with what they have become.
func (r *rounding) compare() Rounding {
	wide, quantized := r.wide, *r.numbers
	done := Rounding{Section: r.section, Numbers: r.n}
	type sums struct{ largest, worst, errors, squares float64 }
	parts := make([]sums, par.Count(len(wide), chunk))
	par.Chunks(par.Processors(), len(wide), chunk, func(c, lo, hi int) {
		var s sums
		for i, x := range wide[lo:hi] {
			x := float64(x)
			off := x - float64(quantized.At(lo+i))
			s.largest, s.worst = max(s.largest, math.Abs(x)), max(s.worst, math.Abs(off))
			s.errors += float64(off * off)
			s.squares += float64(x * x)
		}
		parts[c] = s
	})
	var errors, squares float64
	for _, s := range parts {
		done.Largest, done.Worst = max(done.Largest, s.largest), max(done.Worst, s.worst)
		errors += s.errors
		squares += s.squares
	}
	if squares > 0 {
		done.RMS = math.Sqrt(errors / squares)
	}
	return done
}
