package nbsvm

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/bayes"
	"github.com/seed-167f963f/nbsvm/internal/ordered"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
	"github.com/seed-167f963f/nbsvm/solver"
)

// fitted is a trained model in terms of its design's columns.
type fitted struct {
	outputs []output
	absent  []float32 // see ratio; nil where ratios are of all columns
}

// output is one decision function, bias + Σ_j f_j·(base + weight_j).
type output struct {
	columns []uint32  // ascending; nil: weights of all columns
	weights []float32 // parallel to columns
	base    float64
	bias    float64
	stats   *solver.Stats
	ratio   *ratio // nil unless kept
}

// ratio is the log-count ratio of one output, where it is kept: of all columns, or
// of those that the class's documents hold. For the others it is the sum of a
// number of the column, trainer.absent, and one of the output.
type ratio struct {
	columns []uint32 // ascending; nil: all
	values  []float32
	absent  float64
}

// trainer fits the outputs of one design.
type trainer struct {
	o      *Options
	ds     *dataset
	d      *design
	total  []float64 // Σ f over all documents, per column
	absent []float32 // log(alpha/(alpha+total)), per column; nil with one output
	scale  []float64 // what a document's features are counted with: weight·rowScale
	mass   []float64 // document weights
	mutex  sync.Mutex
	done   int
}

// fit trains all outputs of the model: one for two classes, else one per class.
func fit(ctx context.Context, ds *dataset, d *design, o *Options) (*fitted, error) {
	t := &trainer{o: o, ds: ds, d: d}
	t.weigh()
	if o.Kind.linear() {
		return t.linear(ctx)
	}
	return t.bayes(ctx)
}

// weigh computes the documents' weights and how much each counts in sums.
func (t *trainer) weigh() {
	n := t.d.x.Rows
	t.mass = make([]float64, 0, n)
	for it := t.d.rows.Iterator(); it.HasNext(); {
		t.mass = append(t.mass, t.ds.weight(int(it.Next())))
	}
	if t.ds.weights == nil && t.d.rowScale == nil {
		return
	}
	t.scale = make([]float64, n)
	for i := range t.scale {
		t.scale[i] = t.mass[i]
		if t.d.rowScale != nil {
			t.scale[i] *= t.d.rowScale[i]
		}
	}
}

// rowsOf are the design's rows that carry a label.
func (t *trainer) rowsOf(class int) *roaring.Bitmap {
	if int(t.d.rows.GetCardinality()) == t.ds.docs {
		return t.ds.classes.sets[class]
	}
	rows := roaring.New()
	it := roaring.And(t.d.rows, t.ds.classes.sets[class]).Iterator()
	for it.HasNext() {
		rows.Add(uint32(t.d.rows.Rank(it.Next()) - 1))
	}
	return rows
}

// outputClasses lists the class that each output is for.
func (t *trainer) outputClasses() []int {
	k := len(t.ds.classes.labels)
	if k == 2 && !t.ds.classes.multi {
		return []int{1}
	}
	all := make([]int, k)
	for i := range all {
		all[i] = i
	}
	return all
}

// sums adds up the features of the rows.
func (t *trainer) sums(dst []float64, rows *roaring.Bitmap) {
	t.d.x.AddColumnSums(dst, rows, t.scale)
	if t.d.idf != nil {
		for j := range dst {
			dst[j] *= float64(t.d.idf[j])
		}
	}
}

