package solver

import (
	"math"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// part is some of a row's entries. It fits into registers, as the slices of it do not.
type part struct {
	x      *sparse.CSR
	lo, hi int64
}

// rowOf returns row i of a matrix.
func rowOf(x *sparse.CSR, i int) part { return part{x, x.Indptr[i], x.Indptr[i+1]} }

// idx returns the columns.
func (r part) idx() []uint32 { return r.x.Indices[r.lo:r.hi] }

// val returns the values, or nil where they are all 1.
func (r part) val() []float32 {
	if r.x.Values == nil {
		return nil
	}
	return r.x.Values[r.lo:r.hi]
}

// value returns the value of the k-th entry.
func (r part) value(k int) float64 {
	if r.x.Values == nil {
		return 1
	}
	return float64(r.x.Values[r.lo+int64(k)])
}

// prefetch asks for a row's entries.
func (r part) prefetch() {
	kernels.PrefetchAll(r.idx())
	if val := r.val(); val != nil {
		kernels.PrefetchAll(val)
	}
}

// dot returns Σ X_ij·u_j.
func (r part) dot(slots []kernels.Slot) float32 {
	return kernels.DotSlots(slots, r.idx(), r.val())
}

// add adds d times the row to the slots.
func (r part) add(slots []kernels.Slot, d float32) {
	kernels.AxpySlots(slots, r.idx(), r.val(), d)
}

// dot64 returns dot in double precision.
func (r part) dot64(table []float64) float64 {
	return kernels.Dot64(table, r.idx(), r.val())
}

// add64 returns add in double precision.
func (r part) add64(table []float64, d float64) {
	kernels.Axpy64(table, r.idx(), r.val(), d)
}

// squares returns Σ X_ij²·s_j² by the slots.
func (r part) squares(slots []kernels.Slot) float64 {
	if r.x.Values == nil {
		return float64(kernels.SumScales(slots, r.idx()))
	}
	var sum float64
	for k, j := range r.idx() {
		v := r.value(k)
		sum += float64(float64(v*v) * float64(slots[j].S))
	}
	return sum
}

// squares returns Σ X_ij²·s_j² over a part of a row.
func (p *Problem) squares(row part) float64 {
	var sum float64
	switch {
	case p.ColScale != nil:
		for k, j := range row.idx() {
			v := float64(p.ColScale[j]) * row.value(k)
			sum += float64(v * v)
		}
	case row.x.Values == nil:
		return float64(row.hi - row.lo)
	default:
		for _, v := range row.val() {
			sum += float64(float64(v) * float64(v))
		}
	}
	return sum
}

// atZero returns P(0) of n rows, and the sum of their costs.
func (p *Problem) atZero(l rowLoss, n int) (primal, costs float64) {
	for i := range n {
		cost := p.Cost(i)
		primal += l.of(p.offset(i), cost)
		costs += cost
	}
	return primal, costs
}

// rowScale returns c_i·a_i, given Σ X_ij²·s_j².
func (p *Problem) rowScale(i int, squares float64) float64 {
	switch {
	case p.UnitRows:
		return inverseRoot(squares) // a_i cancels
	case p.RowScale != nil:
		return p.RowScale[i]
	}
	return 1
}

// inverseRoot returns 1/√x, and 0 for 0.
func inverseRoot(x float64) float64 {
	if x <= 0 {
		return 0
	}
	return 1 / math.Sqrt(x)
}

// slot returns the slot of a column before the first step.
func (p *Problem) slot(j int) kernels.Slot {
	c := p.colScale(j)
	return kernels.Slot{S: float32(c * c)}
}

// weight returns the weight of a shared column, from u in its slot.
func (p *Problem) weight(j int, u float32) float32 {
	if c := p.colScale(j); c != 0 {
		return float32(float64(u) / c)
	}
	return 0
}

// tailWeights writes the weights of columns that one row alone has, z being its alpha·y·c·a.
func (p *Problem) tailWeights(weights []float32, row part, z float64) {
	for k, j := range row.idx() {
		weights[j] = float32(float64(z*row.value(k)) * p.colScale(int(j)))
	}
}
