package nbsvm

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/bayes"
	"github.com/seed-167f963f/nbsvm/internal/stage"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
	"github.com/seed-167f963f/nbsvm/solver"
)

// oneAgainstRest trains one class at a time; it owns the memory for that.
type oneAgainstRest struct {
	*trainer
	solver   *solver.Solver // nil before the first class
	sum      []float64
	rest     []float64
	ratio    []float32
	positive []bool
}

func (c *oneAgainstRest) train(ctx context.Context, class int, so solver.Options) (output, error) {
	rows := c.rowsOf(class)
	p := solver.Problem{X: c.d.x, RowScale: c.d.rowScale, UnitRows: c.o.Normalize, ColScale: c.d.idf}
	if c.o.Kind == NBSVM {
		stage.Run(ctx, stage.Ratio, func() { c.logRatio(rows) })
		p.ColScale = c.ratio
		if c.d.idf != nil {
			p.ColScale = make([]float32, len(c.ratio))
			for j, r := range c.ratio {
				p.ColScale[j] = r * c.d.idf[j]
			}
		}
	}
	p.Positive, p.Mass, p.Costs = c.labelled(rows), c.mass, c.costs(class, rows)
	start := time.Now()
	if c.solver == nil {
		c.solver = solver.New(c.d.x)
	}
	result, err := stage.Get(ctx, stage.Solve, func(ctx context.Context) (*solver.Result, error) {
		return c.solver.Solve(ctx, p, so)
	})
	if err != nil {
		return output{}, err
	}
	took := time.Since(start)
	out := c.fold(result.Weights)
	out.took = took
	out.bias = result.Intercept
	out.stats = &result.Stats
	return out, nil
}

// logRatio computes the class's log-count ratio against the rest.
func (c *oneAgainstRest) logRatio(rows *roaring.Bitmap) {
	if c.sum == nil {
		n := c.d.x.Cols
		c.sum, c.rest, c.ratio = make([]float64, n), make([]float64, n), make([]float32, n)
	}
	clear(c.sum)
	c.sums(c.sum, rows)
	bayes.Rest(c.rest, c.total, c.sum)
	bayes.LogRatio(c.ratio, c.sum, c.rest, c.o.Alpha)
}

// labelled gives every row its side.
func (c *oneAgainstRest) labelled(rows *roaring.Bitmap) []bool {
	if c.positive == nil {
		c.positive = make([]bool, c.d.x.Rows)
	}
	clear(c.positive)
	for it := rows.Iterator(); it.HasNext(); {
		c.positive[it.Next()] = true
	}
	return c.positive
}

// costs are those of errors on documents of the class and of the rest.
func (c *oneAgainstRest) costs(class int, rows *roaring.Bitmap) solver.Costs {
	positive, negative := c.classFactors(class, rows)
	return solver.Costs{Positive: c.o.C * positive, Negative: c.o.C * negative}
}

// classFactors are what class weights make of the costs of the class and of the
// rest. Against the rest, a named weight belongs to the class itself; of two
// classes, each has its own.
func (c *oneAgainstRest) classFactors(class int, rows *roaring.Bitmap) (positive, negative float64) {
	two := len(c.outputClasses()) == 1
	w := c.o.ClassWeight
	if w.Balanced {
		var inside, all float64
		for i, m := range c.mass {
			all += m
			if rows.Contains(uint32(i)) {
				inside += m
			}
		}
		if inside == 0 || inside == all {
			return 1, 1
		}
		return all / (2 * inside), all / (2 * (all - inside))
	}
	weight := func(k int) float64 {
		if f, ok := w.Weights[c.ds.classes.labels[k]]; ok {
			return f
		}
		return 1
	}
	if two {
		return weight(1), weight(0)
	}
	return weight(class), 1
}

// fold interpolates the weights (Wang and Manning 2012, section 2.4),
// w' = (1−beta)·w̄ + beta·w with w̄ = ‖w‖₁/|V|, and multiplies them by the
// ratio, so that they apply to features.
func (c *oneAgainstRest) fold(weights []float64) output {
	var mean float64
	for _, w := range weights {
		mean += math.Abs(w)
	}
	mean /= float64(len(weights))
	var out output
	used := 0
	for j, w := range weights {
		if c.o.Kind == NBSVM {
			w = (float64((1-c.o.Beta)*mean) + float64(c.o.Beta*w)) * float64(c.ratio[j])
		}
		weights[j] = w
		if float32(w) != 0 {
			used++
		}
	}
	if used == len(weights) {
		out.weights = make([]float32, len(weights))
		for j, w := range weights {
			out.weights[j] = float32(w)
		}
	} else {
		out.columns, out.weights = make([]uint32, 0, used), make([]float32, 0, used)
		for j, w := range weights {
			if float32(w) != 0 {
				out.columns, out.weights = append(out.columns, uint32(j)), append(out.weights, float32(w))
			}
		}
	}
	if c.o.Kind == NBSVM && (c.o.Normalize || c.o.KeepRatio) {
		out.ratio = c.keepRatio()
	}
	return out
}

// keepRatio copies the class's ratio.
func (c *oneAgainstRest) keepRatio() *ratio {
	if c.absent == nil {
		return &ratio{values: slices.Clone(c.ratio)}
	}
	smooth := float64(c.o.Alpha * float64(len(c.sum)))
	r := &ratio{absent: xmath.Log(smooth+bayes.Total(c.rest)) - xmath.Log(smooth+bayes.Total(c.sum))}
	for j, n := range c.sum {
		if n > 0 {
			r.columns, r.values = append(r.columns, uint32(j)), append(r.values, c.ratio[j])
		}
	}
	return r
}
