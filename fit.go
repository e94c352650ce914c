package nbsvm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/seed-167f963f/nbsvm/dataset"
	"github.com/seed-167f963f/nbsvm/matrix"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/internal/ordered"
	"github.com/seed-167f963f/nbsvm/internal/stage"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
	"github.com/seed-167f963f/nbsvm/kernels"
	"github.com/seed-167f963f/nbsvm/solver"
	"github.com/seed-167f963f/nbsvm/sparse"
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
	took    time.Duration // spent in the solver
	ratio   *ratio        // nil unless kept
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
	ds     *dataset.Dataset
	d      *matrix.Matrix
	total  []float64 // Σ f over all documents, per column
	absent []float32 // log(alpha/(alpha+total)), per column; nil with one output
	scale  []float64 // what a document's features are counted with: weight·rowScale
	mass   []float64 // document weights; nil where all are 1
	near   []int32   // rows, those of a class next to each other; nil with one output
	mutex  sync.Mutex
	done   int
}

// fit trains all outputs of the model: one for two classes, else one per class.
func fit(ctx context.Context, ds *dataset.Dataset, d *matrix.Matrix, o *Options) (*fitted, error) {
	t := &trainer{o: o, ds: ds, d: d}
	t.weigh()
	if o.Kind.linear() {
		return t.linear(ctx)
	}
	return t.bayes(ctx)
}

// weigh computes the documents' weights and how much each counts in sums.
func (t *trainer) weigh() {
	if t.ds.Weights == nil {
		t.scale = t.d.RowScale
		return
	}
	t.mass = make([]float64, 0, t.d.Rows())
	for it := t.d.Documents.Iterator(); it.HasNext(); {
		t.mass = append(t.mass, float64(t.ds.Weights[it.Next()]))
	}
	t.scale = t.mass
	if t.d.RowScale != nil {
		t.scale = make([]float64, len(t.mass))
		for i, scale := range t.d.RowScale {
			t.scale[i] = t.mass[i] * scale
		}
	}
}

// massOf is what the documents in rows weigh, or all, where rows is nil.
func (t *trainer) massOf(rows *roaring.Bitmap) float64 {
	switch {
	case t.mass == nil && rows == nil:
		return float64(t.d.Rows())
	case t.mass == nil:
		return float64(rows.GetCardinality())
	}
	var sum float64
	if rows == nil {
		for _, m := range t.mass {
			sum += m
		}
		return sum
	}
	for it := rows.Iterator(); it.HasNext(); {
		sum += t.mass[it.Next()]
	}
	return sum
}

// rowsOf are the design's rows that carry a label.
func (t *trainer) rowsOf(class int) *roaring.Bitmap {
	if int(t.d.Documents.GetCardinality()) == t.ds.Documents {
		return t.ds.Classes.Sets[class]
	}
	rows := roaring.New()
	it := roaring.And(t.d.Documents, t.ds.Classes.Sets[class]).Iterator()
	for it.HasNext() {
		rows.Add(uint32(t.d.Documents.Rank(it.Next()) - 1))
	}
	return rows
}

// outputs is the number of decision functions: one for two classes, else one per class.
func outputsOf(ds *dataset.Dataset) int {
	if k := len(ds.Classes.Labels); k != 2 || ds.Classes.Multi {
		return k
	}
	return 1
}

// outputClasses lists the class that each output is for.
func (t *trainer) outputClasses() []int {
	k := outputsOf(t.ds)
	if k == 1 {
		return []int{1}
	}
	all := make([]int, k)
	for i := range all {
		all[i] = i
	}
	return all
}

// sums adds up the features of the rows; of all, where rows is nil.
func (t *trainer) sums(ctx context.Context, dst []float64, rows *roaring.Bitmap) error {
	err := t.d.Each(ctx, func(first int, x *sparse.CSR) error {
		if t.d.Disk == nil {
			x.AddColumnSums(dst, rows, t.scale)
			return nil
		}
		scale := t.scale
		if scale != nil {
			scale = scale[first : first+x.Rows]
		}
		x.AddColumnSums(dst, within(rows, first, x.Rows), scale)
		return nil
	})
	if err != nil {
		return err
	}
	if t.d.IDF != nil {
		for j := range dst {
			dst[j] *= float64(t.d.IDF[j])
		}
	}
	return nil
}

// within are the members of a set among n numbers from first on, less first; nil of nil.
func within(set *roaring.Bitmap, first, n int) *roaring.Bitmap {
	if set == nil {
		return nil
	}
	some := roaring.New()
	it := set.Iterator()
	for it.AdvanceIfNeeded(uint32(first)); it.HasNext() && int(it.PeekNext()) < first+n; {
		some.Add(it.Next() - uint32(first))
	}
	return some
}

