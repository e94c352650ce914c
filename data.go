package nbsvm

import (
	"context"
	"io"

	"github.com/seed-167f963f/nbsvm/dataset"
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

// Pack reads labelled documents and writes them to w as a packed corpus. Its bytes depend on the input and the
// options but for Memory, Temp and Threads.
func Pack(ctx context.Context, in Input, o PackOptions, w io.Writer) (*PackReport, error) {
	return dataset.Pack(ctx, in, o, w)
}

// MergePacked writes the documents of packed corpora, one corpus after the other, as one: the same bytes as if
// their texts had been packed together. They must have been packed with a MinDF of 1.
func MergePacked(ctx context.Context, paths []string, o MergeOptions, w io.Writer) (*PackReport, error) {
	return dataset.Merge(ctx, paths, o, w)
}

// AppendPacked packs an input and writes it to w behind the documents of a packed corpus; see PackedInfo.Options.
func AppendPacked(ctx context.Context, path string, in Input, o PackOptions, w io.Writer) (*PackReport, error) {
	return dataset.Append(ctx, path, in, o, w)
}

// InspectPacked reads what a packed corpus says about itself.
func InspectPacked(path string) (*PackedInfo, error) { return dataset.Inspect(path) }

// VerifyPacked checks every checksum and every number of a packed corpus.
func VerifyPacked(ctx context.Context, path string) error { return dataset.Verify(ctx, path) }

// ExportPacked writes a packed corpus in SVMlight's format; an n-gram has the number of its column, from 1.
func ExportPacked(ctx context.Context, path string, w io.Writer) error {
	return dataset.Export(ctx, path, w)
}

// ExportPackedBitmaps writes the documents of a packed corpus as roaring bitmaps in the portable format.
func ExportPackedBitmaps(ctx context.Context, path string, w io.Writer) error {
	return dataset.ExportBitmaps(ctx, path, w)
}

// IsPacked tells whether a file begins as packed corpora do.
func IsPacked(path string) bool { return dataset.IsPacked(path) }
