package solver

import (
	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// Primal returns P(w) for any weights and bias, as [Solver.Weights] returns them, on the rows of a matrix. Of the
// options, it takes Loss, Bias and Threads. The sum has the same bits for any number of threads.
func (p *Problem) Primal(x *sparse.CSR, weights []float64, bias float64, o Options) float64 {
	slots, square := make([]kernels.Slot, len(weights)), 0.0
	for j, w := range weights {
		slots[j] = p.slot(j)
		slots[j].U = float32(w * p.colScale(j))
		square += float64(w * w)
	}
	if o.Bias > 0 {
		square += float64(bias / o.Bias * (bias / o.Bias))
	}
	losses := make([]float64, par.Count(x.Rows, chunkRows))
	par.Chunks(max(o.Threads, 1), x.Rows, chunkRows, func(chunk, lo, hi int) {
		for i := lo; i < hi; i++ {
			if next := i + slotsAhead; next < hi {
				kernels.PrefetchEntries(slots, rowOf(x, next).idx, cachedSlots)
			}
			cost := p.Cost(i)
			if cost == 0 {
				continue
			}
			row, length := rowOf(x, i), 0.0
			if p.UnitRows {
				length = row.squares(slots)
			}
			margin := float64(float64(row.dot(slots))*p.rowScale(i, length)) + bias
			if !p.Positive[i] {
				margin = -margin
			}
			losses[chunk] += o.Loss.of(margin+p.offset(i), cost)
		}
	})
	sum := square / 2
	for _, loss := range losses {
		sum += loss
	}
	return sum
}
