// Package dataset makes of labelled documents what models are trained on: rows of counted,
// numbered features, in memory or in a packed corpus.
//
// Texts are hashed once, and read before only if their length decides on the orders of n-grams. Counting in how many
// documents each n-gram is gives it a number, which waits in a block until the columns of n-grams that are in enough
// documents are known. Then rows are made. Rows in memory and rows in a file have the same columns, so that whatever is
// trained on them has the same bytes.
//
// A [Matrix] is what the solver sees: rows of a dataset's documents, with those of its columns whose features are in
// enough documents. Columns come by falling document frequency, so that the frequent ones share cache lines. Where they
// don't fit into memory, rows are mapped from temporary files.
package dataset

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/data/vocab"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// Dataset is labelled documents as rows of numbered features. It does not matter to those who use it whether the corpus
// of rows is in memory, in a temporary file or in one that was packed before.
type Dataset struct {
	Meta      Meta
	Rows      *vocab.Corpus
	Documents int
	Classes   Classes
	Weights   []float32 // per document; nil where all are 1
	// Path is that of a packed corpus; "" for documents that were read.
	Path string

	from  string // names the inputs that were read
	texts *texts // nil where there are none
	// temp is the temporary corpus that the rows are in; nil if they are elsewhere.
	temp       *osfile.Temp
	duplicates *duplicates
}

// From names the documents' files in messages.
func (d *Dataset) From() string { return cmp.Or(d.from, d.Path, "this input") }

// Ready reports whether features were ready-made, and not n-grams of texts.
func (d *Dataset) Ready() bool { return d.Meta.Ready() }

// All returns the set of all documents.
func (d *Dataset) All() *roaring.Bitmap {
	set := roaring.New()
	set.AddRange(0, uint64(d.Documents))
	return set
}

// Close gives up rows and texts. It may be called again.
func (d *Dataset) Close() error {
	err := d.Rows.Close()
	if d.texts != nil {
		err = errors.Join(err, d.texts.close())
	}
	err = errors.Join(err, d.temp.Close())
	d.temp = nil
	return err
}

// HasTexts reports whether EachText has texts.
func (d *Dataset) HasTexts() bool { return d.texts != nil }

// EachText visits the texts of some documents, on several threads; w is the number of each. One thread visits them
// in their order.
func (d *Dataset) EachText(
	ctx context.Context, documents *roaring.Bitmap, threads int, visit func(w, document int, text []byte),
) error {
	return d.texts.some(ctx, documents, threads, visit)
}

// Open maps a packed corpus as a dataset.
func Open(path string) (*Dataset, error) {
	c, meta, err := OpenCorpus(path)
	if err != nil {
		return nil, err
	}
	return datasetOf(c, meta), nil
}

func datasetOf(c *vocab.Corpus, meta *Meta) *Dataset {
	documents := int(c.Totals().Documents)
	return &Dataset{
		Meta: *meta, Rows: c, Documents: documents, Weights: c.Weights, Path: c.Path,
		Classes: ClassesOf(c.Labels, c.Sets, documents, meta.Multi), duplicates: &duplicates{},
	}
}

// OpenPacked maps packed corpora as one dataset: several are merged into a temporary corpus first. Rare n-grams are
// left out as Build does; the folder for temporary files and the number of threads count, too. A single corpus is
// opened as it is, whatever the options.
func OpenPacked(ctx context.Context, paths []string, o Options) (*Dataset, error) {
	if len(paths) == 1 {
		return Open(paths[0])
	}
	m, err := openParts(paths)
	if err != nil {
		return nil, err
	}
	defer m.close()
	minDF := max(o.MinDF, 1)
	// Rows tell which documents are the same, which must not depend on how they are divided into files.
	if m.meta.Multi {
		minDF = 1
	}
	return m.open(ctx, MergeOptions{MinDF: minDF, Temp: o.Temp, Threads: o.Threads})
}

// PackedMeta returns what packed corpora say about themselves, as one.
func PackedMeta(paths []string) (*Meta, error) {
	if len(paths) == 1 {
		c, meta, err := OpenCorpus(paths[0])
		if err != nil {
			return nil, err
		}
		return meta, c.Close()
	}
	m, err := openParts(paths)
	if err != nil {
		return nil, err
	}
	m.close()
	return &m.meta, nil
}

// PackedPaths reports whether an input is packed corpora, and their paths. It is an error if they are among others.
func PackedPaths(in corpus.Input) (paths []string, packed bool, err error) {
	other := ""
	for i, path := range in.Paths {
		is := false
		if path != "-" && in.Files == nil {
			if is, err = IsPacked(path); err != nil {
				return nil, false, fmt.Errorf("nbsvm: %w", err)
			}
		}
		if is {
			if paths = append(paths, path); in.Classes != nil && in.Classes[i] != "" {
				return nil, false, fmt.Errorf("nbsvm: %s is a packed corpus, whose documents have labels: leave it out of Input.Classes, or pack its documents with the label", path)
			}
		} else {
			other = path
		}
	}
	switch {
	case len(paths) == 0:
		return nil, false, nil
	case other != "":
		return nil, false, fmt.Errorf("nbsvm: %s is a packed corpus and %s is not: give only packed corpora; use nbsvm pack for other documents", paths[0], other)
	}
	return paths, true, nil
}

// CheckClasses returns an error if no good document of a class of the input was read. Read has the paths of files, as
// chunks have them, with such a document.
func CheckClasses(in corpus.Input, read map[string]bool) error {
	name := func(i int) string { return corpus.Input{Paths: in.Paths[i : i+1]}.Describe() }
	found := map[string]bool{}
	for i, class := range in.Classes {
		found[class] = found[class] || read[name(i)]
	}
	for i, class := range in.Classes {
		if class != "" && !found[class] {
			return fmt.Errorf("nbsvm: %w with the label %s in %s: is that the right file, and is it complete?",
				corpus.ErrNoDocuments, display.Excerpt(class), name(i))
		}
	}
	return nil
}

// IsPacked reports whether a file begins as packed corpora do. A missing file does not; one that can't be read is an
// error.
func IsPacked(path string) (bool, error) {
	head, err := osfile.ReadHead(path)
	return vocab.Is(head), err
}
