package nbsvm

import (
	"cmp"
	"context"
	"slices"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/learn"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/packed"
	"github.com/seed-167f963f/nbsvm/solver"
)

// Pack returns options for [packed.Pack] that make a packed corpus suitable for training with o. Set MinDF to 1 to
// merge or evaluate, and Names for the n-grams' names, which [Classifier.Explain] lists.
func (o Options) Pack() packed.Options {
	o.Text.Seed = o.Seed
	b := o.build()
	return packed.Options{Text: b.Text, MinDF: b.MinDF, Counts: b.Counts, Threads: b.Threads}
}

// build returns the options for a dataset that o can train on.
func (o Options) build() dataset.Options {
	o = o.forKind()
	return dataset.Options{
		Text: o.Text, MinDF: cmp.Or(o.MinDF, leastMinDF), Counts: o.Values.counted(),
		Threads: o.Threads,
	}
}

// readDataset makes a dataset of an input. Packed corpora are one already.
func readDataset(ctx context.Context, in corpus.Input, o *Options, holdOut bool) (*dataset.Dataset, error) {
	build := o.build()
	if err := o.Kind.checkLabels(in); err != nil {
		return nil, err
	}
	in.Numbers, in.Range = o.Kind.Numbers(), o.Range
	build.Progress, build.Temp, build.Sample = o.Progress, o.Temp, o.sample
	if paths, isPacked, err := dataset.PackedPaths(in); err != nil {
		return nil, err
	} else if isPacked {
		if holdOut || o.calibrates() || o.HoldOut > 0 || o.MaxModel > 0 {
			// Rows tell which documents are the same, which must not depend on how they are divided into files.
			build.MinDF = 1
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
			resolved := *o
			resolved.Text = ds.Meta.Text
			return resolved.minDFFor(ds)
		}
	}
	return dataset.Build(ctx, in, build)
}

// read checks the options and reads the input as Train does. It returns the options that training must resolve for
// the dataset. holdOut says that documents will be held out even if the options do not ask for it.
func read(ctx context.Context, in corpus.Input, o Options, holdOut bool) (*dataset.Dataset, Options, error) {
	o, err := o.begin(in)
	if err != nil {
		return nil, o, err
	}
	ds, err := readDataset(ctx, in, &o, holdOut)
	if err != nil {
		return nil, o, err
	}
	if o.Kind.Numbers() {
		err = ds.TakeNumbers(in.Describe(), o.Range)
	}
	if err == nil {
		err = o.adopt(ds, in.Describe())
	}
	if err != nil {
		ds.Close()
		return nil, o, err
	}
	return ds, o, nil
}

// reading returns a key that is the same for options that make the same n-grams of texts, and refuse the same numbers.
func (o Options) reading() any {
	text := o.Text
	text.Seed = 0
	return struct {
		text             hashing.Options
		counted, numbers bool
		limits           [2]float64
		seed             uint64
	}{text, o.Values.counted(), o.Kind.Numbers(), o.Range, o.Seed}
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
	if o.Text = meta.Text; meta.AutoNgrams {
		o.Text.Families = hashing.Families{} // they are left to the corpus
	}
	if o.MinDF > 0 {
		o.MinDF = max(o.MinDF, meta.MinDF)
	}
	return o, nil
}

// matrixOptions returns the options of a dataset's matrix.
func (o *settings) matrixOptions(ds *dataset.Dataset) dataset.MatrixOptions {
	mo := dataset.MatrixOptions{
		MinDF: o.MinDF, MaxDF: o.MaxDF,
		Counts: o.Values.counted(), ByWord: o.Values == ByWord, Sublinear: o.Values.logs(), IDF: o.Values.idf(),
		Prenormalize: o.Prenormalize, Memory: o.Memory, Temp: o.Temp, Threads: o.threads(),
		Known: o.known(),
	}
	if o.Kind.Solved() {
		mo.Outputs = ds.Classes.Outputs()
		if o.hasPaths(ds) {
			_, tree, err := model.TreeOf(ds.Classes.Labels, o.Hierarchy, model.MaxOutputs)
			if err == nil { // or fitting refuses them
				mo.Outputs = tree.Outputs()
			}
		}
	}
	if numbers := ds.Classes.Numbers; numbers != nil {
		switch {
		case o.Kind == Ordinal:
			mo.RowsEach = min(len(learn.Levels(slices.Values(numbers))), learn.MostLevels) - 1 // fitting refuses more
		case o.loss() == solver.Logistic:
			mo.RowsEach = 2 // one of the largest number, and one of the least
		}
	}
	return mo
}
