package learn

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/solver"
)

// hasPaths reports whether each document of a dataset has one label, which is a path. With several labels, these are
// all nodes, which a document has with those above them, and each is a problem of its own.
func (p *Params) hasPaths(ds *dataset.Dataset) bool { return p.Separator != "" && !ds.Classes.Multi }

// pathsOf returns how a model predicts labels in a tree; several says that a document may have more than one.
func (p *Params) pathsOf(t *model.Tree, several bool) *model.Paths {
	scale, _ := p.pathScale()
	if t.Grown() {
		if several && p.Solver.Loss != solver.Logistic {
			scale = severalScale
		}
		return &model.Paths{Scale: scale, Parents: t.Parents}
	}
	return &model.Paths{Separator: t.Separator, Scale: scale, Inner: append([]int32{}, t.Inner...)}
}

func (p *Params) pathScale() (scale, temperature float64) {
	return p.Learner.(pathLearner).pathScale(p)
}

// hierarchy is the tree of a dataset's labels.
type hierarchy struct {
	*model.Tree
	nodes []string // that are labels
	// below has the documents of each node and the nodes below it; at has those of the nodes of tree.Inner alone.
	below, at []*roaring.Bitmap
	negatives []*roaring.Bitmap // rows, of each node above the leaves of a grown tree; nil for none

	labels    []float64 // that end at each node or below, for balanced class weights; nil without these
	allLabels float64
}

// Nodes returns the classes of documents that have any number of labels, all of them nodes of a tree: those that
// their labels name, and all above them.
func Nodes(ds *dataset.Dataset, separator string) (dataset.Classes, error) {
	h, err := newHierarchy(ds, separator)
	if err != nil || !ds.Classes.Multi {
		return ds.Classes, err
	}
	return dataset.ClassesOf(h.nodes, h.below, ds.Documents, true), nil
}

// newHierarchy finds the tree and the documents of its nodes.
func newHierarchy(ds *dataset.Dataset, separator string) (*hierarchy, error) {
	nodes, tree, err := model.TreeOf(ds.Classes.Labels, separator, model.MaxOutputs)
	if err == nil && tree.Outputs() > model.MaxOutputs {
		err = fmt.Errorf("the paths have %d nodes, and end at %d inner ones: together more than %d",
			len(nodes), len(tree.Inner), model.MaxOutputs)
	}
	if err != nil {
		return nil, fmt.Errorf("nbsvm: %s: with Options.Hierarchy, labels are paths: %w", ds.From(), err)
	}
	h := &hierarchy{Tree: tree, nodes: nodes}
	sets := make([]*roaring.Bitmap, len(nodes))
	for i, label := range ds.Classes.Labels {
		k, _ := slices.BinarySearch(nodes, label)
		sets[k] = ds.Classes.Sets[i]
	}
	for _, k := range tree.Inner {
		h.at = append(h.at, sets[k])
	}
	h.gather(sets)
	return h, nil
}

// gather finds the documents below each node, given the documents of the first nodes themselves; nil for none.
func (h *hierarchy) gather(sets []*roaring.Bitmap) {
	parts := make([][]*roaring.Bitmap, len(h.Parents))
	for k, set := range sets {
		if set != nil {
			parts[k] = append(parts[k], set)
		}
	}
	h.below = make([]*roaring.Bitmap, len(h.Parents))
	for k := range h.BottomUp {
		if h.below[k] = parts[k][0]; len(parts[k]) > 1 {
			h.below[k] = roaring.FastOr(parts[k]...)
		}
		if p := h.Parents[k]; p != model.Root {
			parts[p] = append(parts[p], h.below[k])
		}
		parts[k] = nil
	}
}

// countLabels counts, for every node, the labels of some documents that end there or below.
func (h *hierarchy) countLabels(documents *roaring.Bitmap) {
	h.labels = make([]float64, len(h.Parents))
	ending := maps.Collect(slices.All(h.below))
	for i, k := range h.Inner {
		ending[int(k)] = h.at[i]
	}
	for k := range h.Parents {
		if h.Ends(k) && documents.Intersects(ending[k]) {
			h.allLabels++
			for node := k; node != model.Root; node = int(h.Parents[node]) {
				h.labels[node]++
			}
		}
	}
}

// labelsOf returns how many labels each output stands for; nil unless class weights are balanced.
func (h *hierarchy) labelsOf(outputs []int32) (of []float64) {
	if h.labels == nil {
		return nil
	}
	for _, o := range outputs {
		labels := 1.0
		if int(o) < len(h.labels) {
			labels = h.labels[o]
		}
		of = append(of, labels)
	}
	return of
}

