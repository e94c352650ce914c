package model

import (
	"fmt"

	"github.com/seed-167f963f/nbsvm/internal/par"
)

// KeepWeights has training leave weights as the solver finds them: none is dropped, and none is rounded. Only tests set
// it.
var KeepWeights bool

// ByWord is the value of Meta.Values whose weights have more orders of magnitude than others.
const ByWord = "by-word"

// roundBits are the bits of a rounded number.
const roundBits = 8

// Quantize gives the model with weights and ratios of 8 bits; all else is shared. It fails where they have 8 already.
func (m *Model) Quantize() (*Model, error) {
	if m.Rule != nil {
		return nil, fmt.Errorf("model: section %s has no weights to round", m.Rule.Section)
	}
	if have := m.Bits(); have <= roundBits {
		return nil, fmt.Errorf("model: its numbers already have %d bits: there is no smaller form; train with Options.MaxModel", have)
	}
	quantized := *m
	if s := m.Sparse; s != nil {
		if SparseIsSmaller(roundBits, s.Entries(), m.Keys.Size(), m.Outputs) {
			same := *s
			quantized.Sparse = &same
		} else {
			quantized.Sparse, quantized.Dense = nil, s.dense(m.Outputs)
		}
	}
	weights := &quantized.Dense
	if quantized.Dense == nil {
		weights = &quantized.Sparse.Value
	}
	factor := levelFactor
	if m.Meta.Values == ByWord {
		factor = byWordFactor
	}
	jobs := []func(){func() { *weights = roundedTo8(*weights, factor, m.Outputs > 1) }}
	if m.Ratio != nil {
		jobs = append(jobs, func() { quantized.Ratio = roundedTo8(quantized.Ratio, factor, false) })
	}
	par.EachItem(len(jobs), func(i int) { jobs[i]() })
	return &quantized, nil
}

// roundedTo8 rounds numbers to 8 bits, which are whole where sums are taken of several outputs.
func roundedTo8(s Numbers, factor float64, whole bool) Numbers {
	wide, is32 := s.(Float32s)
	if !is32 {
		wide = s.Range(make([]float32, s.Len()), 0, s.Len())
	}
	b := newNumbers8(wide, factor)
	if whole {
		b.makeWhole()
	}
	return b
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
