// Package packed makes, joins and inspects packed corpora. A packed corpus is a file with labelled documents after
// tokenizing and hashing: their n-grams (or features that came with them), labels and weights. Wherever labelled
// documents are read, a packed corpus can take their place. It is read many times faster than text, block by block, so
// that it can be larger than memory.
//
//	o := nbsvm.DefaultOptions()
//	report, err := packed.Pack(ctx, corpus.Input{Paths: []string{"train.tsv"}}, o.Pack(), w)
//	...
//	classifier, _, err := nbsvm.Train(ctx, corpus.Input{Paths: []string{"train.nbc"}}, o)
//
// The bytes of a packed corpus depend on the documents, their order and the options only, not on the number of
// threads, the memory or the CPU.
package packed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
)

// Options say how documents are packed. The Pack method of nbsvm.Options returns those that suit a training; the zero
// value is not valid.
type Options struct {
	// Text says how text becomes n-grams. Trainings on the corpus have its Bits. N-grams of words without orders have
	// one to three words if the documents have at least 3 MB of text per class, and otherwise one to two; if they have
	// 10 kB to 4 MB of text in all and Text has no other family, n-grams of 2 to 5 characters are taken as well.
	Text hashing.Options
	// MinDF drops n-grams that occur in fewer documents; 1 keeps all. Corpora for [Merge] need a MinDF of 1.
	MinDF int
	// Counts keeps how often each n-gram occurs in a document, which feature values other than binary need.
	Counts bool
	// Names keeps the text of each n-gram, which explanations need.
	Names bool
	// Memory is about how many bytes to use at most, 8 MiB or more; 0 stands for 2 GiB. The rest is kept in
	// files in Temp meanwhile.
	Memory int64
	// Temp is the folder for temporary files; "" means the system's.
	Temp string
	// Threads is the number of threads; 0 stands for one per processor.
	Threads int
	// Progress, if not nil, is called as the work proceeds.
	Progress func(corpus.Progress)
}

// Validate returns an error for the first option that is out of range, and nil if there is none.
func (o Options) Validate() error {
	if o.Text == (hashing.Options{}) {
		return errors.New("packed: the options have no Text: start from nbsvm.DefaultOptions().Pack()")
	}
	in := o.internal()
	return in.Validate()
}

func (o Options) internal() dataset.Options {
	return dataset.Options{
		Text: o.Text, MinDF: o.MinDF, Counts: o.Counts, Names: o.Names,
		Memory: o.Memory, Temp: o.Temp, Threads: o.Threads, Progress: o.Progress,
	}
}

// MergeOptions say how packed corpora are merged. The zero value is valid.
type MergeOptions struct {
	// MinDF drops n-grams that occur in fewer documents of all corpora together; 0 and 1 keep all.
	MinDF int
	// Temp is the folder for temporary files; "" means the system's.
	Temp string
	// Threads is the number of threads; 0 stands for one per processor.
	Threads int
}

// Report says what a packed corpus holds.
type Report struct {
	// Documents is the number of documents, Bytes the length of their texts in bytes, and Invalid the number of bytes
	// that are not valid UTF-8.
	Documents int64 `json:"documents"`
	Bytes     int64 `json:"bytes"`
	Invalid   int64 `json:"invalid"`
	// Bad is the number of records that were skipped.
	Bad int64 `json:"bad"`
	// Reasons counts them by what is wrong with them.
	Reasons corpus.Reasons `json:"bad_reasons,omitempty"`
	// Entries counts the pairs of a document and an n-gram in it. Distinct is the number of different n-grams, and
	// Columns the number of those that are kept.
	Entries  int64  `json:"entries"`
	Distinct uint64 `json:"distinct"`
	Columns  int    `json:"columns"`
	// NonZeros is the number of entries whose n-gram is kept.
	NonZeros int64 `json:"non_zeros"`
	// Classes are the labels and how many documents have them, in the order of their numbers.
	Classes []corpus.ClassCount `json:"classes"`
	// Parts is the number of corpora that were merged; 0 if there was no merge.
	Parts int `json:"parts"`
	// Took is the duration of the packing. It is not stored in the file.
	Took time.Duration `json:"-"`
}

