package solver

import (
	"math"

	"github.com/seed-167f963f/nbsvm/kernels"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// part is some of a row's entries; val is nil where they are all 1.
type part struct {
	idx []uint32
	val []float32
}

func partOf(x *sparse.CSR, lo, hi int64) part {
	if x.Values == nil {
		return part{idx: x.Indices[lo:hi]}
	}
	return part{x.Indices[lo:hi], x.Values[lo:hi]}
}

// squares is Σ X_ij²·s_j² over a part of a row.
func (p *Problem) squares(row part) float64 {
	var sum float64
	for k, j := range row.idx {
		v := p.colScale(int(j))
		if row.val != nil {
			v *= float64(row.val[k])
		}
		sum += float64(v * v)
	}
	return sum
}

// slotSquares is the same over columns that have slots.
func slotSquares(slots []kernels.Slot, row part) float64 {
	if row.val == nil {
		return float64(kernels.SumScales(slots, row.idx))
	}
	var sum float64
	for k, j := range row.idx {
		v := float64(row.val[k])
		sum += float64(float64(v*v) * float64(slots[j].S))
	}
	return sum
}

// rowScale is c_i·a_i, given Σ X_ij²·s_j².
func (p *Problem) rowScale(i int, squares float64) float64 {
	switch {
	case p.UnitRows:
		return inverseRoot(squares) // a_i cancels
	case p.RowScale != nil:
		return p.RowScale[i]
	}
	return 1
}

// inverseRoot is 1/√x, and 0 for 0.
func inverseRoot(x float64) float64 {
	if x <= 0 {
		return 0
	}
	return 1 / math.Sqrt(x)
}

// slot is that of a column before the first step.
func (p *Problem) slot(j int) kernels.Slot {
	c := p.colScale(j)
	return kernels.Slot{S: float32(c * c)}
}

// weight is that of a shared column, from u in its slot.
func (p *Problem) weight(j int, u float32) float32 {
	if c := p.colScale(j); c != 0 {
		return float32(float64(u) / c)
	}
	return 0
}

// tailWeights writes the weights of columns that one row alone has, z being its alpha·y·c·a.
func (p *Problem) tailWeights(weights []float32, row part, z float64) {
	for k, j := range row.idx {
		v := 1.0
		if row.val != nil {
			v = float64(row.val[k])
		}
		weights[j] = float32(float64(z*v) * p.colScale(int(j)))
	}
}
