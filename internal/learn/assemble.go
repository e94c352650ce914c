package learn

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/solver"
)

// Model turns what was Fitted into its file's form: keys ascending, the outputs of a feature side by side.
func (f *Fitted) Model() (*model.Model, error) {
	x := f.x
	keys := x.Keys
	var needed []bool // columns; nil for all
	if f.rule != nil {
		needed = f.rule.needs()
	}
	if needed != nil {
		keys = make([]uint64, 0, len(x.Keys))
		for j, key := range x.Keys {
			if needed[j] {
				keys = append(keys, key)
			}
		}
	}
	set, rowOf, err := model.NewKeySet(x.Universe, keys)
	if err != nil {
		return nil, fmt.Errorf("nbsvm: %s contradicts itself: %w; pack the documents again", f.ds.From(), err)
	}
	if needed != nil {
		some := rowOf
		rowOf = make([]uint32, len(x.Keys)) // model row of every column, of those that are needed
		for j := range rowOf {
			if needed[j] {
				rowOf[j], some = some[0], some[1:]
			}
		}
	}
	k := len(f.outputs)
	m := &model.Model{
		Meta:     f.meta(),
		Universe: x.Universe, Keys: *set, Outputs: k,
		Bias: make([]float64, k), Base: make([]float64, k), Threshold: make([]float64, k),
	}
	if f.tree != nil && !f.ds.Classes.Multi {
		_, m.Temperature = f.pathScale()
	}
	for i, out := range f.outputs {
		m.Bias[i], m.Base[i] = out.bias, out.base
	}
	if f.rule == nil {
		f.weights(m, rowOf)
	} else if err := f.rule.put(m, rowOf); err != nil {
		return nil, err
	}
	if f.ratio != nil {
		ratio := make(model.Float32s, len(keys))
		for j, v := range f.ratio.columns {
			ratio[rowOf[j]] = v
		}
		m.Ratio = ratio
	}
	if x.IDF != nil {
		m.IDF = make([]float32, len(keys))
		for j, v := range x.IDF {
			if needed == nil || needed[j] {
				m.IDF[rowOf[j]] = v
			}
		}
	}
	return m, nil
}

// ByImportance lists columns, those that matter most first: by the squares of their weights for all outputs,
// times the square root of their document frequency. Weights alone would prefer n-grams of two documents; the whole
// frequency, stop words, which have weights for all classes. docs/explanation/quantization.md has figures.
func (f *Fitted) ByImportance() []uint32 {
	importance := make([]float64, len(f.x.Keys))
	for _, out := range f.outputs {
		out.each(func(j uint32, w float32) { importance[j] += float64(float64(w) * float64(w)) })
	}
	for j, n := range f.x.Frequencies {
		importance[j] *= math.Sqrt(float64(n))
	}
	columns := make([]uint32, len(importance))
	for j := range columns {
		columns[j] = uint32(j)
	}
	slices.SortStableFunc(columns, func(a, b uint32) int { return cmp.Compare(importance[b], importance[a]) })
	return columns
}

// Outputs returns the number of decision functions.
func (f *Fitted) Outputs() int { return len(f.outputs) }

// Solution sums up the solver's work on all outputs: their steps, objectives and the time that they took, the largest
// gap and number of epochs, and how many stopped before they converged. The sum is nil without a solver.
func (f *Fitted) Solution() (sum *solver.Stats, unconverged int, took time.Duration) {
	sum = &solver.Stats{Converged: true}
	for _, out := range f.outputs {
		s := out.stats
		if s == nil {
			return nil, 0, 0
		}
		if !s.Converged {
			unconverged, sum.Converged = unconverged+1, false
		}
		sum.Gap, sum.Epochs = max(sum.Gap, s.Gap), max(sum.Epochs, s.Epochs)
		sum.Steps += s.Steps
		sum.Primal += s.Primal
		sum.Dual += s.Dual
		took += out.took
	}
	return sum, unconverged, took
}

// meta completes what the model records.
func (f *Fitted) meta() model.Meta {
	meta := f.Meta
	meta.Labels, meta.Task, meta.Link = f.ds.Classes.Labels, f.ds.Classes.Task(), "margin"
	if f.tree != nil {
		meta.Paths = f.pathsOf(f.tree.Tree, f.ds.Classes.Multi)
	}
	if f.hasPaths(f.ds) {
		meta.Labels, meta.Task = f.tree.nodes, "multiclass"
	}
	if f.ds.Classes.Multi {
		meta.Closed = f.Separator
	}
	meta.Range, meta.Levels = f.limits, f.levels
	if l, ok := f.Learner.(linker); meta.Paths != nil {
		meta.Link = "paths"
	} else if ok {
		meta.Link = l.link(f.Params, meta.Task)
	}
	return meta
}

// weights stores the outputs' weights by feature.
func (f *Fitted) weights(m *model.Model, rowOf []uint32) {
	parts := make([]part, len(f.outputs))
	for i, out := range f.outputs {
		parts[i] = out.part
	}
	if model.SparseIsSmaller(32, stored(parts), len(rowOf), len(parts)) {
		m.Sparse = model.NewSparse(len(rowOf), visit(parts, rowOf, 0, len(rowOf)))
	} else {
		m.Dense = f.denseRows(parts, rowOf)
	}
}

// stored counts the values of the parts.
func stored(parts []part) (n int) {
	for _, p := range parts {
		n += len(p.values)
	}
	return n
}

// denseRows puts the parts' values side by side, row by row.
func (f *Fitted) denseRows(parts []part, rowOf []uint32) model.Float32s {
	dense := make(model.Float32s, len(rowOf)*len(parts))
	const chunk = 16 * visitedColumns
	par.Chunks(f.Threads, len(rowOf), chunk, func(_, lo, hi int) {
		visit(parts, rowOf, lo, hi)(func(row uint32, output int, v float32) { dense[int(row)*len(parts)+output] = v })
	})
	return dense
}

// visitedColumns is how many columns are visited at a time, so that their rows stay in the cache.
const visitedColumns = 1 << 11

// visit visits the values of columns lo to hi-1: a run of columns after the other, and within each, output by output.
func visit(parts []part, rowOf []uint32, lo, hi int) model.Visit {
	return func(entry func(row uint32, output int, v float32)) {
		next := make([]int, len(parts)) // value of each part
		for i, p := range parts {
			if next[i] = lo; p.columns != nil {
				next[i], _ = slices.BinarySearch(p.columns, uint32(lo))
			}
		}
		for end := lo; end < hi; {
			end = min(end+visitedColumns, hi)
			for i, p := range parts {
				n := next[i]
				if p.columns == nil {
					for ; n < min(end, len(p.values)); n++ { // a class without documents has none
						entry(rowOf[n], i, p.values[n])
					}
				}
				for ; n < len(p.columns) && int(p.columns[n]) < end; n++ {
					entry(rowOf[p.columns[n]], i, p.values[n])
				}
				next[i] = n
			}
		}
	}
}
