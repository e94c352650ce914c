package model

import "slices"

const (
	fastTextSection = "FASTTEXT"
	fastTextSource  = "fasttext" // of features
)

// NewFastText gives the model file of a model of fastText: this form of it, and what is said about it. The labels are
// those of the form.
func NewFastText(form []byte, meta Meta) *Model {
	meta.Task, meta.Link, meta.Source, meta.Values = "multiclass", "softmax", fastTextSource, "count"
	return &Model{
		Meta: meta, Universe: 1, Outputs: 1,
		Bias: make([]float64, 1), Base: make([]float64, 1), Threshold: make([]float64, 1),
		Dense: Float32s{}, FastText: form,
	}
}

// fastText puts a model of fastText together.
func (d *decoder) fastText() (*Model, *problem) {
	if d.universe != 1 || d.rows != 0 || d.outputs != 1 || len(d.sections) != 3 {
		return nil, at("HEADER", 16, "a model of fastText has %d sections, %d outputs and %d rows of %d, which should be 3, 1, 0 and 1",
			len(d.sections), d.outputs, d.rows, d.universe)
	}
	meta, labels := d.required("META"), d.required("LABELS")
	if d.bad != nil {
		return nil, d.bad
	}
	m := NewFastText(d.section(fastTextSection), Meta{})
	p := m.Meta.decode(meta, labels)
	m.Meta.FastText = nil
	return m, p
}

// checkFastText is check for a model of fastText, whose form is for those to check who score.
func (m *Model) checkFastText() *problem {
	if m.Meta.Task != "multiclass" || m.Meta.Link != "softmax" || m.Meta.Source != fastTextSource || m.Meta.Values != "count" {
		return at("META", 0, "a model of fastText has task %q, link %q, source %q and values %q", m.Meta.Task, m.Meta.Link, m.Meta.Source, m.Meta.Values)
	}
	if !slices.IsSorted(m.Meta.Labels) {
		return at("LABELS", 0, "the labels of a model of fastText must ascend")
	}
	return m.Meta.check(m)
}
