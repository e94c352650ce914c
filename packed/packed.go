// Package packed makes packed corpora and looks into them. A packed corpus is one file that holds labelled documents
// after tokenizing and hashing: their n-grams or ready-made features, labels and weights. It stands for the documents
// wherever labelled documents are read, and is read many times faster than text, block by block, also when it is larger
// than memory.
//
//	var o = nbsvm.DefaultOptions()
//	report, err := packed.Pack(ctx, corpus.Input{Paths: []string{"train.tsv"}}, o.Pack(), w)
//	...
//	classifier, _, err := nbsvm.Train(ctx, corpus.Input{Paths: []string{"train.nbc"}}, o)
//
// The bytes of a packed corpus depend on the documents, their order and the options only: not on the number of threads,
// the memory or the CPU.
package packed

import (
	"cmp"
	"context"
	"io"
	"time"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
)

// DefaultMemory is the number of bytes that Pack takes where Options.Memory is 0: 2 GiB.
const DefaultMemory = 2 << 30

// Options say how documents are packed. The Pack method of nbsvm.Options gives those that suit a training.
type Options struct {
	// Text says how text becomes n-grams. Bits has no effect: a packed corpus keeps whole hashes.
	Text hashing.Options
	// AutoNgrams takes n-grams of orders 1 to 3 if the documents have at least 3 MB of text a class, and of orders 1
	// to 2 otherwise. It has an effect with the word tokenizer only.
	AutoNgrams bool
	// MinDF leaves out n-grams that occur in fewer documents; 1 keeps all. [Merge] and [Append] need a corpus of 1.
	MinDF int
	// Counts keeps how often a document has an n-gram, which values other than binary need.
	Counts bool
	// Names keeps the texts of n-grams.
	Names bool
	// Memory is about how many bytes to use at most, 8 MiB or more; 0 stands for DefaultMemory. What does not fit
	// waits in files in Temp.
	Memory int64
	// Temp is the folder for temporary files; "" is the system's.
	Temp string
	// Threads is the number of threads; 0 stands for all processors.
	Threads int
	// Progress, if not nil, is told how far the work is.
	Progress func(corpus.Progress)
}

// Validate reports the first option that is out of its range.
func (o *Options) Validate() error {
	in := o.internal()
	return in.Validate()
}

// SettleOrders sets the orders of n-grams that AutoNgrams takes for so many bytes of text of so many classes.
func (o *Options) SettleOrders(text int64, classes int) {
	in := o.internal()
	in.SettleOrders(text, classes)
	o.Text = in.Text
}

func (o *Options) internal() dataset.Options {
	return dataset.Options{
		Text: o.Text, AutoNgrams: o.AutoNgrams, MinDF: o.MinDF, Counts: o.Counts, Names: o.Names,
		Memory: cmp.Or(o.Memory, DefaultMemory), Temp: o.Temp, Threads: o.Threads, Progress: o.Progress,
	}
}

// MergeOptions say how packed corpora become one.
type MergeOptions struct {
	// MinDF leaves out n-grams that occur in fewer documents of all corpora together; 1 keeps all.
	MinDF int
	// Temp is the folder for temporary files; "" is the system's.
	Temp string
	// Threads is the number of threads; 0 stands for all processors.
	Threads int
}

// Report says what a packed corpus holds.
type Report struct {
	// Documents is the number of documents, Bytes that of the bytes of their texts, and Invalid that of the bytes
	// among them that are not valid UTF-8.
	Documents int64 `json:"documents"`
	Bytes     int64 `json:"bytes"`
	Invalid   int64 `json:"invalid"`
	// Bad is the number of bad records, which were left out.
	Bad int64 `json:"bad"`
	// Entries is the number of distinct n-grams of a document, summed over the documents; Distinct is that of the
	// distinct n-grams of all, and Columns counts those of them that are kept.
	Entries  int64  `json:"entries"`
	Distinct uint64 `json:"distinct"`
	Columns  int    `json:"columns"`
	// NonZeros is the number of entries of kept n-grams.
	NonZeros int64 `json:"non_zeros"`
	// Classes are in the order of their numbers.
	Classes []corpus.ClassCount `json:"classes"`
	// Parts is the number of corpora that were merged; 0 if the documents were packed at once.
	Parts int `json:"parts"`
	// Took is how long packing took. It is not part of the file.
	Took time.Duration `json:"-"`
}

