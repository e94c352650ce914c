package score

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"sync"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/explain"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/fasttext"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
	"github.com/seed-167f963f/nbsvm/internal/par"
)

// The values that features have in a document, as models name them.
const (
	binary = "binary" // 1 where it occurs
	byWord = model.ByWord
	count  = "count" // its number of occurrences
	tfidf  = "tfidf" // the same, times its inverse document frequency

	logCount = "log-count" // 1 + log(count) for count
	logTFIDF = "log-tfidf"
)

// Classifier is what a trained model predicts with, behind the Classifier of package nbsvm. It may be used
// concurrently; a Scorer is for one goroutine.
type Classifier struct {
	m        *model.Model
	file     *model.File     // where it is mapped from; nil for a model in memory
	tree     *model.Tree     // nil unless labels are in a tree
	parents  []int32         // of labels of which a document has those above, too; nil of others
	rule     rule            // nil of models of fastText
	table    func() *table   // made at the first call
	fastText *fasttext.Model // which finds features and scores by itself; nil of other models
	scorers  sync.Pool       // of *Scorer, for Predict and PredictAll
	among    []bool          // the classes that Restrict has left; nil for all
}

// New makes a classifier of a model that was just trained.
func New(m *model.Model) *Classifier {
	c, err := newClassifier(m, nil)
	if err != nil {
		panic(err) // whoever trained the model has made a rule that can't be read
	}
	return c
}

// newClassifier makes a classifier of a model. If its rule can't be read, that is an error.
func newClassifier(m *model.Model, file *model.File) (*Classifier, error) {
	r, err := newRule(m)
	if err != nil {
		return nil, err
	}
	return &Classifier{
		m: m, file: file, tree: treeOf(m), parents: parentsOf(m),
		rule: r, table: sync.OnceValue(func() *table { return newTable(m) }),
	}, nil
}

// open makes a classifier of a model that was read, and refuses what this version can't score with.
func open(m *model.Model, file *model.File) (*Classifier, error) {
	c, err := newClassifier(m, file)
	if err == nil {
		err = checkFeatures(m)
	}
	return c, err
}

// checkFeatures refuses a model whose features this version does not know.
func checkFeatures(m *model.Model) error {
	switch meta := &m.Meta; {
	case sources[meta.Source] == nil:
		return fmt.Errorf("nbsvm: the model takes features of type %q, which this version of nbsvm does not know",
			meta.Source)
	case !slices.Contains([]string{binary, byWord, count, logCount, tfidf, logTFIDF}, meta.Values):
		return fmt.Errorf("nbsvm: the model has feature values of type %q, which this version of nbsvm does not know",
			meta.Values)
	case (meta.Values == tfidf || meta.Values == logTFIDF) && m.IDF == nil && meta.Source == "text":
		return errors.New("nbsvm: the model has tf-idf values but no idf")
	case m.Sparse != nil && uint64(m.Sparse.Entries())+uint64(m.Keys.Size()) > math.MaxUint32:
		return errors.New("nbsvm: the model has more than 2^32 weights, which is more than this version of nbsvm can score with")
	case meta.Normalize && m.Ratio == nil && madeOf(m).Options.Kind == "nbsvm":
		return errors.New("nbsvm: the model has unit-length rows but no ratio")
	}
	return nil
}

// Open maps a model file, or reads one of fastText. The errors are those of package model: not a model,
// truncated, damaged, or of a newer version.
func Open(path string) (*Classifier, error) {
	if c, ok, err := openFastText(path); ok || err != nil {
		return c, err
	}
	c, _, err := openOwn(path)
	return c, err
}

