package distributed

import (
	"math"

	"github.com/seed-167f963f/nbsvm/solver"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// Problem is what to train: a problem of package solver, on rows of unit length or as they are.
type Problem struct {
	X        *sparse.CSR
	ColScale []float32 // of every column
	UnitRows bool
	Positive []bool
	Rows     []int32 // that are trained on; nil for all
	Cost     float64 // of each
	Loss     solver.Loss
	Bias     float64
}

// rowScale is what a row is multiplied with.
func (p *Problem) rowScale(i int) float64 {
	if !p.UnitRows {
		return 1
	}
	idx, val := p.X.Row(i)
	var squares float64
	for k, j := range idx {
		x := float64(p.ColScale[j])
		if val != nil {
			x *= float64(val[k])
		}
		squares += float64(x * x)
	}
	if squares == 0 {
		return 0
	}
	return 1 / math.Sqrt(squares)
}

// of is the matrix of some rows.
func (p *Problem) of(rows []int32) (x *sparse.CSR, positive []bool) {
	x = &sparse.CSR{Cols: p.X.Cols, Indptr: []int64{0}}
	for _, i := range rows {
		idx, val := p.X.Row(int(i))
		x.Indices, x.Values = append(x.Indices, idx...), append(x.Values, val...)
		x.Indptr = append(x.Indptr, int64(len(x.Indices)))
		x.Rows++
		positive = append(positive, p.Positive[i])
	}
	if p.X.Values == nil {
		x.Values = nil
	}
	return x, positive
}

// decisions are those of all rows.
func (p *Problem) decisions(weights []float64, bias float64) []float64 {
	decisions := make([]float64, p.X.Rows)
	for i := range decisions {
		idx, val := p.X.Row(i)
		var dot float64
		for k, j := range idx {
			x := float64(p.ColScale[j])
			if val != nil {
				x *= float64(val[k])
			}
			dot += float64(x * weights[j])
		}
		decisions[i] = float64(dot*p.rowScale(i)) + bias
	}
	return decisions
}
