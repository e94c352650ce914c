package nbsvm

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/seed-167f963f/nbsvm/internal/build"

	"github.com/seed-167f963f/nbsvm/internal/atomicfile"
	"github.com/seed-167f963f/nbsvm/internal/stage"
	"github.com/seed-167f963f/nbsvm/model"
)

// Version of the library and the command; models record which one made them.
const Version = build.Version

// Classifier is a trained model. It may be used concurrently, through one Scorer
// per goroutine.
type Classifier struct {
	m     *model.Model
	file  *model.File // where it is mapped from; nil for a model just trained
	table scoreTable
}

func newClassifier(m *model.Model, file *model.File) *Classifier {
	return &Classifier{m: m, file: file, table: newScoreTable(m)}
}

// Open maps a model file. The errors are those of package model: not a model,
// truncated, damaged, or of a newer version.
func Open(path string) (*Classifier, error) {
	file, err := model.Open(path)
	if err != nil {
		return nil, err
	}
	c := newClassifier(file.Model, file)
	if err := c.check(); err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// check refuses what this version can't score with.
func (c *Classifier) check() error {
	meta := &c.m.Meta
	switch Values(meta.Values) {
	case Binary, Count, TFIDF:
	default:
		return fmt.Errorf("nbsvm: the model has values %q, which this version does not know", meta.Values)
	}
	if Values(meta.Values) == TFIDF && c.m.IDF == nil && meta.Source == "text" {
		return fmt.Errorf("nbsvm: the model has tf-idf values but no idf")
	}
	if meta.Normalize && !c.hasRatio() && c.kind() == NBSVM {
		return fmt.Errorf("nbsvm: the model has unit-length rows but no ratio")
	}
	if meta.Source == "text" && c.m.Universe != 1<<meta.Text.Bits {
		return fmt.Errorf("nbsvm: the model has %d buckets, but its options say %d bits", c.m.Universe, meta.Text.Bits)
	}
	return nil
}

// Close unmaps the file, once calls of Score, Evaluate and the like are done with the input
// that they have at hand; what is left of it gives an error. After that, scorers must not be
// used.
func (c *Classifier) Close() error {
	if c.file == nil {
		return nil
	}
	return c.file.Close()
}

// guard runs what reads the model on one goroutine: if its file is truncated
// meanwhile, that is an error and not the end of the process.
func (c *Classifier) guard(fn func() error) error {
	if c.file == nil {
		return fn()
	}
	return c.file.Guard(fn)
}

// Save writes the model file: whole, or not at all.
func (c *Classifier) Save(path string) error {
	return atomicfile.WriteFile(path, func(w io.Writer) error {
		_, err := c.WriteTo(w)
		return err
	})
}

// WriteTo writes the model in the form of its file.
func (c *Classifier) WriteTo(w io.Writer) (n int64, err error) {
	err = c.guard(func() (err error) {
		n, err = stage.Get(context.Background(), stage.Write, func(context.Context) (int64, error) { return c.m.WriteTo(w) })
		return err
	})
	return n, err
}

// Labels are the classes, in ascending bytewise order; predictions number them.
func (c *Classifier) Labels() []string { return c.m.Meta.Labels }

// MultiLabel says whether a document may get any number of labels.
func (c *Classifier) MultiLabel() bool { return c.m.Meta.Task == "multilabel" }

// Probabilities says whether scores are probabilities; they are margins
// otherwise.
func (c *Classifier) Probabilities() bool { return c.m.Meta.Link != "margin" }

// Ready says whether the model takes ready-made features instead of text.
func (c *Classifier) TakesFeatures() bool { return c.m.Meta.Source == "svmlight" }

// Model gives the model file's contents, to be read only.
func (c *Classifier) Model() *model.Model { return c.m }

// Report tells how the model was made, as recorded in it.
func (c *Classifier) Report() (*Report, error) {
	var r Report
	if err := json.Unmarshal(c.m.Meta.Made, &r); err != nil {
		return nil, fmt.Errorf("nbsvm: the model's record of how it was made can't be read: %w", err)
	}
	return &r, nil
}

func (c *Classifier) hasRatio() bool { return c.m.Ratio != nil || c.m.SparseRatio != nil }

// ratio is the log-count ratio of a row for an output; 1 without a ratio.
func (c *Classifier) ratio(row, output int) float64 {
	switch {
	case c.m.Ratio != nil:
		return float64(c.m.Ratio.At(row*c.m.Outputs + output))
	case c.m.SparseRatio == nil:
		return 1
	}
	r := c.m.SparseRatio
	for e := r.Pairs.RowPtr[row]; e < r.Pairs.RowPtr[row+1]; e++ {
		if int(r.Pairs.Output[e]) == output {
			return float64(r.Pairs.Value.At(int(e)))
		}
	}
	return float64(r.Row.At(row)) + r.Output[output]
}

// kind is the kind of model, as far as the record tells.
func (c *Classifier) kind() Kind {
	r, err := c.Report()
	if err != nil {
		return ""
	}
	return r.Options.Kind
}