// openOwn maps a file that is none of fastText, and lists its sections as package model does.
func openOwn(path string) (c *Classifier, sections []model.Section, err error) {
	file, sections, err := model.Open(path)
	if err != nil {
		return nil, sections, err
	}
	err = file.Guard(func() (err error) {
		c, err = open(file.Model, file)
		return err
	})
	if err != nil {
		file.Close()
		return nil, sections, fmt.Errorf("%s: %w", path, err)
	}
	return c, sections, nil
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
	return open(m, nil)
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

// Guard runs what reads the model on one goroutine: if its file is truncated
// meanwhile, that is an error and not the end of the process.
func (c *Classifier) Guard(fn func() error) error {
	if c.file == nil {
		return fn()
	}
	return c.file.Guard(fn)
}

// protect is like Guard for what is too short to keep Close waiting for it.
func (c *Classifier) protect(fn func() error) error {
	if c.file == nil {
		return fn()
	}
	return c.file.Protect(fn)
}

// Save writes the model file: whole, or not at all.
func (c *Classifier) Save(path string) error {
	return osfile.WriteFile(path, func(w io.Writer) error {
		_, err := c.WriteTo(w)
		return err
	})
}

// WriteTo writes the model in the form of its file. A model of fastText has no other form than the file it is in.
func (c *Classifier) WriteTo(w io.Writer) (n int64, err error) {
	if c.fastText != nil {
		return 0, errors.New("nbsvm: a fastText model can't be saved as a model of nbsvm: copy its .bin or .ftz file")
	}
	_, end := par.WithStage(context.Background(), par.StageWrite)
	defer end()
	err = c.Guard(func() (err error) {
		n, err = c.m.WriteTo(w)
		return err
	})
	if c.file != nil && errors.Is(err, model.ErrCorrupt) { // it was good when it was opened
		err = c.file.Lost()
	}
	return n, err
}

// Labels returns the classes, in ascending bytewise order; predictions number them.
func (c *Classifier) Labels() []string { return c.m.Meta.Labels }

// MultiLabel reports whether a document may get any number of labels.
func (c *Classifier) MultiLabel() bool { return c.m.Meta.Task == "multilabel" }

// Probabilities reports whether scores are probabilities; they are margins or numbers otherwise.
func (c *Classifier) Probabilities() bool { return c.m.Meta.Link != "margin" && !c.Numbers() }

// Numbers reports whether the model predicts a number in place of a class.
func (c *Classifier) Numbers() bool { return c.m.Meta.Task == "regression" }

// HasMargins reports whether predictions have margins; those of models of fastText have none.
func (c *Classifier) HasMargins() bool { return c.fastText == nil }

// LabelPrefix returns what fastText puts in front of the labels: __label__, unless it was trained with another prefix,
// which its labels have kept.
func (c *Classifier) LabelPrefix() string {
	if c.fastText != nil {
		return c.fastText.LabelPrefix()
	}
	return fasttext.DefaultPrefix
}

// Least returns the least score that passes a threshold. Of fastText's probabilities it is a little more than that, as
// fastText shows a little more than what it compares.
func (c *Classifier) Least(threshold float64) float64 {
	if c.fastText != nil {
		return fasttext.Least(threshold)
	}
	return threshold
}

// Format returns the format that documents must have for the model: corpus.SVMLight where it was trained on it.
// Auto leaves it to the documents.
func (c *Classifier) Format() corpus.Format {
	if c.TakesFeatures() {
		return corpus.SVMLight
	}
	return corpus.Auto
}

// TakesFeatures reports whether the model takes ready-made features instead of text.
func (c *Classifier) TakesFeatures() bool { return c.m.Meta.Source == "svmlight" }

// FastText is nil unless the model is one of fastText's.
func (c *Classifier) FastText() *fasttext.Model { return c.fastText }

// Fallback is the label of a document without any feature, where it must have one and the prediction has none.
func (c *Classifier) Fallback() int {
	if c.fastText == nil {
		return 0
	}
	return c.fastText.Frequent()
}

// Strongest lists for every class the n features that matter most for it, the most important first, ties by key, among
// the rows that include accepts; of fastText's models, words.
func (c *Classifier) Strongest(n int, include func(row int) bool) [][]explain.Feature {
	if c.fastText != nil {
		return c.strongestWords(n)
	}
	return c.rule.strongest(n, include)
}

// checkWeights returns the error of a use of weights, if the model has none that could be used so.
func (c *Classifier) checkWeights(use string) error {
	switch {
	case c.fastText != nil:
		return fmt.Errorf("nbsvm: a fastText model can't be %s; only models that nbsvm has trained can", use)
	case c.m.Rule != nil:
		return fmt.Errorf("nbsvm: a %s model has no weights and can't be %s; only linear models, such as svm, can",
			madeOf(c.m).Options.Kind, use)
	}
	return nil
}

// Model gives the model file's contents, to be read only.
func (c *Classifier) Model() *model.Model { return c.m }

// made is what a model's record of how it was made says that matters here.
type made struct {
	Options struct {
		Kind string  `json:"model"`
		Loss string  `json:"loss"`
		Bias float64 `json:"bias"`
	} `json:"options"`
	Solution *struct{} `json:"solution"` // nil for a model that no solver trained
}

// madeOf reads the record; it is empty if it can't be read.
func madeOf(m *model.Model) (r made) {
	if err := json.Unmarshal(m.Meta.Made, &r); err != nil {
		return made{}
	}
	return r
}
