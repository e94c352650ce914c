package nbsvm

import (
	"context"
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/data/matrix"
	datapacked "github.com/seed-167f963f/nbsvm/internal/data/packed"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/model/paths"
	"github.com/seed-167f963f/nbsvm/packed"
)

// Pack returns options for [packed.Pack] that make a packed corpus suitable for training with o. Set MinDF to 1 to
// merge, append or evaluate, and Names for the n-grams' names, which [Classifier.Explain] lists.
func (o Options) Pack() packed.Options {
	b := o.build()
	return packed.Options{Text: b.Text, AutoNgrams: b.AutoNgrams, MinDF: b.MinDF, Counts: b.Counts, Threads: b.Threads}
}

// build returns the options for a dataset that o can train on.
func (o Options) build() dataset.Options {
	o = o.forKind()
	text := o.Text
	text.Seed = o.Seed
	return dataset.Options{Text: text, AutoNgrams: o.chosen().AutoNgrams, MinDF: o.MinDF, Counts: o.counted(), Threads: o.Threads}
}

// readDataset makes a dataset of an input. Packed corpora are one already.
func readDataset(ctx context.Context, in corpus.Input, o *Options, holdOut bool) (*dataset.Dataset, error) {
	build := o.build()
	build.Progress, build.Temp, build.Sample = o.Progress, o.Temp, o.sample
	if paths, isPacked, err := dataset.PackedPaths(in); err != nil {
		return nil, err
	} else if isPacked {
		if holdOut || o.calibrates() || o.HoldOut > 0 || o.MaxModel > 0 {
			build.MinDF = 1 // rows tell which documents are the same, which must not depend on how they are divided into files
		}
		return dataset.OpenPacked(ctx, paths, build)
	}
	if o.Memory > 0 {
		build.Memory, build.Names = max(o.Memory, dataset.MinMemory), o.NamesLimit > 0
	}
	switch {
	case holdOut: // options that are tried later may ask for rarer ones
		build.MinDF = 1
	case o.From == nil && o.Hierarchy == "": // else classes are not yet what they will be
		build.MinDFOf = func(ds *dataset.Dataset) int {
			settled := *o
			settled.Text = ds.Meta.Text
			return settled.minDFFor(ds)
		}
	}
	return dataset.Build(ctx, in, build)
}

// Prepare checks the options, reads the input as Train does, and returns the options resolved for it: what was left to
// the documents (the kind of model, the orders of n-grams, beta, the loss) has its value. holdOut says that documents
// will be held out even if the options do not ask for it.
func prepare(ctx context.Context, in corpus.Input, o Options, holdOut bool) (*dataset.Dataset, Options, error) {
	ds, o, err := read(ctx, in, o, holdOut)
	if err != nil {
		return nil, o, err
	}
	if o, _, err = o.settle(ctx, ds, ds.All(), in.Describe()); err != nil {
		ds.Close()
		return nil, o, err
	}
	return ds, o, nil
}

// read is Prepare that does not resolve the options.
func read(ctx context.Context, in corpus.Input, o Options, holdOut bool) (*dataset.Dataset, Options, error) {
	o, err := o.forKind().ofKind(in)
	if err == nil {
		o, err = o.follow()
	}
	if err != nil {
		return nil, o, err
	}
	o = o.chosen()
	o.Text.Seed = o.Seed
	if err := o.Validate(); err != nil {
		return nil, o, err
	}
	ds, err := readDataset(ctx, in, &o, holdOut)
	if err != nil {
		return nil, o, err
	}
	if err := o.adopt(ds, in.Describe()); err != nil {
		ds.Close()
		return nil, o, err
	}
	return ds, o, nil
}