// linear trains one classifier per output, several at a time.
func (t *trainer) linear(ctx context.Context) (*fitted, error) {
	so, err := t.o.solverOptions()
	if err != nil {
		return nil, err
	}
	classes := t.outputClasses()
	if t.o.Kind == NBSVM {
		if err := t.checkNonNegative(); err != nil {
			return nil, err
		}
		t.total = make([]float64, t.d.x.Cols)
		t.sums(t.total, nil)
		if len(classes) > 1 {
			t.absent = make([]float32, len(t.total))
			for j, n := range t.total {
				t.absent[j] = float32(xmath.Log(t.o.Alpha) - xmath.Log(t.o.Alpha+n))
			}
		}
	}
	workers := make([]*oneAgainstRest, min(t.o.threads(), len(classes)))
	f := &fitted{outputs: make([]output, len(classes)), absent: t.absent}
	err = ordered.Each(ctx, len(workers), len(classes), func(w, i int) error {
		if workers[w] == nil {
			workers[w] = &oneAgainstRest{trainer: t, solver: solver.New(t.d.x)}
		}
		so := so
		so.Progress = t.progress(len(classes))
		out, err := workers[w].train(ctx, classes[i], so)
		if err != nil {
			return fmt.Errorf("nbsvm: class %q: %w", t.ds.classes.labels[classes[i]], err)
		}
		f.outputs[i] = out
		t.finished(len(classes))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// checkNonNegative refuses what the log-count ratio has no meaning for.
func (t *trainer) checkNonNegative() error {
	for i := range t.d.x.Rows {
		_, values := t.d.x.Row(i)
		for k, v := range values {
			if v < 0 {
				ids, _ := t.d.x.Row(i)
				return fmt.Errorf("nbsvm: feature %d has the value %v in document %d, but model %s counts features, which can't be negative; take --model svm or logistic", t.d.ids[ids[k]], v, i+1, t.o.Kind)
			}
		}
	}
	return nil
}

// progress reports a solution's epochs where there is only one to solve.
func (t *trainer) progress(classes int) func(solver.Epoch) {
	if t.o.Progress == nil || classes > 1 {
		return nil
	}
	return func(e solver.Epoch) {
		gap := e.Gap
		if math.IsNaN(gap) {
			gap = e.Estimate
		}
		t.o.Progress(Progress{Stage: "solve", Done: int64(e.Number), Total: -1, Unit: "epochs", Detail: fmt.Sprintf("gap %.2g", gap)})
	}
}

func (t *trainer) finished(classes int) {
	if t.o.Progress == nil || classes == 1 {
		return
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.done++
	t.o.Progress(Progress{Stage: "solve", Done: int64(t.done), Total: int64(classes), Unit: "classes"})
}

// oneAgainstRest trains one class at a time; it owns the memory for that.
type oneAgainstRest struct {
	*trainer
	solver   *solver.Solver
	sum      []float64
	rest     []float64
	ratio    []float32
	positive []bool
	cost     []float64
}

func (c *oneAgainstRest) train(ctx context.Context, class int, so solver.Options) (output, error) {
	rows := c.rowsOf(class)
	p := solver.Problem{X: c.d.x, RowScale: c.d.rowScale, UnitRows: c.o.Normalize, ColScale: c.d.idf}
	if c.o.Kind == NBSVM {
		c.logRatio(rows)
		p.ColScale = c.ratio
		if c.d.idf != nil {
			p.ColScale = make([]float32, len(c.ratio))
			for j, r := range c.ratio {
				p.ColScale[j] = r * c.d.idf[j]
			}
		}
	}
	p.Positive, p.Cost = c.labelled(class, rows)
	result, err := c.solver.Solve(ctx, p, so)
	if err != nil {
		return output{}, err
	}
	out := c.fold(result.Weights)
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
	for j, s := range c.sum {
		c.rest[j] = max(0, c.total[j]-s)
	}
	bayes.LogRatio(c.ratio, c.sum, c.rest, c.o.Alpha)
}

// labelled gives every row its side and its cost.
func (c *oneAgainstRest) labelled(class int, rows *roaring.Bitmap) ([]bool, []float64) {
	if c.positive == nil {
		c.positive, c.cost = make([]bool, c.d.x.Rows), make([]float64, c.d.x.Rows)
	}
	clear(c.positive)
	for it := rows.Iterator(); it.HasNext(); {
		c.positive[it.Next()] = true
	}
	factor, rest := c.classFactors(class, rows)
	for i, positive := range c.positive {
		c.cost[i] = c.o.C * c.mass[i] * rest
		if positive {
			c.cost[i] = c.o.C * c.mass[i] * factor
		}
	}
	return c.positive, c.cost
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
	smooth := c.o.Alpha * float64(len(c.sum))
	r := &ratio{absent: xmath.Log(smooth+bayes.Total(c.rest)) - xmath.Log(smooth+bayes.Total(c.sum))}
	for j, n := range c.sum {
		if n > 0 {
			r.columns, r.values = append(r.columns, uint32(j)), append(r.values, c.ratio[j])
		}
	}
	return r
}
