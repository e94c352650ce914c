package dataset

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/data/vocab"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// featureBits is the width of the number of a ready-made feature, which counts as the top bits of a hash.
const featureBits = 31

// document is what a document consists of: distinct n-grams, or ready-made features in their place,
// with values unless these are all 1.
type document struct {
	hashes []uint64
	values []float32
}

// featurizer makes documents of texts; each worker has its own, and uses its memory again.
type featurizer struct {
	ready   bool
	counted bool
	byWord  bool // n-grams within words count once for each distinct word
	names   bool // the texts of n-grams are kept
	extract *hashing.Extractor
	ids     []uint32
	counts  []uint32
}

func newFeaturizer(o *Options) (*featurizer, error) {
	extract, err := hashing.NewExtractor(o.Text)
	if err != nil {
		return nil, err
	}
	return &featurizer{
		counted: o.Counts, byWord: !o.Counts && o.Text.ByWord(), names: o.Names, extract: extract, counts: []uint32{},
	}, nil
}

// append adds the features of a text to those of other documents. The error is about ready-made
// features.
func (f *featurizer) append(d *document, text []byte) error {
	if f.ready {
		ids, values, err := sparse.AppendSVMLight(f.ids[:0], d.values, text)
		f.ids = ids
		if err != nil {
			return err
		}
		d.values = values
		for _, id := range ids {
			d.hashes = append(d.hashes, uint64(id)<<(hashing.MaxBits-featureBits))
		}
		return nil
	}
	switch {
	case f.byWord:
		d.hashes, f.counts = f.extract.AppendByWord(d.hashes, f.counts[:0], text)
	case f.counted:
		d.hashes, f.counts = f.extract.AppendDistinct(d.hashes, f.counts[:0], text)
	default:
		d.hashes, _ = f.extract.AppendDistinct(d.hashes, nil, text)
		return nil
	}
	for _, n := range f.counts {
		d.values = append(d.values, float32(n))
	}
	return nil
}

// valueKind returns what values do for a document.
func (f *featurizer) valueKind(d *document) vocab.Values {
	if !f.ready {
		if f.counted || f.byWord {
			return vocab.Counts
		}
		return vocab.Binary
	}
	for _, v := range d.values {
		if v != 1 {
			return vocab.Floats
		}
	}
	return vocab.Binary
}

// FeatureError places an error inside a document's features in its file.
func FeatureError(path string, d *corpus.Document, err error) error {
	offset, reason := d.Offset, corpus.ReasonOf(err)
	if fe := (*sparse.FeatureError)(nil); errors.As(err, &fe) {
		offset += int64(max(0, bytes.Index(d.Record, d.Text)) + fe.Offset)
		err = fmt.Errorf("feature %q: %w", fe.Text, fe.Err)
	}
	return &corpus.RecordError{Path: path, Line: d.Line, Offset: offset, Reason: reason, Err: err}
}
