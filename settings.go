package nbsvm

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/data/vocab"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/learn"
)

// settings are options resolved for a dataset: the kind of model, n-grams, MinDF, Values, Loss, Beta and Tree are
// decided, and nothing is left open. Only [Options.resolve] makes them. Training accepts nothing else, and a model
// records their Options.
type settings struct{ Options }

// resolve resolves options, which begin has returned, for a dataset. If the kind of model is left to the documents, it
// chooses one by those in rows and returns the candidates that it compared. Messages name the input.
func (o Options) resolve(
	ctx context.Context, ds *dataset.Dataset, rows *roaring.Bitmap, input string,
) (*settings, []Candidate, error) {
	if o.choosesKind(ds) {
		return o.chooseKind(ctx, ds, rows, input)
	}
	s, err := o.settings(ds, input)
	return s, nil, err
}

// settings returns an error if options do not suit a dataset, and otherwise decides what they leave to it, except the
// kind of model. Messages name the input.
func (o Options) settings(ds *dataset.Dataset, input string) (*settings, error) {
	if !ds.Ready() {
		if ds.Path != "" {
			if err := o.takeText(ds); err != nil {
				return nil, err
			}
		} else {
			o.Text = ds.Meta.Text // the orders of n-grams
		}
	} else {
		o = o.withOrders(1, 2) // of which there are none
	}
	labels := ds.Classes.Labels
	switch {
	case ds.Classes.Numbers != nil:
		if !anyWeight(ds.Weights, ds.All()) {
			return nil, fmt.Errorf("nbsvm: %s: all documents have the weight 0: %s", input, weightRemedy)
		}
		if n := ds.Classes.Numbers; slices.Min(n) == slices.Max(n) {
			return nil, fmt.Errorf("nbsvm: %s: all documents (%d) have the number %g, so that there is nothing to learn: add documents with other numbers, or name another field with Input.Numbers", input, ds.Documents, n[0])
		}
	case len(labels) == 0:
		return nil, fmt.Errorf("nbsvm: %s: no document has a label: name the field of labels with Input.LabelField",
			input)
	case len(labels) == 1 && !ds.Classes.Multi:
		return nil, fmt.Errorf("nbsvm: %s: all documents (%d) have the label %q; training needs at least two classes: add documents of another class, or name another field with Input.LabelField",
			input, ds.Documents, labels[0])
	}
	if o.Hierarchy != "" {
		var err error
		if ds.Classes, err = learn.Nodes(ds, o.Hierarchy); err != nil {
			return nil, err
		}
		labels = ds.Classes.Labels
	}
	for label := range o.ClassWeight.Weights {
		if !slices.Contains(labels, label) {
			return nil, fmt.Errorf("nbsvm: class weight for %q, but no document has this label; the labels are %s",
				label, display.Excerpts(labels))
		}
	}
	if o.From == nil && ds.Classes.Numbers == nil { // else there may be one class, of which there is more to learn
		if err := o.checkWeights(ds, input); err != nil {
			return nil, err
		}
	}
	o.Kind = o.Kind.ofText()
	if o.Kind.Solved() {
		o.Loss = o.loss().String()
	}
	if ds.Ready() || ds.Rows.Kind == vocab.Floats {
		if o.Values == o.usual().Values {
			o.Values = Count
		}
		if o.Values.logs() || o.Values.idf() {
			return nil, fmt.Errorf("nbsvm: Options.Values %s is for text, not for features with values: leave out Options.Values", o.Values)
		}
		if o.Kind.traits().presence && ds.Rows.Kind != vocab.Binary {
			return nil, fmt.Errorf("nbsvm: model %s needs features that are 0 or 1: use mnb or another model", o.Kind)
		}
		o.Values = Count
	}
	if o.Values = o.valuesOf(o.Text); o.Values == ByWord && ds.Meta.Counts {
		o.Values = Binary // a corpus that was packed with counts does not tell how many words have an n-gram
	}
	if o.Kind.takes("rounds") {
		o.Normalize = false // trees split on features as they are
	} else {
		o.Trees = TreeOptions{}
	}
	if !o.Kind.takes("neighbours") {
		o.Neighbours = 0
	}
	if !o.Kind.Numbers() {
		o.Clip, o.Epsilon = false, 0
	}
	o.MinDF = max(o.minDFFor(ds), ds.Meta.MinDF)
	o.Tree = o.treeFor(ds)
	if two := ds.Classes.Outputs() == 1 && !o.hasPaths(ds) && !o.Kind.Numbers(); !two {
		o.Beta = betaOfMore
	} else if o.Beta == 0 {
		o.Beta = betaOfTwo
	}
	return &settings{o}, nil
}

