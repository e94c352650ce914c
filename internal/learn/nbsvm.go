package learn

import (
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/par"
)

// columnsPart is how many columns a thread works on at a time.
const columnsPart = 1 << 16

// overColumns calls work for parts of the columns.
func (c *oneAgainstRest) overColumns(work func(lo, hi int)) {
	par.Chunks(c.threads, len(c.x.Keys), columnsPart, func(_, lo, hi int) { work(lo, hi) })
}

// fold interpolates the weights (Wang and Manning 2012, section 2.4),
// w' = (1−beta)·w̄ + beta·w with w̄ = ‖w‖₁/|V|, and multiplies them by the
// ratio, so that they apply to features. The bias, which belongs to w, becomes
// beta times itself; the published program has none.
func (c *oneAgainstRest) fold(out *output, weights []float32, m *classMemory) {
	switch {
	case c.prior != nil: // these correct an earlier model, which is interpolated already
		out.bias += m.priorBias
		c.overColumns(func(lo, hi int) {
			for j := lo; j < hi; j++ {
				if c.ratio != nil {
					weights[j] = float32(weights[j] * c.ratio.columns[j])
				}
				weights[j] = float32(weights[j]*c.correction.freedom[j]) + m.prior[j]
			}
		})
	case c.ratio != nil && c.Beta == 1:
		c.overColumns(func(lo, hi int) {
			for j, r := range c.ratio.columns[lo:hi] {
				weights[lo+j] = float32(weights[lo+j] * r)
			}
		})
	case c.ratio != nil: // the solver knows no signs
		var mean float64
		for _, w := range weights {
			mean += math.Abs(float64(w))
		}
		mean /= float64(len(weights))
		out.bias *= c.Beta
		c.overColumns(func(lo, hi int) {
			for j := lo; j < hi; j++ {
				r, w := float64(c.ratio.signed[j]), float64(weights[j])
				weights[j] = float32(float64(float64((1-c.Beta)*mean)*r) + float64(float64(c.Beta*w)*math.Abs(r)))
			}
		})
	}
	out.take(weights)
}

// take copies the weights of all columns. If some are 0, it stores the others with their columns.
func (o *output) take(weights []float32) {
	used := 0
	for _, w := range weights {
		if w != 0 {
			used++
		}
	}
	if used == len(weights) {
		o.values = slices.Clone(weights)
		return
	}
	o.columns, o.values = make([]uint32, 0, used), make([]float32, 0, used)
	for j, w := range weights {
		if w != 0 {
			o.columns, o.values = append(o.columns, uint32(j)), append(o.values, w)
		}
	}
}
