package nbsvm

import (
	"context"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/dataset"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/matrix"
)

// Input names what to read, and how.
type Input = dataset.Input

// Progress says how far a stage of the work is.
type Progress = dataset.Progress

// ClassCount is a class and the number of its documents.
type ClassCount = dataset.ClassCount

// FeatureStats tell what became of the n-grams of a training set.
type FeatureStats = matrix.Stats

// PackOptions say how documents become rows of a packed corpus. Those of training
// (Options.Pack) make a corpus to train with these options on.
type PackOptions = dataset.Options

// PackReport tells what a packed corpus holds, or what came of packing it.
type PackReport = dataset.Report

// PackedInfo is what a packed corpus holds, and how it was made.
type PackedInfo = dataset.Info

// MergeOptions say how packed corpora become one.
type MergeOptions = dataset.MergeOptions

// DefaultPackMemory is 2 GiB.
const DefaultPackMemory = dataset.DefaultMemory

// Pack are the options of a corpus to train with these options on.
func (o *Options) Pack() PackOptions {
	text := o.Text
	text.Seed = o.Seed
	return PackOptions{Text: text, AutoNgrams: o.AutoNgrams, MinDF: o.MinDF, Counts: o.counted(), Threads: o.Threads}
}

// readDataset makes a dataset of an input: rows in memory, or, where memory is bounded, in a
// temporary packed corpus. A packed corpus is one already.
func readDataset(ctx context.Context, in Input, o *Options, holdOut bool) (*dataset.Dataset, error) {
	path, isPacked, err := in.PackedPath()
	if err != nil {
		return nil, err
	}
	if isPacked {
		ds, err := dataset.Open(path)
		if err != nil {
			return nil, err
		}
		if err := o.follow(ds); err != nil {
			ds.Close()
			return nil, err
		}
		return ds, nil
	}
	build := o.Pack()
	build.Progress, build.Temp = o.Progress, o.Temp
	build.HoldOut, build.HoldOutMulti = holdOut || o.Calibrate && o.Kind.linear(), true
	if o.Memory > 0 {
		build.Memory, build.Names = max(o.Memory, dataset.MinMemory), o.NamesLimit > 0
	}
	ds, err := dataset.Build(ctx, in, build)
	if err != nil {
		return nil, err
	}
	if !ds.Ready() {
		o.Text.NgramLo, o.Text.NgramHi = ds.Meta.Text.NgramLo, ds.Meta.Text.NgramHi
	}
	return ds, nil
}

// prepare checks the options, reads the input, and makes the options say what holds for it. holdOut says that
// documents will be held out for other reasons than the options'.
func prepare(ctx context.Context, in Input, o *Options, holdOut bool) (*dataset.Dataset, error) {
	o.Text.Seed = o.Seed
	if o.AutoNgrams && o.Text.Tokenizer == hashing.Word {
		o.Text.NgramLo, o.Text.NgramHi = 1, 2
	}
	if err := o.Validate(); err != nil {
		return nil, err
	}
	ds, err := readDataset(ctx, in, o, holdOut)
	if err != nil {
		return nil, err
	}
	if err := o.settle(ds); err != nil {
		ds.Close()
		return nil, err
	}
	return ds, nil
}

// follow refuses options that ask for other features than a corpus has, and sets those
// that were left to it.
func (o *Options) follow(ds *dataset.Dataset) error {
	if ds.Ready() {
		return nil
	}
	m, t := &ds.Meta, &o.Text
	differs := func(option string, asked, is any) error {
		return fmt.Errorf("nbsvm: %s was packed with %s %v, and %v is asked for: pack the documents again, or ask for what it has", ds.Path, option, is, asked)
	}
	t.Seed = m.Text.Seed // that of permutations and folds may be another
	if o.AutoNgrams && t.Tokenizer == hashing.Word {
		t.NgramLo, t.NgramHi, o.AutoNgrams = m.Text.NgramLo, m.Text.NgramHi, m.AutoNgrams
	}
	if d := t.Diff(m.Text); d != nil {
		return differs(d.Option, d.A, d.B)
	}
	switch {
	case o.MinDF < m.MinDF:
		return differs("min-df", o.MinDF, m.MinDF)
	case o.counted() && !m.Counts:
		return fmt.Errorf("nbsvm: %s was packed without how often documents have n-grams, which values %s need: pack the documents again, with --values count", ds.Path, o.Values)
	}
	return nil
}

// FollowPacked takes over from a packed corpus, if the input is one, what text options it
// was packed with, and its min-df if that is higher.
func (o *Options) FollowPacked(in Input) error {
	path, ok, err := in.PackedPath()
	if err != nil || !ok {
		return err
	}
	ds, err := dataset.Open(path)
	if err != nil {
		return err
	}
	defer ds.Close()
	if ds.Ready() {
		return nil
	}
	bits := o.Text.Bits
	o.Text, o.AutoNgrams, o.MinDF = ds.Meta.Text, ds.Meta.AutoNgrams, max(o.MinDF, ds.Meta.MinDF)
	o.Text.Bits = bits
	return nil
}

// matrixOptions are the options of a dataset's matrix.
func (o *Options) matrixOptions(ds *dataset.Dataset) *matrix.Options {
	mo := &matrix.Options{
		Bits: o.Text.Bits, MinDF: o.MinDF, MaxDF: o.MaxDF, Counts: o.counted(), Sublinear: o.SublinearTF, IDF: o.Values == TFIDF,
		Prenormalize: o.Prenormalize, Memory: o.Memory, Temp: o.Temp, Threads: o.threads(),
	}
	if so, err := o.solverOptions(); err == nil && o.Kind.linear() {
		mo.Outputs, mo.Loss = outputsOf(ds), so.Loss
	}
	return mo
}

// layOut makes the matrix of some documents; see matrix.New.
func (o *Options) layOut(ctx context.Context, ds *dataset.Dataset, documents *roaring.Bitmap, consume bool) (*matrix.Matrix, error) {
	return matrix.New(ctx, ds, documents, *o.matrixOptions(ds), consume)
}

// Functions of packed corpora; see package dataset.
var (
	Pack                = dataset.Pack
	MergePacked         = dataset.Merge
	AppendPacked        = dataset.Append
	InspectPacked       = dataset.Inspect
	VerifyPacked        = dataset.Verify
	ExportPacked        = dataset.Export
	ExportPackedBitmaps = dataset.ExportBitmaps
	IsPacked            = dataset.IsPacked
)
