package nbsvm

import (
	"context"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/bayes"
	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// ratio is the log-count ratio of one output, where it is kept: of all columns, or
// of those that the class's documents hold. For the others it is the sum of a
// number of the column, fitted.absent, and one of the output.
type ratio struct {
	part
	absent float64
}

// all sets dst to the ratio of each of n columns.
func (r *ratio) all(dst, absent []float32, n int) []float32 {
	dst = slices.Grow(dst[:0], n)[:n]
	if r.columns == nil && len(r.values) == n {
		copy(dst, r.values)
		return dst
	}
	for j := range dst {
		dst[j] = float32(float64(absent[j]) + r.absent)
	}
	for i, j := range r.columns {
		dst[j] = r.values[i]
	}
	return dst
}

// count adds up the features of the documents that ratios are of, for so many classes.
func (t *trainer) count(ctx context.Context, classes int) error {
	t.total = make([]float64, len(t.x.Keys))
	if t.counted == nil && t.scale == nil && !t.x.Valued() && t.x.IDF == nil { // which spares a pass over rows on disk
		par.Chunks(t.o.threads(), len(t.x.Frequencies), columnsPart, func(_, lo, hi int) {
			for j, n := range t.x.Frequencies[lo:hi] {
				t.total[lo+j] = float64(n)
			}
		})
	} else if err := t.sums(ctx, t.total, t.counted); err != nil {
		return err
	}
	t.features = len(t.total)
	if t.counted != nil {
		t.features = 0
		for _, n := range t.total {
			if n > 0 {
				t.features++
			}
		}
	}
	if classes > 1 {
		t.absent = make([]float32, len(t.total))
		for j, n := range t.total {
			t.absent[j] = float32(xmath.Log(t.o.Alpha) - xmath.Log(t.o.Alpha+n))
		}
		if t.prior != nil {
			t.prior.absentRow(t.absent)
		}
	}
	return nil
}

// logRatio computes a class's log-count ratio against the rest.
func (c *oneAgainstRest) logRatio(ctx context.Context, rows *roaring.Bitmap, m *classMemory) error {
	n := len(c.x.Keys)
	if c.sum == nil {
		c.sum = make([]float64, n)
	}
	if m.ratio == nil {
		m.ratio = make([]float32, n)
	}
	clear(c.sum)
	if err := c.sums(ctx, c.sum, rows); err != nil {
		return err
	}
	c.inside, c.outside = bayes.Total(c.sum), 0
	for j := range c.total {
		c.outside += c.sumOfOthers(j)
	}
	if c.alpha = bayes.Equal(c.o.Alpha); c.o.AlphaBySize {
		c.alpha = bayes.BySize(c.o.Alpha, c.inside, c.outside)
	}
	shift := c.alpha.Shift(c.inside, c.outside, n)
	by := float32(shift - c.alpha.Shift(c.inside, c.outside, c.features))
	c.overColumns(func(lo, hi int) {
		var others [1 << 12]float64
		for from := lo; from < hi; from += len(others) {
			to := min(from+len(others), hi)
			for j := from; j < to; j++ {
				others[j-from] = c.sumOfOthers(j)
			}
			bayes.LogQuotient(m.ratio[from:to], c.sum[from:to], others[:to-from], c.alpha, shift)
		}
		if c.features < n { // those that no document has are not smoothed
			for j := range m.ratio[lo:hi] {
				m.ratio[lo+j] += by
			}
		}
	})
	return nil
}

// takeRatio replaces the ratio of features that an earlier model knows by that of the model.
func (c *oneAgainstRest) takeRatio(output int, m *classMemory) {
	// New features are stored where the class has them, and so are those of a new class.
	if c.absent != nil && c.alpha.Neg == c.o.Alpha {
		of := c.absentOf(output)
		for j, n := range c.sum {
			if n == 0 {
				m.ratio[j] = float32(float64(c.absent[j]) + of)
			}
		}
	}
	c.prior.takeRatio(output, m.ratio)
}

// absentOf is the part of the ratio that an output adds for features that no document of its class has, see ratio.
func (c *oneAgainstRest) absentOf(output int) float64 {
	own := xmath.Log(c.alpha.Pos) - xmath.Log(c.o.Alpha) - c.alpha.Shift(c.inside, c.outside, len(c.sum))
	return c.prior.absentOutput(output, own)
}

// sumOfOthers is the sum of a column over all documents but those of the class.
func (c *oneAgainstRest) sumOfOthers(j int) float64 {
	return max(0, c.total[j]-c.sum[j]) // rounding may have left it below 0
}

// columnsPart is how many columns a thread takes at a time.
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
				if c.weighted {
					weights[j] = float32(weights[j] * m.ratio[j])
				}
				weights[j] = float32(weights[j]*m.freedom[j]) + m.prior[j]
			}
		})
	case c.weighted:
		var mean float64
		for _, w := range weights {
			mean += math.Abs(float64(w))
		}
		mean /= float64(len(weights))
		out.bias *= c.o.Beta
		c.overColumns(func(lo, hi int) {
			for j, w := range weights[lo:hi] {
				weights[lo+j] = float32((float64((1-c.o.Beta)*mean) + float64(c.o.Beta*float64(w))) * float64(m.ratio[lo+j]))
			}
		})
	}
	out.take(weights)
}

// take copies weights of all columns, those that are 0 left out if there are any.
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

// keepRatio copies a class's ratio, as logRatio left it. Of a class with more than half of all, what is added to the sums
// of others differs from class to class, and so the ratio of each column is kept.
func (c *oneAgainstRest) keepRatio(output int, values []float32) *ratio {
	if c.absent == nil {
		return &ratio{part: part{values: slices.Clone(values)}}
	}
	all := c.alpha.Neg != c.o.Alpha
	r := &ratio{absent: c.absentOf(output)}
	for j, n := range c.sum {
		if n > 0 || all || c.prior != nil && values[j] != float32(float64(c.absent[j])+r.absent) {
			r.columns, r.values = append(r.columns, uint32(j)), append(r.values, values[j])
		}
	}
	return r
}
