package learn

import (
	"context"
	"runtime/debug"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/solver"
)

// oneAgainstRest trains one class, or several side by side; it owns the memory for
// that.
type oneAgainstRest struct {
	*trainer
	threads int            // for what it does besides solving
	solver  *solver.Solver // nil before the first class
	classes []classMemory
	weights []float32
}

// classMemory is what a class needs while it is solved.
type classMemory struct {
	positive []bool

	// The weights of the model to update, by column, and its bias.
	prior     []float32
	priorBias float64
}

// train trains some classes, each against the others.
func (c *oneAgainstRest) train(ctx context.Context, classes []int, so solver.Options) ([]output, error) {
	c.threads = so.Threads
	outputs, problems := make([]output, len(classes)), make([]solver.Problem, len(classes))
	for len(c.classes) < len(classes) {
		c.classes = append(c.classes, classMemory{})
	}
	for k, class := range classes {
		problems[k] = c.problem(class, &c.classes[k])
		problems[k].Start = c.duals.of(c.outputOf(class))
	}
	if c.x.Mapped { // room is scarce, and sums are soon made again
		debug.FreeOSMemory()
	}
	start := time.Now()
	if err := c.solve(ctx, problems, so, outputs); err != nil {
		return nil, err
	}
	for k := range outputs {
		c.duals.keep(c.outputOf(classes[k]), func(dst []float64) []float64 { return c.solver.Alpha(k, dst) })
		outputs[k].took = time.Since(start) / time.Duration(len(outputs))
	}
	return outputs, nil
}

// close gives the solver's memory back.
func (c *oneAgainstRest) close() {
	if c.solver != nil {
		c.solver.Close()
	}
}

// problem returns the problem of a class against the rest.
func (c *oneAgainstRest) problem(class int, m *classMemory) solver.Problem {
	rows := c.rowsOf(class)
	p := solver.Problem{ColScale: c.x.IDF, Mass: c.mass}
	if c.ratio != nil {
		p.ColScale = c.ratio.scale
	}
	c.scaleRows(&p)
	p.Positive, p.Costs = m.labelled(c.x.Rows(), rows), c.costs(class, rows)
	if c.prior != nil {
		c.learnOn(c.outputOf(class), &p, m)
	}
	return p
}

func (c *oneAgainstRest) solve(
	ctx context.Context, problems []solver.Problem, so solver.Options, outputs []output,
) error {
	ctx, end := par.WithStage(ctx, par.StageSolve)
	defer end()
	if c.solver == nil {
		m := solver.Matrix{X: c.x.X, Near: c.near, Mapped: c.x.Mapped, Temp: c.x.Temp}
		var err error
		if c.solver, err = solver.Open(m); err != nil {
			return err
		}
	}
	stats, err := c.solver.Solve(ctx, problems, so)
	if err != nil {
		return err
	}
	for k := range outputs {
		outputs[k].stats = &stats[k]
		c.weights, outputs[k].bias = c.solver.Weights(k, c.weights)
		c.fold(&outputs[k], c.weights, &c.classes[k])
		if c.ds.Classes.Outputs() >= ManyOutputs && !c.keepsSmall {
			outputs[k] = outputs[k].withoutSmall()
		}
	}
	return nil
}

// labelled gives every one of n rows its side.
func (m *classMemory) labelled(n int, rows *roaring.Bitmap) []bool {
	if m.positive == nil {
		m.positive = make([]bool, n)
	}
	clear(m.positive)
	for it := rows.Iterator(); it.HasNext(); {
		m.positive[it.Next()] = true
	}
	return m.positive
}

// costs returns the costs of errors on documents of the class and of the rest.
func (c *oneAgainstRest) costs(class int, rows *roaring.Bitmap) solver.Costs {
	positive, negative := c.classFactors(class, rows)
	return solver.Costs{Positive: c.C * positive, Negative: c.C * negative}
}

// classFactors returns the factors of class weights for the costs of the class and of the rest. Against the rest, only
// the class has a weight, as in LIBLINEAR; of two classes, each has its own.
func (t *trainer) classFactors(class int, rows *roaring.Bitmap) (positive, negative float64) {
	if t.against() {
		return t.classFactor(1, t.rowsOf(1)), t.classFactor(0, t.rowsOf(0))
	}
	return t.classFactor(class, rows), 1
}

// classFactor returns the weight of a class with these rows. Balanced, each label has the same weight in all; a node of
// a tree has that of the labels below it.
func (t *trainer) classFactor(class int, rows *roaring.Bitmap) float64 {
	if t.Balanced {
		inside := t.massOf(rows)
		if inside == 0 {
			return 1
		}
		t.weighing.Do(t.weighLabels)
		return t.documents * t.labelsOf(class) / (t.labels * inside)
	}
	if f, ok := t.ClassWeight[t.ds.Classes.Labels[class]]; ok {
		return f
	}
	return 1
}

// labelsOf returns how many labels a class stands for.
func (t *trainer) labelsOf(class int) float64 {
	if t.below == nil {
		return 1
	}
	return t.below[class]
}

// weighLabels weighs the documents, and counts the labels that some of them have.
func (t *trainer) weighLabels() {
	t.documents = t.massOf(t.counted)
	if t.labels = t.labelsInTree; t.labels > 0 {
		return
	}
	for class, documents := range t.ds.Classes.Sets {
		if t.x.Documents.Intersects(documents) {
			t.labels += t.labelsOf(class)
		}
	}
}

// Duals are the alpha that the solver came to for each output of a model. Models of other options on the same documents
// start from them, which saves a fifth to a half of the solver's work (Chu, Ho, Tsai, Lin and Lin 2015, "Warm Start for
// Parameter Selection of Linear Classifiers"): alpha that are taken as they are served better than those multiplied by
// what C is.
type Duals struct {
	loss  solver.Loss
	alpha [][]float64 // by output and row; nil for an output of which none are known
}

// mostDuals is how many alpha are kept, for all outputs together.
const mostDuals = 1 << 24

// begin readies the Duals for a model of so many rows and outputs: alpha of another loss are given up.
func (d *Duals) begin(loss solver.Loss, rows, outputs int) {
	if d.loss != loss || len(d.alpha) != outputs {
		d.loss, d.alpha = loss, make([][]float64, outputs)
	}
	if int64(rows)*int64(outputs) > mostDuals {
		d.alpha = nil
	}
}

// of returns the alpha of an output; nil where there are none.
func (d *Duals) of(output int) []float64 {
	if d == nil || d.alpha == nil {
		return nil
	}
	return d.alpha[output]
}

// keep takes in what came of an output.
func (d *Duals) keep(output int, alpha func(dst []float64) []float64) {
	if d != nil && d.alpha != nil {
		d.alpha[output] = alpha(d.alpha[output][:0])
	}
}
