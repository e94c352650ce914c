package nbsvm

import (
	"slices"

	"github.com/seed-167f963f/nbsvm/model"
)

// assemble turns a fitted model into its file's form: feature ids ascending, the
// outputs of a feature side by side.
func assemble(ds *dataset, d *design, f *fitted, o *Options) (*model.Model, error) {
	ids := slices.Clone(d.ids)
	slices.Sort(ids)
	set, err := model.NewSet(d.universe, ids)
	if err != nil {
		return nil, err
	}
	rowOf := make([]uint32, len(d.ids)) // model row of every column
	for j, id := range d.ids {
		row, _ := set.Row(id)
		rowOf[j] = uint32(row)
	}
	k := len(f.outputs)
	m := &model.Model{
		Meta:     meta(ds, o),
		Universe: d.universe, IDs: set, Outputs: k,
		Bias: make([]float64, k), Base: make([]float64, k), Threshold: make([]float64, k),
	}
	for i, out := range f.outputs {
		m.Bias[i], m.Base[i] = out.bias, out.base
	}
	f.weights(m, rowOf)
	if d.idf != nil {
		m.IDF = make([]float32, len(ids))
		for j, v := range d.idf {
			m.IDF[rowOf[j]] = v
		}
	}
	if f.outputs[0].ratio != nil {
		m.Ratio = make([]float32, len(ids)*k)
		for i, out := range f.outputs {
			for j, r := range out.ratio {
				m.Ratio[int(rowOf[j])*k+i] = r
			}
		}
	}
	return m, nil
}

func meta(ds *dataset, o *Options) model.Meta {
	meta := model.Meta{
		Labels: ds.classes.labels, Task: "multiclass", Source: "text", Text: o.Text, Values: string(o.Values),
		SublinearTF: o.SublinearTF, Prenormalize: o.Prenormalize, Normalize: o.Normalize && o.Kind.linear(),
		Link: "margin", Version: Version,
	}
	switch {
	case ds.classes.multi:
		meta.Task = "multilabel"
	case len(ds.classes.labels) == 2:
		meta.Task = "binary"
	}
	if ds.ready {
		meta.Source = "svmlight"
	}
	so, _ := o.solverOptions()
	switch {
	case !o.Kind.linear() && meta.Task == "multiclass":
		meta.Link = "softmax"
	case !o.Kind.linear(), so.Loss.String() == "logistic":
		meta.Link = "sigmoid"
	}
	return meta
}

// weights stores the outputs' weights by feature, sparsely where that takes less
// space: 6 bytes a weight instead of 4, and 8 a row.
func (f *fitted) weights(m *model.Model, rowOf []uint32) {
	k, rows := len(f.outputs), len(rowOf)
	var stored int64
	based := false
	for _, out := range f.outputs {
		stored += int64(len(out.weights))
		based = based || out.base != 0
	}
	if !based && 6*stored+8*int64(rows) >= 4*int64(k)*int64(rows) || k == 1 && !based {
		m.Dense = make([]float32, rows*k)
		for i, out := range f.outputs {
			for n, w := range out.weights {
				j := n
				if out.columns != nil {
					j = int(out.columns[n])
				}
				m.Dense[int(rowOf[j])*k+i] = w
			}
		}
		return
	}
	s := &model.Sparse{RowPtr: make([]uint64, rows+1), Output: make([]uint16, stored), Value: make([]float32, stored)}
	each := func(visit func(row uint32, output int, w float32)) {
		for i, out := range f.outputs {
			for n, w := range out.weights {
				j := uint32(n)
				if out.columns != nil {
					j = out.columns[n]
				}
				visit(rowOf[j], i, w)
			}
		}
	}
	each(func(row uint32, _ int, _ float32) { s.RowPtr[row+1]++ })
	for r := range rows {
		s.RowPtr[r+1] += s.RowPtr[r]
	}
	next := slices.Clone(s.RowPtr[:rows])
	each(func(row uint32, output int, w float32) {
		s.Output[next[row]], s.Value[next[row]] = uint16(output), w
		next[row]++
	})
	m.Sparse = s
}
