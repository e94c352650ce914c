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

// checkFastText is check for a model of fastText, whose form is for those to check who score.
func (m *Model) checkFastText() *fileError {
	if m.Meta.Task != "multiclass" || m.Meta.Link != "softmax" || m.Meta.Source != fastTextSource || m.Meta.Values != "count" {
		return at("META", 0, "a model of fastText has task %q, link %q, source %q and values %q", m.Meta.Task, m.Meta.Link, m.Meta.Source, m.Meta.Values)
	}
	if len(m.Meta.Labels) == 0 {
		return at("LABELS", 0, "a model of fastText has no label")
	}
	if !slices.IsSorted(m.Meta.Labels) {
		return at("LABELS", 0, "the labels of a model of fastText must ascend")
	}
	return m.Meta.check(m)
}
