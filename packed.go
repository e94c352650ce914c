package nbsvm

import (
	"context"
	"io"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/fasttext"
)

type (
	// PackOptions say how documents become rows of a packed corpus. Those of training
	// (Options.Pack) make a corpus to train with these options on.
	PackOptions = dataset.Options
	// PackReport tells what a packed corpus holds, or what came of packing it.
	PackReport = dataset.Report
	// PackedInfo is what a packed corpus says about itself. Its Options are those to pack
	// more documents with, which AppendPacked can add.
	PackedInfo = dataset.Info
	// MergeOptions say how packed corpora become one.
	MergeOptions = dataset.MergeOptions
	// ClassCount is a class and the number of its documents.
	ClassCount = dataset.ClassCount
)

// DefaultPackMemory is how many bytes Pack takes where PackOptions.Memory is 0.
const DefaultPackMemory = dataset.DefaultMemory

// Pack reads labelled documents and writes them to w as a packed corpus, which can stand
// for them wherever labelled documents are read. Its bytes depend on the input and the
// options but for Memory, Temp and Threads.
func Pack(ctx context.Context, in corpus.Input, o PackOptions, w io.Writer) (*PackReport, error) {
	return dataset.Pack(ctx, in, o, w)
}

// ErrNoDocuments is of an input to train on, or to pack, that holds none, for [errors.Is].
var ErrNoDocuments = dataset.ErrNoDocuments

// AppendPacked packs an input and writes it to w behind the documents of a packed corpus:
// MergePacked of the two, whose options must suit each other, see PackedInfo.
func AppendPacked(ctx context.Context, path string, in corpus.Input, o PackOptions, w io.Writer) (*PackReport, error) {
	return dataset.Append(ctx, path, in, o, w)
}

// MergePacked writes the documents of packed corpora, one corpus after the other, as one:
// the same bytes as if their texts had been packed together. That n-grams' counts add up,
// they must have been packed with a MinDF of 1.
func MergePacked(ctx context.Context, paths []string, o MergeOptions, w io.Writer) (*PackReport, error) {
	return dataset.Merge(ctx, paths, o, w)
}

// IsModel tells whether a file begins as models do, ours or fastText's.
func IsModel(path string) bool {
	return model.Is(dataset.Head(path)) || fasttext.Is(dataset.Head(path))
}

// IsPacked tells whether a file begins as packed corpora do.
func IsPacked(path string) bool { return dataset.IsPacked(path) }

// InspectPacked reads what a packed corpus says about itself.
func InspectPacked(path string) (*PackedInfo, error) { return dataset.Inspect(path) }

// InspectPackedParts reads what packed corpora say about themselves that [Train] and others take as one, and adds up
// what they hold. It is an error if they do not go together, see [MergePacked]. How many distinct n-grams and columns
// the whole has is not counted, and 0 in the report.
func InspectPackedParts(ctx context.Context, paths []string) (whole *PackReport, parts []*PackedInfo, err error) {
	return dataset.InspectParts(ctx, paths)
}

// VerifyPacked checks every checksum and every number of a packed corpus.
func VerifyPacked(ctx context.Context, path string) error { return dataset.Verify(ctx, path) }

// ExportPacked writes the rows of a packed corpus in SVMlight's format: labels, joined by
// commas, and features by ascending number. Ready-made features have the numbers they came
// with; an n-gram has that of its column, from 1. Weights are left out. Labels are written as they
// are if all are whole numbers, as programs that read the format want. Otherwise they are numbered
// from 1, in the order in which they are returned.
func ExportPacked(ctx context.Context, path string, w io.Writer) (numbered []string, err error) {
	return dataset.Export(ctx, path, w)
}

// ExportPackedBitmaps writes the documents of a packed corpus as sets of features, numbered
// as in ExportPacked: for each a length of 8 bytes, little-endian, and so many bytes of a
// 32-bit roaring bitmap in the portable format, which all of roaring's implementations read.
func ExportPackedBitmaps(ctx context.Context, path string, w io.Writer) error {
	return dataset.ExportBitmaps(ctx, path, w)
}