// Info says what a packed corpus holds, and how it was made.
type Info struct {
	// Source is "text", or "svmlight" for features that came with the documents.
	Source string `json:"source"`
	// Text says how text became n-grams; nil if there was no text.
	Text *hashing.Options `json:"text"`
	// Fingerprint is equal for corpora that can be merged.
	Fingerprint string `json:"fingerprint"`
	// Counts, MinDF and Named are as in Options.Counts, MinDF and Names. MultiLabel reports whether documents have any
	// number of labels, and Weighted whether they have weights.
	Counts     bool `json:"counts"`
	MinDF      int  `json:"min_df"`
	MultiLabel bool `json:"multilabel"`
	Weighted   bool `json:"weighted"`
	Named      bool `json:"named"`
	// Version of nbsvm that made the file.
	Version string `json:"version"`
	// Size of the file in bytes, the number of Blocks of rows in it, and its CRC-32C in hexadecimal.
	Size     int64  `json:"size"`
	Blocks   int    `json:"blocks"`
	Checksum string `json:"checksum"`
	Report
	// Sections are the parts of the file.
	Sections []Section `json:"sections"`
}

// Section is a part of a file, with its place in bytes and its CRC-32C.
type Section struct {
	Name   string `json:"name"`
	Offset int64  `json:"offset"`
	Length int64  `json:"length"`
	CRC    uint32 `json:"crc"`
}

// made returns the report on a corpus that was written, begun at a time, of so many parts.
func made(c *dataset.Contents, err error, parts int, begin time.Time) (*Report, error) {
	if err != nil {
		return nil, err
	}
	r := report(c, parts)
	r.Took = time.Since(begin)
	return r, nil
}

func report(c *dataset.Contents, parts int) *Report {
	t := c.Totals
	r := &Report{
		Documents: int64(t.Documents), Bytes: c.Meta.Bytes, Invalid: c.Meta.Invalid, Bad: c.Meta.Bad,
		Reasons: c.Meta.Reasons, Entries: c.Meta.Entries,
		Distinct: t.Distinct, Columns: int(t.Columns), NonZeros: int64(t.Entries), Parts: parts,
	}
	for k, label := range c.Head.Labels {
		r.Classes = append(r.Classes, corpus.ClassCount{Label: label, Documents: c.Head.Sets[k].GetCardinality()})
	}
	return r
}

// Pack reads labelled documents and writes them to w as a packed corpus.
func Pack(ctx context.Context, in corpus.Input, o Options, w io.Writer) (*Report, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	begin := time.Now()
	c, err := dataset.Pack(ctx, in, o.internal(), w)
	return made(c, err, 0, begin)
}

// Merge writes the documents of several packed corpora to w, corpus after corpus, as one. The result has the same
// bytes as packing all texts at once. The corpora must have been packed with a MinDF of 1, because document counts of
// n-grams cannot be added up otherwise.
func Merge(ctx context.Context, paths []string, o MergeOptions, w io.Writer) (*Report, error) {
	begin := time.Now()
	o.MinDF = cmp.Or(o.MinDF, 1)
	c, err := dataset.Merge(ctx, paths, dataset.MergeOptions(o), w)
	return made(c, err, len(paths), begin)
}

// Is reports whether the file at path begins like a packed corpus. A missing file does not; one that can't be read is an
// error.
func Is(path string) (bool, error) { return dataset.IsPacked(path) }

// Inspect reads the description of the packed corpus at path. It checks the header but not the rows; use [Verify] for
// these.
func Inspect(path string) (*Info, error) {
	c, meta, err := dataset.OpenCorpus(path)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	info := &Info{
		Source: meta.Source, Fingerprint: meta.Fingerprint(), Counts: meta.Counts, MinDF: meta.MinDF,
		MultiLabel: meta.Multi, Weighted: c.Weights != nil, Named: c.Named(), Version: meta.Version,
		Size: c.Size, Blocks: c.Blocks(), Checksum: fmt.Sprintf("%08x", c.Checksum()),
		Report: *report(&dataset.Contents{Meta: meta, Totals: c.Totals(), Head: &c.Head}, 0),
	}
	for _, s := range c.Sections {
		info.Sections = append(info.Sections, Section{s.Name, s.Offset, s.Length, s.Stored})
	}
	if !meta.Ready() {
		info.Text = &meta.Text
	}
	return info, nil
}

// Verify reads the packed corpus at path and checks all checksums and numbers.
func Verify(ctx context.Context, path string) error {
	c, _, err := dataset.OpenCorpus(path)
	if err != nil {
		return err
	}
	defer c.Close()
	return c.Verify(ctx)
}
