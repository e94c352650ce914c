package nbsvm

import (
	"context"
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	datapacked "github.com/seed-167f963f/nbsvm/internal/data/packed"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/learn"
)

// settings are options resolved for a dataset: the kind of model, n-grams, MinDF, Values, Loss, Beta and Tree are
// decided, and nothing is left open. Only [Options.resolve] makes them. Training accepts nothing else, and a model
// records their Options.
type settings struct{ Options }

// resolve resolves valid options for a dataset. If the kind of model is left to the documents, it chooses one by those
// in rows and returns the candidates that it compared. Messages name the input.
func (o Options) resolve(
	ctx context.Context, ds *dataset.Dataset, rows *roaring.Bitmap, input string,
) (*settings, []Candidate, error) {
	if o = o.chosen(); o.choosesKind(ds) {
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
	if o.From == nil { // else there may be one class, of which there is more to learn
		if err := o.checkWeights(ds, input); err != nil {
			return nil, err
		}
	}
	o.Kind = o.Kind.ofText()
	if losses := o.Kind.losses(); losses != nil && o.Loss == "" {
		o.Loss = losses[0].String()
	}
	if ds.Ready() || ds.Kind == datapacked.Floats {
		if o.Values == o.usualValues() {
			o.Values = Count
		}
		if o.Values.logs() || o.Values.idf() {
			return nil, fmt.Errorf("nbsvm: Options.Values %s is for text, not for features with values: leave out Options.Values", o.Values)
		}
		if o.Kind.traits().presence && ds.Kind != datapacked.Binary {
			return nil, fmt.Errorf("nbsvm: model %s needs features that are 0 or 1: use mnb or another model", o.Kind)
		}
		o.Values = Count
	}
	if o.Kind.takes("rounds") {
		o.Normalize = false // trees split on features as they are
	} else {
		o.Trees = TreeOptions{}
	}
	if !o.Kind.takes("neighbours") {
		o.Neighbours = 0
	}
	o.MinDF = max(o.minDFFor(ds), ds.Meta.MinDF)
	o.Tree = o.treeFor(ds)
	if two := ds.Classes.Outputs() == 1 && !o.hasPaths(ds); !two {
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
	t.Seed = m.Text.Seed // that of permutations and folds may be another
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
	case o.counted() && !m.Counts:
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
	const remedy = "give weights above 0 (Input.WeightField, Options.ClassWeight), or leave them out"
	if len(counts) == 0 {
		return fmt.Errorf("nbsvm: %s: all documents have the weight 0: %s", input, remedy)
	}
	return fmt.Errorf("nbsvm: %s: only documents of the class %q have a weight above 0; training needs two classes: %s",
		input, counts[0], remedy)
}

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
