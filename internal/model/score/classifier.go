package score

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/base/stage"
	"github.com/seed-167f963f/nbsvm/internal/file/atomicfile"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/fasttext"
	"github.com/seed-167f963f/nbsvm/internal/model/paths"
)

// The values that features have in a document, as models name them.
const (
	binary = "binary" // 1 where it occurs
	tfidf  = "tfidf"  // its number of occurrences, times its inverse document frequency
)

// Classifier is a trained model. It may be used concurrently; a Scorer is for one goroutine.
type Classifier struct {
	m        *model.Model
	file     *model.File // where it is mapped from; nil for a model just trained
	table    scoreTable
	scorers  sync.Pool       // of *Scorer, for Predict and PredictAll
	fastText *fasttext.Model // nil for a model that is not fastText's
	rule     rule            // nil for a linear model
	badRule  error           // why there is none where there should be
	tree     *paths.Tree     // nil unless labels are paths
}

// New makes a classifier of a model that was just trained.
func New(m *model.Model) *Classifier {
	c := newClassifier(m, nil)
	c.rule, c.badRule = newRule(m)
	return c
}

func newClassifier(m *model.Model, file *model.File) *Classifier {
	return &Classifier{m: m, file: file, table: newScoreTable(m), tree: pathTree(m)}
}

// Open maps a model file, or reads one of fastText. The errors are those of package model: not a model,
// truncated, damaged, or of a newer version.
func Open(path string) (*Classifier, error) {
	if c, ok, err := openFastText(path); ok || err != nil {
		return c, err
	}
	file, err := model.Open(path)
	if err != nil {
		return nil, err
	}
	c := newClassifier(file.Model, file)
	if err := c.guard(c.check); err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// OpenBytes takes a model from the bytes of its file, and checks all of it as Open does. The bytes must not change as
// long as the classifier is in use.
func OpenBytes(data []byte) (*Classifier, error) {
	if fasttext.Is(data) {
		return readFastText(data)
	}
	m, err := model.Read(data)
	if err != nil {
		return nil, err
	}
	c := New(m)
	if err := c.check(); err != nil {
		return nil, err
	}
	return c, nil
}

// OpenFS reads a model file of a file system, such as an embed.FS, and checks all of it as Open does.
func OpenFS(files fs.FS, name string) (*Classifier, error) {
	data, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, fmt.Errorf("nbsvm: reading a model: %w", err)
	}
	c, err := OpenBytes(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return c, nil
}

// check refuses what this version can't score with.
func (c *Classifier) check() error {
	meta := &c.m.Meta
	if c.rule, c.badRule = newRule(c.m); c.badRule != nil {
		return c.badRule
	}
	if meta.Source == fastTextSource && c.m.FastText != nil {
		return c.decodeFastText()
	}
	if sources[meta.Source] == nil {
		return fmt.Errorf("nbsvm: the model takes features of %q, which this version does not know", meta.Source)
	}
	switch meta.Values {
	case binary, "count", tfidf:
	default:
		return fmt.Errorf("nbsvm: the model has values %q, which this version does not know", meta.Values)
	}
	if meta.Values == tfidf && c.m.IDF == nil && meta.Source == "text" {
		return fmt.Errorf("nbsvm: the model has tf-idf values but no idf")
	}
	if meta.Normalize && !c.hasRatio() && c.made().Options.Kind == "nbsvm" {
		return fmt.Errorf("nbsvm: the model has unit-length rows but no ratio")
	}
	if meta.Source == "text" && c.m.Universe != 1<<meta.Text.Bits {
		return fmt.Errorf("nbsvm: the model has %d buckets, but its options say %d bits", c.m.Universe, meta.Text.Bits)
	}
	return nil
}

// Close unmaps the file, once calls of Score, Evaluate and the like are done with the input
// that they have at hand; what is left of it gives an error, as all does that uses the model
// later (fs.ErrClosed). Predict and PredictFeatures are not waited for: they must be done. Of a
// classifier that has no file of its own there is nothing to close.
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

// protect is guard for what is too short to keep Close waiting for it.
func (c *Classifier) protect(fn func() error) error {
	if c.file == nil {
		return fn()
	}
	return c.file.Protect(fn)
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
		n, err = stage.Get(context.Background(), stage.Write, func(context.Context) (int64, error) { return c.whole().WriteTo(w) })
		return err
	})
	if c.file != nil && errors.Is(err, model.ErrCorrupt) { // it was good when it was opened
		err = c.file.Lost()
	}
	return n, err
}

// Labels are the classes, in ascending bytewise order; predictions number them.
func (c *Classifier) Labels() []string { return c.m.Meta.Labels }

// MultiLabel says whether a document may get any number of labels.
func (c *Classifier) MultiLabel() bool { return c.m.Meta.Task == "multilabel" }

// Probabilities says whether scores are probabilities; they are margins
// otherwise.
func (c *Classifier) Probabilities() bool { return c.m.Meta.Link != "margin" }

// HasMargins says whether predictions have margins; those of models of fastText have none.
func (c *Classifier) HasMargins() bool { return c.fastText == nil }

// Format is the format that documents must have for the model: corpus.SVMLight or VW where it was trained on it. Auto
// leaves it to the documents.
func (c *Classifier) Format() corpus.Format {
	if c.TakesFeatures() {
		return corpus.SVMLight
	}
	if c.m.Meta.Source == "text" && c.m.Meta.Text.Tokenizer == hashing.VW {
		return corpus.VW
	}
	return corpus.Auto
}

// TakesFeatures says whether the model takes ready-made features instead of text.
func (c *Classifier) TakesFeatures() bool { return c.m.Meta.Source == "svmlight" }

// Model gives the model file's contents, to be read only.
func (c *Classifier) Model() *model.Model { return c.m }

func (c *Classifier) hasRatio() bool { return c.m.Ratio != nil || c.m.SparseRatio != nil }

// made is what a model's record of how it was made says that matters here.
type made struct {
	Options struct {
		Kind string  `json:"model"`
		Loss string  `json:"loss"`
		Bias float64 `json:"bias"`
	} `json:"options"`
	Solution *struct{} `json:"solution"` // nil for a model that no solver trained
}

// made reads the record; it is empty if it can't be read.
func (c *Classifier) made() (m made) {
	if err := json.Unmarshal(c.m.Meta.Made, &m); err != nil {
		return made{}
	}
	return m
}