// Info says what a packed corpus holds and how it was made.
type Info struct {
	// Source is "text", or "svmlight" for ready-made features.
	Source string `json:"source"`
	// Text says how text became n-grams; nil for ready-made features. Bits is 0.
	Text *hashing.Options `json:"text"`
	// Fingerprint is the same for corpora that can be merged.
	Fingerprint string `json:"fingerprint"`
	// Counts reports whether the corpus keeps how often documents have an n-gram, MinDF is that of the options,
	// MultiLabel reports whether documents have any number of labels, Weighted whether they have weights, and Named
	// whether the texts of n-grams are kept.
	Counts     bool `json:"counts"`
	MinDF      int  `json:"min_df"`
	MultiLabel bool `json:"multilabel"`
	Weighted   bool `json:"weighted"`
	Named      bool `json:"named"`
	// Version is that of nbsvm, which made the file.
	Version string `json:"version"`
	// Size is that of the file in bytes, Blocks the number of its blocks of rows, and Checksum the file's CRC-32C, in
	// hexadecimal digits.
	Size     int64  `json:"size"`
	Blocks   int    `json:"blocks"`
	Checksum string `json:"checksum"`
	Report
	// Sections are the parts of the file outside of its blocks.
	Sections []Section `json:"sections"`
}

// Section is a part of a file: its place in bytes, and its CRC-32C.
type Section struct {
	Name   string `json:"name"`
	Offset int64  `json:"offset"`
	Length int64  `json:"length"`
	CRC    uint32 `json:"crc"`
}

// Options are those to pack further documents with, which [Append] can add.
func (i *Info) Options() Options {
	o := Options{AutoNgrams: false, MinDF: i.MinDF, Counts: i.Counts, Names: i.Named}
	if i.Text != nil {
		o.Text = *i.Text
	} else {
		o.Text = hashing.DefaultOptions()
	}
	return o
}

// Pack reads labelled documents and writes them to w as a packed corpus.
func Pack(ctx context.Context, in corpus.Input, o Options, w io.Writer) (*Report, error) {
	r, err := dataset.Pack(ctx, in, o.internal(), w)
	return (*Report)(r), err
}

// Append packs the documents of an input and writes to w those of the packed corpus at path, followed by them. The
// result equals [Merge] of the two. The options must suit the corpus; see [Info.Options].
func Append(ctx context.Context, path string, in corpus.Input, o Options, w io.Writer) (*Report, error) {
	r, err := dataset.Append(ctx, path, in, o.internal(), w)
	return (*Report)(r), err
}

// Merge writes the documents of several packed corpora to w as one, corpus after corpus. Its bytes are those that
// packing all texts at once would give. The corpora must have been packed with a MinDF of 1, since only then the counts
// of n-grams add up.
func Merge(ctx context.Context, paths []string, o MergeOptions, w io.Writer) (*Report, error) {
	r, err := dataset.Merge(ctx, paths, dataset.MergeOptions(o), w)
	return (*Report)(r), err
}

// Is reports whether the file at path begins as packed corpora do.
func Is(path string) bool { return dataset.IsPacked(path) }

// Inspect reads what a packed corpus says about itself. It checks the header, not the rows; see [Verify].
func Inspect(path string) (*Info, error) {
	i, err := dataset.Inspect(path)
	if err != nil {
		return nil, err
	}
	return infoOf(i), nil
}

func infoOf(i *dataset.Info) *Info {
	info := &Info{
		Source: i.Source, Text: i.Text, Fingerprint: i.Fingerprint, Counts: i.Counts, MinDF: i.MinDF,
		MultiLabel: i.MultiLabel, Weighted: i.Weighted, Named: i.Named, Version: i.Version,
		Size: i.Size, Blocks: i.Blocks, Checksum: i.Checksum, Report: Report(i.Report),
	}
	for _, s := range i.Sections {
		info.Sections = append(info.Sections, Section(s))
	}
	return info
}

// InspectParts reads what several packed corpora say about themselves that are trained on as one, and adds up what they
// hold. Distinct and Columns of the whole are 0: to count them, all n-grams would have to be read. It is an error if the
// corpora do not go together; see [Merge].
func InspectParts(ctx context.Context, paths []string) (whole *Report, parts []*Info, err error) {
	r, infos, err := dataset.InspectParts(ctx, paths)
	if err != nil {
		return nil, nil, err
	}
	for _, i := range infos {
		parts = append(parts, infoOf(i))
	}
	return (*Report)(r), parts, nil
}

// Verify checks every checksum and every number of the packed corpus at path.
func Verify(ctx context.Context, path string) error { return dataset.Verify(ctx, path) }

// Export writes the rows of a packed corpus in SVMlight's format: labels, joined by commas, and features by ascending
// number. Ready-made features keep their numbers, and an n-gram has that of its column, from 1. Weights are left out.
// Labels are written as they are if all are whole numbers, as programs that read the format need; otherwise they are
// numbered from 1 in the order in which Export returns them.
func Export(ctx context.Context, path string, w io.Writer) (numbered []string, err error) {
	return dataset.Export(ctx, path, w)
}

// ExportBitmaps writes the documents of a packed corpus as sets of features, numbered as in [Export]. For each document
// it writes a length of 8 bytes, little-endian, and a 32-bit roaring bitmap of that length in the portable format.
func ExportBitmaps(ctx context.Context, path string, w io.Writer) error {
	return dataset.ExportBitmaps(ctx, path, w)
}
