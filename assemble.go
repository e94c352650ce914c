package nbsvm

import (
	"fmt"
	"slices"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/build"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/keyset"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/par"
)

// Model turns what was fitted into its file's form: keys ascending, the outputs of a feature side by side.
func (f *fitted) Model() (*model.Model, error) {
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
	set, rowOf, err := keyset.New(x.Universe, keys)
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
		_, m.Temperature = f.o.pathScale()
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

// Sources of features, see model.Meta.
const (
	textSource    = "text"
	featureSource = "svmlight"
)

// taskOf returns the task of a dataset's classes, see model.Meta.
func taskOf(ds *dataset.Dataset) string {
	switch {
	case ds.Classes.Multi:
		return "multilabel"
	case len(ds.Classes.Labels) == 2:
		return "binary"
	}
	return "multiclass"
}

func (f *fitted) meta() model.Meta {
	ds, o := f.ds, f.o
	meta := model.Meta{
		Labels: ds.Classes.Labels, Task: taskOf(ds), Source: textSource, Text: o.Text, Values: string(o.Values),
		Prenormalize: o.Prenormalize,
		Normalize:    o.Normalize && o.Kind.takes("normalize"),
		Link:         "margin", Version: build.Version, Input: ds.Meta.Input,
	}
	if f.tree != nil {
		meta.Paths = o.pathsOf(f.tree.Tree, ds.Classes.Multi)
	}
	if o.hasPaths(ds) {
		meta.Labels, meta.Task = f.tree.nodes, "multiclass"
	}
	if o.Hierarchy != "" && ds.Classes.Multi {
		meta.Closed = o.Hierarchy
	}
	if o.From != nil && meta.Input == (corpus.Reading{}) {
		meta.Input = o.from().Meta.Input
	}
	if ds.Ready() {
		meta.Source = featureSource
	}
	if l, ok := can[linker](o.Kind); meta.Paths != nil {
		meta.Link = "paths"
	} else if ok {
		meta.Link = l.link(o, meta.Task)
	}
	return meta
}

// weights stores the outputs' weights by feature.
func (f *fitted) weights(m *model.Model, rowOf []uint32) {
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
func (f *fitted) denseRows(parts []part, rowOf []uint32) model.Float32s {
	dense := make(model.Float32s, len(rowOf)*len(parts))
	const chunk = 16 * visitedColumns
	par.Chunks(f.o.threads(), len(rowOf), chunk, func(_, lo, hi int) {
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
