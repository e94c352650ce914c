package nbsvm

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"math"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/explain"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/fasttext"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
	"github.com/seed-167f963f/nbsvm/metrics"
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

// IsModel reports whether the file at path begins like a model of nbsvm or fastText.
func IsModel(path string) bool {
	head := osfile.ReadHead(path)
	return model.Is(head) || fasttext.Is(head)
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

// MultiLabel reports whether a document may get any number of labels, rather than exactly one.
func (c *Classifier) MultiLabel() bool { return c.c.MultiLabel() }

// Probabilities reports whether scores are probabilities. Otherwise they are margins.
func (c *Classifier) Probabilities() bool { return c.c.Probabilities() }

// HasMargins reports whether predictions have margins. Those of fastText models have none.
func (c *Classifier) HasMargins() bool { return c.c.HasMargins() }

// Thresholds returns, for each output of a multi-label model, the margin above which a document gets the label. It is
// nil for other models.
func (c *Classifier) Thresholds() []float64 { return c.c.Model().Threshold }

// TakesFeatures reports whether the model takes features ("index:value …") instead of text.
func (c *Classifier) TakesFeatures() bool { return c.c.TakesFeatures() }

// Text returns how the model turns text into n-grams. It is the zero value if the model takes features.
func (c *Classifier) Text() hashing.Options { return c.c.Model().Meta.Text }

// Format returns the format that input files must have: [corpus.SVMLight] or [corpus.VW] if the model was trained on
// that, and otherwise [corpus.Auto].
func (c *Classifier) Format() corpus.Format { return c.c.Format() }

// Reading returns how the training documents were read, for [corpus.Input].Like, if the training recorded it.
func (c *Classifier) Reading() corpus.Reading { return c.c.Model().Meta.Input }

// LabelPrefix returns what a fastText model writes before labels: __label__, unless it was trained with another
// prefix.
func (c *Classifier) LabelPrefix() string { return c.c.LabelPrefix() }

// LeastScore returns the lowest score that passes a threshold. This is the threshold itself, except for fastText
// models, which print slightly larger probabilities than they compare.
func (c *Classifier) LeastScore(threshold float64) float64 { return c.c.Least(threshold) }

// ExactScores turns the scores of a prediction into the probabilities that a document has exactly these labels. The
// two only differ if labels are paths, since the score of a path includes all that is below it.
func (c *Classifier) ExactScores(scores []float64) []float64 { return c.c.Exact(scores) }

// Within reports whether a class is the same as another or, if labels are paths, below it.
func (c *Classifier) Within(label, other int) bool {
	tree := c.c.Paths()
	return label == other || tree != nil && tree.Within(label, other)
}

// PathSeparator returns what stands between the parts of labels that are paths (see [Hierarchy]); "" if they are none.
func (c *Classifier) PathSeparator() string {
	if tree := c.c.Paths(); tree != nil {
		return tree.Separator
	}
	return ""
}

// Predict classifies a text, or features ("index:value …") if the model takes these. Any number of goroutines may call
// it at once, and the prediction is yours to keep. If allocations matter, use a [Scorer].
func (c *Classifier) Predict(text []byte) (Prediction, error) {
	p, err := c.c.Predict(text)
	return Prediction(p), err
}

// Best returns the numbers of the n classes with the highest scores in a prediction, best first, and all classes if
// there are fewer. Equal scores are ordered by number, or as fastText orders them if it has trained the model. If labels
// are paths, the predicted path comes first.
func (c *Classifier) Best(p *Prediction, n int) []int { return c.BestFrom(p, n, math.Inf(-1)) }

// BestFrom is Best without classes whose score is below least (see [Classifier.LeastScore]).
func (c *Classifier) BestFrom(p *Prediction, n int, least float64) []int {
	return c.c.Best((*score.Prediction)(p), max(n, 0), least)
}

// PredictBest returns the number of the class with the highest score, and that score. It is faster than Predict and
// allocates no memory. class is -1 if a fastText model knows nothing of the text. If a document may have any number of
// labels, the class need not be among those that Predict returns.
func (c *Classifier) PredictBest(text []byte) (class int, score float64, err error) {
	return c.c.PredictBest(text)
}

// PredictAll classifies texts in memory on all processors. It calls visit with the prediction of each texts[k], from
// several goroutines at once and in any order. The prediction is valid until visit returns. PredictAll stops at the
// first text that cannot be classified, which only happens to models that take features. Of the options, only Threads
// and OnlyBest count.
func (c *Classifier) PredictAll(ctx context.Context, texts [][]byte, o ScoreOptions, visit func(k int, p *Prediction)) error {
	if visit == nil {
		return errors.New("nbsvm: visit is nil: give a function that takes the predictions")
	}
	return c.c.PredictAll(ctx, texts, o.internal(), func(k int, p *score.Prediction) {
		visit(k, (*Prediction)(p))
	})
}

// Explain returns, for each class, the n features that speak most strongly for it, among those whose names the model
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

// Quantize returns a classifier with weights and ratios of 8 bits instead of 32, and the rounding errors. The
// two classifiers share memory: do not close c while the other is in use.
func (c *Classifier) Quantize() (*Classifier, []Rounding, error) {
	q, all, err := c.c.Quantize()
	if err != nil {
		return nil, nil, err
	}
	return &Classifier{q}, convert(all, func(r model.Rounding) Rounding { return Rounding(r) }), nil
}

// Rounding says how precisely the numbers in a section of a model were rounded.
type Rounding struct {
	// Section is the name of the section, and Numbers how many numbers it has.
	Section string `json:"section"`
	Numbers int    `json:"numbers"`
	// Largest is the largest magnitude of a number, and Worst the largest rounding error.
	Largest float64 `json:"largest"`
	Worst   float64 `json:"worst"`
	// RMS is the root mean square of the errors, divided by that of the numbers; 0 if all numbers are 0.
	RMS float64 `json:"rms"`
}

// Compare evaluates the classifier and a smaller form of it, such as a quantized one, on the same labelled input.
func (c *Classifier) Compare(
	ctx context.Context, in corpus.Input, o ScoreOptions, smaller *Classifier,
) (*Comparison, error) {
	if smaller == nil {
		return nil, errors.New("nbsvm: the classifier to compare with is nil")
	}
	x, err := c.c.Compare(ctx, in, o.internal(), smaller.c)
	return (*Comparison)(x), err
}

// Comparison says how much quantizing changed the predictions of a model.
type Comparison struct {
	// Before and After are the metrics of the two models.
	Before *metrics.Report `json:"before"`
	After  *metrics.Report `json:"after"`
	// Changed is the number of documents whose labels changed, and Largest the largest change of a score.
	Changed int     `json:"changed"`
	Largest float64 `json:"largest"`
	// Metric is micro_f1 if documents have any number of labels, and otherwise accuracy. Loss is by how much it fell.
	Metric string  `json:"metric"`
	Loss   float64 `json:"loss"`
}

// ExportMatrix writes documents as the solver sees them, in SVMlight's format: with ratio, idf and unit length
// applied, but without the bias. class names the class to set against the rest, if each class has its own ratio. For
// the training documents, the result equals the solver's matrix, except in buckets where n-grams that training left
// out (see [Options].MinDF) share a place with others.
func (c *Classifier) ExportMatrix(ctx context.Context, in corpus.Input, o ScoreOptions, class string, w io.Writer) error {
	return c.c.ExportMatrix(ctx, in, o.internal(), class, w)
}

// LinearInFeatures tells whether the model takes ready-made features, neither scaled to unit length nor, by
// [Options].KeepRatio, apart from their log-count ratios. ExportLiblinear then writes a model for such documents as they
// are, and ExportMatrix writes these.
func (c *Classifier) LinearInFeatures() bool { return c.c.LinearInFeatures() }

// ExportLiblinear writes the model in the format of LIBLINEAR, for predicting what ExportMatrix writes.
func (c *Classifier) ExportLiblinear(class string, w io.Writer) error {
	return c.c.ExportLiblinear(class, w)
}

// LiblinearLabels maps the class numbers in the output of ExportMatrix and ExportLiblinear to labels. nil stands for
// all classes but the one that is set against them.
func (c *Classifier) LiblinearLabels(class string) (map[int]*string, error) {
	return c.c.LiblinearLabels(class)
}
