package nbsvm

import (
	"errors"
	"io"
	"io/fs"
	"math"
	"unsafe"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/explain"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/fasttext"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// Classifier is a trained model. Any number of goroutines may use it at once. Get one from [Train], [Open], [OpenFS]
// or [OpenBytes]; the zero value is not usable.
type Classifier struct{ c *score.Classifier }

// What can be wrong with a model file, for [errors.Is].
var (
	ErrNotModel     error // the file is not a model
	ErrNewerVersion error // a newer version of nbsvm wrote it
	ErrTruncated    error // its end is missing
	ErrChecksum     error // its bytes have changed
	ErrCorrupt      error // its checksums are right, its contents are not
)

// The errors are those of the package that reads the file. They are set here so that their documentation stands alone.
func init() {
	ErrNotModel, ErrNewerVersion, ErrTruncated = model.ErrNotModel, model.ErrNewerVersion, model.ErrTruncated
	ErrChecksum, ErrCorrupt = model.ErrChecksum, model.ErrCorrupt
}

// Open opens a model file: one of nbsvm, or a .bin or .ftz file of fastText. It checks the whole file, so that files
// from anywhere are safe to open. Close the classifier when you no longer need it.
//
// Open maps the file into memory. While the classifier is in use, do not write to the file; to replace it by renaming
// another file is safe.
func Open(path string) (*Classifier, error) { return classifier(score.Open(path)) }

// OpenBytes opens a model in memory, such as an embedded file or an object from a store, and checks all of it. The
// classifier refers to data, which must not change. It need not be closed.
func OpenBytes(data []byte) (*Classifier, error) { return classifier(score.OpenBytes(data)) }

// OpenFS reads a model file from a file system, such as an [embed.FS], and checks all of it. The classifier need not
// be closed.
func OpenFS(files fs.FS, name string) (*Classifier, error) {
	if files == nil {
		return nil, errors.New("nbsvm: files is nil: give a file system")
	}
	return classifier(score.OpenFS(files, name))
}

func classifier(c *score.Classifier, err error) (*Classifier, error) {
	if err != nil {
		return nil, err
	}
	return &Classifier{c}, nil
}

// IsModel reports whether the file at path begins like a model of nbsvm or fastText. A missing file does not; one that
// can't be read is an error.
func IsModel(path string) (bool, error) {
	head, err := osfile.ReadHead(path)
	return model.Is(head) || fasttext.Is(head), err
}

// Close releases the file of a classifier from [Open]. Calls of Predict and PredictFeatures must have returned; other
// calls that are still running fail. All later uses return an error that wraps [fs.ErrClosed]. For other classifiers,
// Close does nothing.
func (c *Classifier) Close() error { return c.c.Close() }

// Save writes the model to a file. The file appears under its name once it is complete, and replaces an earlier one.
func (c *Classifier) Save(path string) error { return c.c.Save(path) }

// WriteTo writes what Save writes to w. It implements [io.WriterTo].
func (c *Classifier) WriteTo(w io.Writer) (n int64, err error) { return c.c.WriteTo(w) }

// Labels returns the labels of the classes. A class's number is its place here. Do not change the slice.
func (c *Classifier) Labels() []string { return c.c.Labels() }

// Restrict has the classifier choose among some of its labels. Others are never predicted, and their Scores become 0 or,
// of margins, −Inf. If a document has exactly one label, probabilities are divided by their sum, as if it were known
// that the document has one of these. Margins stay. It returns an error if the model lacks a label, or if its labels
// are in a tree. It must not be called while the classifier is in use.
func (c *Classifier) Restrict(labels ...string) error { return c.c.Restrict(labels) }

// MultiLabel reports whether a document may get any number of labels, rather than exactly one.
func (c *Classifier) MultiLabel() bool { return c.c.MultiLabel() }

// Numbers reports whether the model predicts a number in place of a class. Its only label is then "score", and its
// score the number.
func (c *Classifier) Numbers() bool { return c.c.Numbers() }

// Probabilities reports whether scores are probabilities. Otherwise they are margins, or numbers.
func (c *Classifier) Probabilities() bool { return c.c.Probabilities() }

// TakesFeatures reports whether the model takes features ("index:value …") instead of text.
func (c *Classifier) TakesFeatures() bool { return c.c.TakesFeatures() }

// Text returns how the model turns text into n-grams. It is the zero value if the model takes features.
func (c *Classifier) Text() hashing.Options { return c.c.Model().Meta.Text }

// Format returns the format that input files must have: [corpus.SVMLight] if the model was trained on that, and
// otherwise [corpus.Auto].
func (c *Classifier) Format() corpus.Format { return c.c.Format() }

// Reading returns how the training documents were read, for [corpus.Input].Like, if the training recorded it.
func (c *Classifier) Reading() corpus.Reading { return c.c.Model().Meta.Input }

// Classify returns the label of a text and its score. If a document may have any number of labels, it is the one with
// the highest score, whether or not it passes its threshold. The label is "" if a fastText model knows no word of the
// text. A model that takes features classifies these, "index:value …". Classify allocates no memory, and any number of
// goroutines may call it at once.
func (c *Classifier) Classify(text string) (label string, score float64, err error) {
	class, score, err := c.c.PredictBest(bytesOf(text))
	if class >= 0 {
		label = c.Labels()[class]
	}
	return label, score, err
}

// Top returns the n labels of a text with the highest scores, best first, and all labels if there are fewer. Equal
// scores are in the order of Labels, or as fastText orders them if it has trained the model. If labels are paths, the
// predicted path comes first.
func (c *Classifier) Top(text string, n int) ([]LabelScore, error) {
	p, err := c.c.Predict(bytesOf(text))
	if err != nil {
		return nil, err
	}
	var top []LabelScore
	for _, class := range c.c.Best(&p, max(n, 0), math.Inf(-1)) {
		top = append(top, LabelScore{c.Labels()[class], p.Scores[class]})
	}
	return top, nil
}

// bytesOf returns the bytes of a text, which must not be changed.
func bytesOf(text string) []byte { return unsafe.Slice(unsafe.StringData(text), len(text)) }

// Predict returns all that a model says of a text, or of features ("index:value …") if it takes these. Any number of
// goroutines may call it at once, and the prediction is yours to keep. If allocations matter, use a [Scorer].
func (c *Classifier) Predict(text []byte) (Prediction, error) {
	p, err := c.c.Predict(text)
	return Prediction(p), err
}

// Explain returns, for each class, the n features with the strongest evidence for it, among those whose names the model
// stores. A negative n stands for 0.
func (c *Classifier) Explain(n int) ([]explain.Class, error) { return c.c.Explain(max(n, 0)) }

// Weights calls visit for each feature of the model, in ascending order of number, with its weight for each class. The
// first call has a nil feature and the biases. The arguments are valid until visit returns.
func (c *Classifier) Weights(visit func(f *explain.Feature, weights []float64) error) error {
	if visit == nil {
		return errors.New("nbsvm: visit is nil: give a function that takes the weights")
	}
	return c.c.Weights(visit)
}