// takeText refuses options that need other n-grams than a packed corpus has, and takes over those that are left to it.
func (o *Options) takeText(ds *dataset.Dataset) error {
	m, t := &ds.Meta, &o.Text
	differs := func(option string, asked, is any) error {
		return fmt.Errorf("nbsvm: %s was packed with %s %v, not %v: pack the documents again, or train with what it has", ds.Path, option, is, asked)
	}
	if o.From == nil { // whose n-grams have a seed already
		t.Seed = m.Text.Seed // that of permutations and folds may be another
	}
	if had := m.Text.Families; len(t.Families.List()) == 0 && had[0].Tokenizer == hashing.Word {
		t.Families = had
	} else {
		t.Families = o.withOrders(had[0].NgramLo, had[0].NgramHi).Text.Families
	}
	if option, asked, is := t.Diff(m.Text); option != "" {
		return differs(option, asked, is)
	}
	switch {
	case t.Bits != m.Text.Bits:
		return differs("bits", t.Bits, m.Text.Bits)
	case o.MinDF > 0 && o.MinDF < m.MinDF:
		return differs("min-df", o.MinDF, m.MinDF)
	case o.Values.counted() && !m.Counts:
		return fmt.Errorf("nbsvm: %s was packed without counts of n-grams, which the values %s need: pack the documents again with Options.Values count, or use Options.Values binary", ds.Path, o.Values)
	}
	return nil
}

// checkWeights refuses weights that leave nothing to learn: fewer than two classes with a document of a weight above 0,
// or no such document at all where documents have any number of labels.
func (o *Options) checkWeights(ds *dataset.Dataset, input string) error {
	var counts []string // classes of which a document counts
	for k, label := range ds.Classes.Labels {
		factor, named := o.ClassWeight.Weights[label]
		if named && factor == 0 && o.Kind.takes("class-weight") || !anyWeight(ds.Weights, ds.Classes.Sets[k]) {
			continue
		}
		if counts = append(counts, label); len(counts) == 2 || ds.Classes.Multi {
			return nil
		}
	}
	if ds.Classes.Multi && anyWeight(ds.Weights, ds.All()) {
		return nil
	}
	if len(counts) == 0 {
		return fmt.Errorf("nbsvm: %s: all documents have the weight 0: %s", input, weightRemedy)
	}
	return fmt.Errorf("nbsvm: %s: only documents of the class %q have a weight above 0; training needs two classes: %s",
		input, counts[0], weightRemedy)
}

const weightRemedy = "give weights above 0 (Input.WeightField, Options.ClassWeight), or leave them out"

// anyWeight reports whether some document has a weight above 0; nil stands for weights that are all 1.
func anyWeight(weights []float32, documents *roaring.Bitmap) bool {
	if weights == nil {
		return !documents.IsEmpty()
	}
	for it := documents.Iterator(); it.HasNext(); {
		if weights[it.Next()] > 0 {
			return true
		}
	}
	return false
}

// leastMinDF is the least that is chosen for MinDF.
const leastMinDF = 2

// mostCharMinDF is the most that is chosen for n-grams of characters.
const mostCharMinDF = 256