// set returns the documents of an output.
func (h *hierarchy) set(output int) *roaring.Bitmap {
	if n := len(h.below); output >= n {
		return h.at[output-n]
	}
	return h.below[output]
}

// name returns the name of an output. For paths that end at an inner node it is not a label.
func (h *hierarchy) name(output int) string {
	switch {
	case output < len(h.nodes):
		return h.nodes[output]
	case h.Grown():
		return fmt.Sprintf("inner node %d", output-len(h.nodes)+1)
	}
	return h.nodes[h.NodeOf(output)] + h.Separator
}

// classes returns the classes of some outputs, to be trained against each other or, with multi, each against the rest.
func (h *hierarchy) classes(outputs []int32, docs int, multi bool) dataset.Classes {
	var labels []string
	var sets []*roaring.Bitmap
	for _, o := range outputs {
		labels, sets = append(labels, h.name(int(o))), append(sets, h.set(int(o)))
	}
	return dataset.ClassesOf(labels, sets, docs, multi)
}

// paramsOfNodes returns how nodes are trained. The weight of a label that is an inner node applies
// to documents with exactly that label.
func (h *hierarchy) paramsOfNodes(p *Params) *Params {
	nodes := *p
	nodes.Separator, nodes.Grow, nodes.Judge = "", false, nil
	nodes.ClassWeight = maps.Clone(p.ClassWeight)
	for i, k := range h.Inner {
		if w, ok := nodes.ClassWeight[h.nodes[k]]; ok {
			delete(nodes.ClassWeight, h.nodes[k])
			nodes.ClassWeight[h.name(len(h.nodes)+i)] = w
		}
	}
	return &nodes
}

// fitHierarchy trains the outputs of a tree.
func fitHierarchy(
	ctx context.Context, ds *dataset.Dataset, x *dataset.Matrix, p *Params, from *Duals,
) (*Fitted, error) {
	var h *hierarchy
	var err error
	if p.Grow {
		h, err = growTree(ctx, ds, x, p)
	} else {
		h, err = newHierarchy(ds, p.Separator)
	}
	if err != nil {
		return nil, err
	}
	if p.Balanced {
		h.countLabels(x.Documents)
	}
	f := &Fitted{Params: p, ds: ds, x: x, outputs: make([]output, h.Outputs()), tree: h}
	if !h.Grown() {
		err = h.fitSum(ctx, f, from)
	} else {
		err = h.fitTopDown(ctx, f)
	}
	if err != nil {
		return nil, err
	}
	h.fillAlone(f)
	return f, nil
}

// fitSum trains each output against all other documents.
func (h *hierarchy) fitSum(ctx context.Context, f *Fitted, from *Duals) error {
	var all []int32
	for outputs := range h.Groups {
		all = append(all, outputs...)
	}
	slices.Sort(all)
	view := *f.ds
	view.Classes = h.classes(all, f.ds.Documents, true)
	p := h.paramsOfNodes(f.Params)
	t := newTrainer(&view, f.x, p, from)
	t.below, t.labelsInTree = h.labelsOf(all), h.allLabels
	outputs, err := p.Learner.fit(ctx, t)
	if err != nil {
		return err
	}
	for i, k := range all {
		f.outputs[k] = outputs[i]
	}
	f.ratio, f.Epochs = t.ratio, t.epochs
	return nil
}

// fitTopDown trains a classifier for each node of a grown tree with several ways on, from the documents below it.
func (h *hierarchy) fitTopDown(ctx context.Context, f *Fitted) error {
	if err := h.findNegatives(ctx, f); err != nil {
		return err
	}
	groups, large := h.bySize(f.Threads)
	p := h.paramsOfNodes(f.Params)
	p.Progress = nil
	if l, is := p.Learner.(linear); is && l.weighted {
		var err error
		if f.ratio, err = newTrainer(f.ds, f.x, p, nil).newLogRatio(ctx); err != nil {
			return err
		}
	}
	tell := &trainer{Params: f.Params}
	fit := func(i int, p *Params) error {
		err := h.fitGroup(ctx, f, p, groups[i], len(groups) == 1)
		if err == nil {
			tell.finished(len(groups[i]), h.Outputs())
		}
		return err
	}
	for i := range large {
		if err := fit(i, p); err != nil {
			return err
		}
	}
	alone := *p
	alone.Threads = 1
	return par.Each(ctx, p.Threads, len(groups)-large, func(_, i int) error { return fit(large+i, &alone) })
}