// ofKind returns the options with the orders of n-grams that suit the kind of model, where these are left to the
// documents. A packed corpus has its n-grams already.
func (o Options) ofKind(in corpus.Input) (Options, error) {
	l, ok := can[orderer](o.Kind)
	if !ok || !o.chosen().AutoNgrams || o.Text.Tokenizer != hashing.Word {
		return o, nil
	}
	_, packed, err := dataset.PackedPaths(in)
	if err == nil && !packed {
		o.Text.NgramLo, o.Text.NgramHi = l.orders()
	}
	return o, err
}

// reading is a key that is the same for options that make the same n-grams of texts.
func (o Options) reading() any {
	o = o.chosen()
	text := o.Text
	text.Seed = 0
	return struct {
		text          hashing.Options
		auto, counted bool
		seed          uint64
	}{text, o.AutoNgrams, o.counted(), o.Seed}
}

// settle chooses a kind of model from the documents in rows, if that is left to them, and resolves the options.
func (o Options) settle(ctx context.Context, ds *dataset.Dataset, rows *roaring.Bitmap, input string) (Options, []Candidate, error) {
	o, compared, err := o.chooseKind(ctx, ds, rows, input)
	if err == nil {
		o, err = o.resolve(ds, input)
	}
	return o, compared, err
}