// linear trains one classifier per output, several at a time.
func (t *trainer) linear(ctx context.Context) (*fitted, error) {
	so, err := t.o.solverOptions()
	if err != nil {
		return nil, err
	}
	classes := t.outputClasses()
	if t.o.Kind == NBSVM {
		if err := t.checkNonNegative(ctx); err != nil {
			return nil, err
		}
		if err := stage.Do(ctx, stage.Ratio, func(ctx context.Context) error { return t.count(ctx, len(classes)) }); err != nil {
			return nil, err
		}
	}
	groups := groupsOf(len(classes), kernels.GroupSize)
	workers := make([]*oneAgainstRest, min(t.o.threads(), len(groups)))
	switch {
	case t.d.Disk != nil:
		t.tellPlan(len(classes))
		groups = groupsOf(len(classes), t.d.Plan.Group)
		workers = workers[:1] // a Stream has threads itself
	case len(classes) > 1:
		t.near = t.byClass()
		t.announce(len(classes), len(groups), so.Tol)
	}
	kept, err := t.checkpoint(groups)
	if err != nil {
		return nil, err
	}
	defer func() {
		for _, w := range workers {
			if w != nil {
				w.close()
			}
		}
	}()
	so.Threads = max(t.o.threads()/len(workers), 1)
	f := &fitted{outputs: make([]output, len(classes)), absent: t.absent}
	err = ordered.Each(ctx, len(workers), len(groups), func(w, i int) error {
		if workers[w] == nil {
			workers[w] = &oneAgainstRest{trainer: t}
		}
		lo, hi := groups[i][0], groups[i][1]
		so := so
		so.Progress = t.progress(len(classes))
		if kept != nil {
			kept.attach(ctx, i, &so)
		}
		outputs, err := workers[w].train(ctx, classes[lo:hi], so)
		if err != nil {
			which := fmt.Sprintf("class %q", t.ds.Classes.Labels[classes[lo]])
			if hi-lo > 1 {
				which = fmt.Sprintf("classes %q to %q", t.ds.Classes.Labels[classes[lo]], t.ds.Classes.Labels[classes[hi-1]])
			}
			return fmt.Errorf("nbsvm: %s: %w", which, err)
		}
		copy(f.outputs[lo:hi], outputs)
		t.finished(hi-lo, len(classes))
		return nil
	})
	if kept != nil {
		if saved := kept.close(err != nil); !errors.Is(err, saved) {
			err = errors.Join(err, saved)
		}
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// checkpoint is that of the training, if it has one.
func (t *trainer) checkpoint(groups [][2]int) (*checkpoint, error) {
	if t.o.Checkpoint.Path == "" {
		return nil, nil
	}
	limits := make([]int64, len(groups))
	for i, g := range groups {
		limits[i] = solver.StateBytes(t.d.Rows(), len(t.d.IDs), g[1]-g[0])
	}
	c, err := openCheckpoint(t.o.Checkpoint, t.fingerprint(len(groups)), limits)
	if err != nil {
		return nil, err
	}
	if from := c.resumed(); from != "" && t.o.Progress != nil {
		t.o.Progress(Progress{Stage: "resume", Total: -1, Unit: "groups", Detail: from})
	}
	return c, nil
}

// announce tells before the solver's work what memory it takes: its own, and a ratio of
// every column and class.
func (t *trainer) announce(classes, groups int, tol float64) {
	if t.o.Progress == nil {
		return
	}
	each := solver.GroupBytes(t.d.X, tol) + int64(classes/groups)*4*int64(t.d.X.Cols)
	workers := int64(min(t.o.threads(), groups))
	t.o.Progress(Progress{Stage: "solve", Total: int64(classes), Unit: "classes", Detail: fmt.Sprintf("%d MiB", workers*each>>20)})
}

// byClass lists the rows by their first class, those of none last.
func (t *trainer) byClass() []int32 {
	order := make([]int32, 0, t.d.Rows())
	listed := roaring.New()
	for class := range t.ds.Classes.Labels {
		rows := t.rowsOf(class)
		for it := roaring.AndNot(rows, listed).Iterator(); it.HasNext(); {
			order = append(order, int32(it.Next()))
		}
		listed.Or(rows)
	}
	for i := range t.d.Rows() {
		if !listed.Contains(uint32(i)) {
			order = append(order, int32(i))
		}
	}
	return order
}

// groupsOf cuts n classes into runs of about equal length, at most size, that are solved
// side by side, whatever the number of threads.
func groupsOf(n, size int) [][2]int {
	runs := (n + size - 1) / size
	groups := make([][2]int, runs)
	for i := range groups {
		groups[i] = [2]int{n * i / runs, n * (i + 1) / runs}
	}
	return groups
}

// count adds up the features of all documents, for the ratios of so many classes.
func (t *trainer) count(ctx context.Context, classes int) error {
	t.total = make([]float64, len(t.d.IDs))
	if err := t.sums(ctx, t.total, nil); err != nil {
		return err
	}
	if classes > 1 {
		t.absent = make([]float32, len(t.total))
		for j, n := range t.total {
			t.absent[j] = float32(xmath.Log(t.o.Alpha) - xmath.Log(t.o.Alpha+n))
		}
	}
	return nil
}

// checkNonNegative refuses what the log-count ratio has no meaning for.
func (t *trainer) checkNonNegative(ctx context.Context) error {
	if !t.d.Valued() {
		return nil
	}
	return t.d.Each(ctx, func(first int, x *sparse.CSR) error {
		for i := range x.Rows {
			ids, values := x.Row(i)
			for k, v := range values {
				if v < 0 {
					return fmt.Errorf("nbsvm: feature %d has the value %v in document %d, but model %s counts features, which can't be negative; take --model svm or logistic", t.d.IDs[ids[k]], v, first+i+1, t.o.Kind)
				}
			}
		}
		return nil
	})
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

// finished reports that some of the classes are done.
func (t *trainer) finished(some, classes int) {
	if t.o.Progress == nil || classes == 1 {
		return
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.done += some
	t.o.Progress(Progress{Stage: "solve", Done: int64(t.done), Total: int64(classes), Unit: "classes"})
}
