package model

import (
	"unicode/utf8"
)

// Paths says how a model predicts labels that are in a tree. Where they are paths, they are all nodes of the tree. Each
// has an output, which was trained against all other documents, and behind these each of Inner has one more. In a grown
// tree, labels are its leaves, and behind their outputs are those of the other nodes; outputs were trained against
// those below the same parent.
type Paths struct {
	Separator string  `json:"separator"` // of the parts of a path; UTF-8
	Scale     float64 `json:"scale"`     // margins are divided by it
	Inner     []int32 `json:"inner"`     // labels with children at which paths end, ascending

	Parents []int32 `json:"parents,omitempty"` // see GrownTree; nil of labels that are paths
}

// Beam is how many nodes of a depth of a grown tree the search for labels goes on from.
const Beam = 10

// PathRule returns how labels in a tree are predicted.
func (meta *Meta) PathRule(temperature float64) PathRule {
	p := meta.Paths
	return PathRule{
		Scale: p.Scale, Temperature: temperature, Beam: Beam, Several: meta.Task == "multilabel",
	}
}

// Tree returns the tree of labels.
func (meta *Meta) Tree() (*Tree, error) {
	if p := meta.Paths; p.Parents == nil {
		return NewTree(meta.Labels, p.Separator, p.Inner)
	}
	return GrownTree(len(meta.Labels), meta.Paths.Parents)
}

// Margins up to 2^952 (see moderate), divided by a scale and then by a temperature, are numbers that a float64 holds.
const leastScale, mostScale = 1e-6, 1e6

// checkPaths finds out whether labels, tree and outputs fit each other.
func (meta *Meta) checkPaths(outputs int) *fileError {
	wrong := func(format string, args ...any) *fileError { return at("META", 0, format, args...) }
	p := meta.Paths
	switch {
	case (p == nil) != (meta.Link != "paths"):
		return wrong("link paths is for labels that are paths, and for them alone")
	case p == nil:
		return nil
	case meta.Task != "multiclass" && (meta.Task != "multilabel" || p.Parents == nil):
		return wrong("task %q: labels that are paths have the task multiclass", meta.Task)
	case !(p.Scale >= leastScale && p.Scale <= mostScale):
		return wrong("the scale of paths is %v: it must be from %v to %v", p.Scale, leastScale, mostScale)
	case !utf8.ValidString(p.Separator):
		return wrong("the separator of paths is not UTF-8")
	case p.Parents != nil && (p.Separator != "" || p.Inner != nil):
		return wrong("a grown tree has no separator, and no inner nodes at which paths end")
	case p.Parents != nil && len(p.Parents) != outputs:
		return wrong("%d outputs for %d nodes of a tree: there is one for each", outputs, len(p.Parents))
	case p.Parents == nil && len(meta.Labels)+len(p.Inner) != outputs:
		return wrong("%d outputs for %d nodes and %d inner ones at which paths end: there is one for each",
			outputs, len(meta.Labels), len(p.Inner))
	}
	if _, err := meta.Tree(); err != nil {
		return wrong("paths: %v", err)
	}
	return nil
}