// resolve refuses options that do not suit a dataset, and returns them with the values of what they leave to it, but
// for the kind of model. The input is named in messages.
func (o Options) resolve(ds *dataset.Dataset, input string) (Options, error) {
	if !ds.Ready() {
		if ds.Path != "" {
			if err := o.takeText(ds); err != nil {
				return o, err
			}
		} else {
			o.Text = ds.Meta.Text // the orders of n-grams, and what a format has to say
			o.AutoNgrams = o.AutoNgrams && o.Text.Tokenizer != hashing.VW
		}
	}
	labels := ds.Classes.Labels
	switch {
	case len(labels) == 0:
		return o, fmt.Errorf("nbsvm: %s: no document has a label: name the field of labels with Input.LabelField", input)
	case len(labels) == 1 && !ds.Classes.Multi:
		return o, fmt.Errorf("nbsvm: %s: all documents (%d) have the label %q; training needs at least two classes: add documents of another class, or name another field with Input.LabelField",
			input, ds.Documents, labels[0])
	}
	if o.Hierarchy != "" {
		h, err := newHierarchy(ds, o.Hierarchy)
		if err != nil {
			return o, err
		}
		if ds.Classes.Multi {
			ds.Classes = dataset.ClassesOf(h.nodes, h.below, ds.Documents, true)
			labels = ds.Classes.Labels
		}
	}
	for label := range o.ClassWeight.Weights {
		if !slices.Contains(labels, label) {
			return o, fmt.Errorf("nbsvm: class weight for %q, but no document has this label; the labels are %s", label, display.Excerpts(labels))
		}
	}
	if o.From == nil { // else there may be one class, of which there is more to learn
		if err := o.checkWeights(ds, input); err != nil {
			return o, err
		}
	}
	if !ds.Ready() {
		o.AutoKind = true // whether it is makes no difference, so it should make none to the record
	}
	if l, ok := can[minimizer](o.Kind); ok && o.Loss == "" {
		o.Loss = l.losses()[0].String()
	}
	if ds.Ready() || ds.Kind == datapacked.Floats {
		if o.Values == o.usualValues() {
			o.Values = Count
		}
		if o.Values.logs() || o.Values.idf() {
			return o, fmt.Errorf("nbsvm: Options.Values %s is for text, not for features with values: leave Options.Values out", o.Values)
		}
		if l, ok := can[featureChecker](o.Kind); ok {
			if err := l.checkFeatures(ds.Kind); err != nil {
				return o, err
			}
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
	o.MinDF = o.minDFFor(ds)
	o.Tree = o.treeFor(ds)
	if two := outputsOf(ds) == 1 && !o.hasPaths(ds); !two {
		o.Beta = betaOfMore
	} else if o.AutoBeta {
		o.Beta = betaOfTwo
	}
	return o, nil
}

// takeText refuses options that need other n-grams than a packed corpus has, and takes over those that are left to it.
func (o *Options) takeText(ds *dataset.Dataset) error {
	m, t := &ds.Meta, &o.Text
	differs := func(option string, asked, is any) error {
		return fmt.Errorf("nbsvm: %s was packed with %s %v, not %v: pack the documents again, or train with what it has", ds.Path, option, is, asked)
	}
	t.Seed = m.Text.Seed                                               // that of permutations and folds may be another
	if m.Text.Tokenizer == hashing.VW && t.Tokenizer == hashing.Word { // features were taken as they are
		lo, hi, bits := t.NgramLo, t.NgramHi, t.Bits
		*t = m.Text
		t.Bits = bits // which may be wrong
		if !o.AutoNgrams {
			t.NgramLo, t.NgramHi = lo, hi
		}
		o.AutoNgrams = false
	}
	if o.AutoNgrams && t.Tokenizer == hashing.Word {
		t.NgramLo, t.NgramHi, o.AutoNgrams = m.Text.NgramLo, m.Text.NgramHi, m.AutoNgrams
		if t.More == (hashing.MoreFamilies{}) {
			t.More = m.Text.More
		}
	}
	if d := t.Diff(m.Text); d != nil {
		return differs(d.Option, d.A, d.B)
	}
	switch {
	case t.Bits != m.Text.Bits:
		return differs("bits", t.Bits, m.Text.Bits)
	case o.MinDF < m.MinDF:
		return differs("min-df", o.MinDF, m.MinDF)
	case o.counted() && !m.Counts:
		return fmt.Errorf("nbsvm: %s was packed without counts of n-grams, which the values %s need: pack the documents again with Options.Values count, or take Options.Values binary", ds.Path, o.Values)
	}
	return nil
}

// followPacked returns o with the Text options of the packed corpora in an input, with which a training on them must
// agree. If the input is not packed, it returns o unchanged.
func (o Options) followPacked(in corpus.Input) (Options, error) {
	paths, ok, err := dataset.PackedPaths(in)
	if err != nil || !ok {
		return o, err
	}
	meta, err := dataset.PackedMeta(paths)
	if err != nil || meta.Ready() {
		return o, err
	}
	o.Text, o.AutoNgrams, o.MinDF = meta.Text, meta.AutoNgrams, max(o.MinDF, meta.MinDF)
	if o.AutoNgrams {
		o.Text.NgramLo, o.Text.NgramHi = 1, 2 // they are left to the corpus
	}
	return o, nil
}

// matrixOptions are the options of a dataset's matrix.
func (o *Options) matrixOptions(ds *dataset.Dataset) *matrix.Options {
	mo := &matrix.Options{
		MinDF: o.MinDF, MaxDF: o.MaxDF, Counts: o.counted(), Sublinear: o.Values.logs(), IDF: o.Values.idf(),
		Prenormalize: o.Prenormalize, Memory: o.Memory, Temp: o.Temp, Threads: o.threads(),
		Known: o.known(),
	}
	if o.Kind.Solved() {
		mo.Outputs, mo.Loss = outputsOf(ds), o.solverOptions().Loss
		if o.hasPaths(ds) {
			_, tree, err := paths.Of(ds.Classes.Labels, o.Hierarchy, mostNodes)
			if err == nil { // or fitting refuses them
				mo.Outputs = tree.Outputs()
			}
		}
	}
	return mo
}

// layOut makes the matrix of some documents, see matrix.New.
func layOut(ctx context.Context, ds *dataset.Dataset, documents *roaring.Bitmap, o *Options) (*matrix.Matrix, error) {
	return matrix.New(ctx, ds, documents, *o.matrixOptions(ds))
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
	return fmt.Errorf("nbsvm: %s: only documents of the class %q have a weight above 0; training needs two classes: %s", input, counts[0], remedy)
}

// anyWeight says whether some document has a weight above 0; nil stands for weights that are all 1.
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
