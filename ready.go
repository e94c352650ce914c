package nbsvm

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// parse reads a document of ready-made features into the batch; what is wrong
// with it becomes the document's error.
func (f *featurizer) parse(b *batch, c *corpus.Chunk, d *corpus.Document) {
	n := len(b.ids)
	ids, values, err := sparse.AppendSVMLight(b.ids, b.values, d.Text)
	if err == nil {
		b.ids, b.values = ids, values
		return
	}
	b.ids, b.values = ids[:n], values[:n]
	d.Err = featureError(c.Path(), d, err)
}

// featureError places an error inside a document's features in its file.
func featureError(path string, d *corpus.Document, err error) error {
	offset := d.Offset
	if fe := (*sparse.FeatureError)(nil); errors.As(err, &fe) {
		offset += int64(max(0, bytes.Index(d.Record, d.Text)) + fe.Offset)
		err = fmt.Errorf("feature %q: %w", fe.Text, fe.Err)
	}
	return &corpus.RecordError{Path: path, Line: d.Line, Offset: offset, Err: err}
}