// autoMinDF returns what a MinDF of 0 stands for with this many documents in all and in each class:
// √(documents / 2^16) or, with trigrams, √(text per class / 640 kB) if that is more, up to a 64th of a small class. For
// n-grams of characters it is documents / 2^13, up to 256 and to a 32nd of a small class. It is 2 or more. Rarer n-grams
// cost time and memory, and make no difference: see docs/explanation/defaults.md.
func autoMinDF(text hashing.Options, documents, trigramText int64, classes []int64) int {
	small := documents
	if len(classes) > 0 {
		classes = slices.Sorted(slices.Values(classes))
		small = classes[len(classes)/10] // not the smallest one, which may be a mistake
	}
	if text.Families[0].Tokenizer.Characters() {
		return max(leastMinDF, int(min(documents>>13, small>>5, mostCharMinDF)))
	}
	rare := int64(math.Sqrt(float64(documents >> 16)))
	if trigramText > 0 {
		rare = max(rare, int64(math.Sqrt(float64(trigramText/int64(max(len(classes), 1))/640_000))))
	}
	return max(leastMinDF, int(min(rare, small>>6)))
}

// minDFFor returns the MinDF of a dataset's matrix.
func (o *Options) minDFFor(ds *dataset.Dataset) int {
	if o.MinDF > 0 {
		return o.MinDF
	}
	var classes []int64
	if !o.Kind.Numbers() { // which may be distinct, each of them
		for _, set := range ds.Classes.Sets {
			classes = append(classes, int64(set.GetCardinality()))
		}
	}
	return autoMinDF(o.Text, int64(ds.Documents), trigramText(o.Kind, ds.Meta.AutoNgrams, ds.Meta.Text, ds.Meta.Bytes),
		classes)
}

// trigramText returns the length of the text in bytes if trigrams were chosen automatically and the kind of model has a
// solver, and 0 otherwise: naive Bayes gains more by rare n-grams, and n-grams that were asked for are kept.
func trigramText(kind Kind, automatic bool, text hashing.Options, bytes int64) int64 {
	if first := text.Families[0]; !automatic || first.Tokenizer != hashing.Word || first.NgramHi < 3 || !kind.Solved() {
		return 0
	}
	return bytes
}

// When a tree is grown by itself: from so many classes on; or from so many classes, and documents times classes, on,
// unless some class has such a share of the documents.
const (
	treeClasses = 4096
	fewClasses  = 64
	treePairs   = 1 << 26
	largeClass  = 0.25
	fewEach     = 512 // documents of a class, but for nbsvm, whose ratios are better among siblings
)

// treeFor returns AlwaysTree if a tree is grown over the classes of a dataset, and "" otherwise.
func (o *Options) treeFor(ds *dataset.Dataset) Tree {
	classes := len(ds.Classes.Labels)
	suits := o.Kind.takes("tree") && o.Hierarchy == "" &&
		len(o.ClassWeight.Weights) == 0 && o.Memory == 0
	if o.Tree == AutoTree && !suits || classes < learn.LeastLeaves {
		return ""
	}
	var largest uint64
	for _, set := range ds.Classes.Sets {
		largest = max(largest, set.GetCardinality())
	}
	share := float64(largest) / float64(max(ds.Documents, 1))
	if o.Tree.chosenFor(o.Kind, classes, int64(ds.Documents), share, ds.Classes.Multi) == AlwaysTree {
		return AlwaysTree
	}
	return ""
}

// chosenFor returns what auto stands for, AlwaysTree or NeverTree, given the numbers of classes and documents, the
// largest class's share of the documents, and whether documents have several labels.
//
// Classes that have nothing in common lose by a tree of svm if each has few documents, and not of nbsvm where they are
// alike: see docs/explanation/solver.md.
//
// A tree saves time and memory, and costs little accuracy with so many pairs, where classes are not too unequal: if the
// largest has 40 % of the documents (Reuters-21578, multiplied), 2.3 points are lost, and none if it has 20 %.
func (t Tree) chosenFor(kind Kind, classes int, documents int64, largest float64, several bool) Tree {
	many := classes >= fewClasses && int64(classes)*documents >= treePairs && largest < largeClass &&
		(kind == NBSVM || documents >= fewEach*int64(classes))
	switch {
	case t != AutoTree:
		return t
	case classes >= treeClasses, many && !several:
		return AlwaysTree
	}
	return NeverTree
}