// bySize lists the alternatives below each node, those with the most work first. The first large groups are trained one
// after the other on all threads: on one thread, they would finish long after the rest.
func (h *hierarchy) bySize(threads int) (groups [][]int32, large int) {
	type group struct {
		outputs []int32
		work    uint64
	}
	var all []group
	total := uint64(0)
	for outputs := range h.Groups {
		documents := uint64(0)
		for _, o := range outputs {
			documents += h.set(int(o)).GetCardinality()
		}
		if negatives := h.negativesBelow(outputs); negatives != nil {
			documents += negatives.GetCardinality()
		}
		all = append(all, group{outputs, documents * uint64(len(outputs))})
		total += documents * uint64(len(outputs))
	}
	slices.SortStableFunc(all, func(a, b group) int { return cmp.Compare(b.work, a.work) })
	for _, g := range all {
		if groups = append(groups, g.outputs); threads > 1 && g.work*uint64(2*threads) > total {
			large++
		}
	}
	return groups, large
}

// fitGroup trains the outputs of the alternatives below a node. The only ones are as they are without a tree.
func (h *hierarchy) fitGroup(
	ctx context.Context, f *Fitted, p *Params, outputs []int32, only bool,
) error {
	view := *f.ds
	negatives := h.negativesBelow(outputs)
	view.Classes = h.classes(outputs, f.ds.Documents, f.ds.Classes.Multi || negatives != nil)
	documents := f.ds.All() // those without labels, too
	if h.Parents[h.NodeOf(int(outputs[0]))] != model.Root || !f.ds.Classes.Multi {
		documents = roaring.FastOr(view.Classes.Sets...)
	}
	own := (&trainer{Params: p, ds: &view, x: f.x}).rowsOfDocuments(documents)
	rows := own
	if negatives != nil {
		rows = roaring.Or(own, negatives)
	}
	if rows.IsEmpty() { // in a fold
		return nil
	}
	all := newTrainer(f.ds, f.x, p, nil)
	all.ratio = f.ratio
	t, columns := all.inPlace(&view, own, rows)
	t.keepsSmall = true
	t.below = h.labelsOf(outputs)
	fitted, err := p.Learner.fit(ctx, t)
	if err != nil {
		return err
	}
	if len(fitted) == 1 && len(outputs) == 2 { // it is for the second
		fitted = []output{fitted[0].times(-1), fitted[0]}
	}
	for i, out := range fitted {
		out = out.withoutSmall()
		if !only {
			out = out.among(columns, len(t.x.Keys))
		}
		f.outputs[outputs[i]] = out
	}
	return nil
}

// times multiplies margins.
func (out output) times(factor float64) output {
	values := make([]float32, len(out.values))
	for i, v := range out.values {
		values[i] = float32(float64(v) * factor)
	}
	out.values = values
	out.base, out.bias = float64(out.base*factor), float64(out.bias*factor)
	return out
}

// among renumbers the columns of an output, n in all, as those of another matrix. The base, which columns without a
// stored value have in common, is added to each, because the other matrix's columns do not have it.
func (out output) among(of []uint32, n int) output {
	if out.base != 0 {
		all := slices.Repeat([]float32{float32(out.base)}, n)
		out.each(func(j uint32, v float32) { all[j] = float32(out.base + float64(v)) })
		out.part, out.base = part{values: all}, 0
	}
	out.part = out.part.renumbered(of)
	return out
}

// each visits columns and values.
func (p part) each(visit func(j uint32, v float32)) {
	for n, v := range p.values {
		j := uint32(n)
		if p.columns != nil {
			j = p.columns[n]
		}
		visit(j, v)
	}
}

// renumbered returns the part with the numbers of another matrix's columns, in ascending order; nil changes nothing.
func (p part) renumbered(columns []uint32) part {
	switch {
	case columns == nil:
		return p
	case p.columns == nil:
		return part{columns: columns[:len(p.values)], values: p.values}
	}
	q := part{columns: make([]uint32, len(p.columns)), values: p.values}
	for i, j := range p.columns {
		q.columns[i] = columns[j]
	}
	return q
}

// fillAlone gives outputs without alternatives margins of 0.
func (h *hierarchy) fillAlone(f *Fitted) {
	solved := slices.ContainsFunc(f.outputs, func(out output) bool { return out.stats != nil })
	for k := range f.outputs {
		out := &f.outputs[k]
		if out.values == nil {
			out.columns = []uint32{}
		}
		if solved && out.stats == nil {
			out.stats = &solver.Stats{Converged: true}
		}
	}
}
