package nbsvm

import (
	"context"
	"io"
	"io/fs"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/explain"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/fasttext"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// Classifier is a trained model. Any number of goroutines may use it at once. A classifier that was opened must be
// closed. The zero value is not usable: [Train], [Open], [OpenBytes] and [OpenFS] make classifiers.
type Classifier struct{ c *score.Classifier }

// What can be wrong with a model file, for [errors.Is].
var (
	ErrNotModel     error = errNotModel     // the file is not a model
	ErrNewerVersion error = errNewerVersion // a newer version of nbsvm wrote it
	ErrTruncated    error = errTruncated    // its end is missing
	ErrChecksum     error = errChecksum     // its bytes have changed
	ErrCorrupt      error = errCorrupt      // its checksums are right, its contents are not
)

// The errors of the package that reads the file have names of this package, so that their documentation stands alone.
var (
	errNotModel     = model.ErrNotModel
	errNewerVersion = model.ErrNewerVersion
	errTruncated    = model.ErrTruncated
	errChecksum     = model.ErrChecksum
	errCorrupt      = model.ErrCorrupt
)

// Open maps a model file into memory and checks all of it, so that files from anywhere are safe to open. Models of
// fastText, .bin and .ftz, are opened as well. Do not write to the file while the classifier is in use; to replace it by
// renaming another file is safe.
func Open(path string) (*Classifier, error) { return classifier(score.Open(path)) }

// OpenBytes makes a classifier from the bytes of a model file, as go:embed and object stores have them, and checks all
// of them. The bytes must not change while the classifier is in use.
func OpenBytes(data []byte) (*Classifier, error) { return classifier(score.OpenBytes(data)) }

// OpenFS reads a model file of a file system, such as an embed.FS, and checks all of it.
func OpenFS(files fs.FS, name string) (*Classifier, error) {
	return classifier(score.OpenFS(files, name))
}

func classifier(c *score.Classifier, err error) (*Classifier, error) {
	if err != nil {
		return nil, err
	}
	return &Classifier{c}, nil
}

// IsModel reports whether the file at path begins as models do, those of nbsvm or of fastText.
func IsModel(path string) bool {
	head := dataset.Head(path)
	return model.Is(head) || fasttext.Is(head)
}

// Close unmaps the file. Calls of Score, Evaluate and the like that are running finish the input at hand and return an
// error that wraps fs.ErrClosed, as all later uses do. Close does not wait for Predict and PredictFeatures: they must
// have returned. For a classifier without a file, Close does nothing.
func (c *Classifier) Close() error { return c.c.Close() }

// Save writes the model to a file, whole or not at all.
func (c *Classifier) Save(path string) error { return c.c.Save(path) }

// WriteTo writes the bytes of the model file to w.
func (c *Classifier) WriteTo(w io.Writer) (n int64, err error) { return c.c.WriteTo(w) }

// Labels returns the names of the classes, by number. The slice must not be changed.
func (c *Classifier) Labels() []string { return c.c.Labels() }

// MultiLabel reports whether a document may get any number of labels.
func (c *Classifier) MultiLabel() bool { return c.c.MultiLabel() }

// Probabilities reports whether scores are probabilities; otherwise they are margins.
func (c *Classifier) Probabilities() bool { return c.c.Probabilities() }

// HasMargins reports whether predictions have margins; those of fastText's models have none.
func (c *Classifier) HasMargins() bool { return c.c.HasMargins() }

// Thresholds returns, for each output of a multi-label model, the margin above which a document gets the label.
func (c *Classifier) Thresholds() []float64 { return c.c.Model().Threshold }

// TakesFeatures reports whether the model takes ready-made features instead of text.
func (c *Classifier) TakesFeatures() bool { return c.c.TakesFeatures() }

// Text returns how the model turns texts into n-grams; the zero value if it takes ready-made features.
func (c *Classifier) Text() hashing.Options { return c.c.Model().Meta.Text }

// Format returns the format that documents must have for the model: [corpus.SVMLight] or [corpus.VW] if it was trained
// on that, and otherwise [corpus.Auto].
func (c *Classifier) Format() corpus.Format { return c.c.Format() }

// Reading returns how the training documents were read, if that was recorded, for [corpus.Input.Like].
func (c *Classifier) Reading() corpus.Reading { return c.c.Model().Meta.Input }

// LabelPrefix returns what fastText writes in front of the labels: __label__, or another prefix that its model was
// trained with.
func (c *Classifier) LabelPrefix() string { return c.c.LabelPrefix() }

// LeastScore returns the least score that passes a threshold. It is the threshold itself, except for fastText's
// probabilities, of which fastText prints a little more than it compares.
func (c *Classifier) LeastScore(threshold float64) float64 { return c.c.Least(threshold) }

// ExactScores returns the probabilities that documents have exactly these labels, given their scores. They differ from
// the scores if labels are paths: the score of a path is the probability of all that is below it, too.
func (c *Classifier) ExactScores(scores []float64) []float64 { return c.c.Exact(scores) }

// Within reports whether the label is the other one or, where labels are paths, below it. Both are numbers of classes.
func (c *Classifier) Within(label, other int) bool {
	tree := c.c.Paths()
	return label == other || tree != nil && tree.Within(label, other)
}

// Predict classifies a text or, if the model takes these, ready-made features in SVMlight text ("index:value …"). Any
// number of goroutines may call it at once, and the prediction is the caller's to keep. A [Scorer] does without the
// memory for that.
func (c *Classifier) Predict(text []byte) (Prediction, error) {
	p, err := c.c.Predict(text)
	return Prediction(p), err
}

// Best returns the n classes with the largest scores in a prediction of the classifier, best first, ties by number. If
// labels are paths, the predicted one comes first, followed by those in which the document is likely to be, and not below.
func (c *Classifier) Best(p *Prediction, n int) []int { return c.c.Best((*score.Prediction)(p), n) }

// PredictBest returns the class with the highest score, by number, or -1 if there is none. It needs less time than
// Predict and no memory. In a multi-label model, the class may be one that Predict leaves out.
func (c *Classifier) PredictBest(text []byte) (class int, score float64, err error) {
	return c.c.PredictBest(text)
}

// PredictAll classifies texts on all processors. It passes to visit what Predict would return for texts[k], from several
// goroutines at once and in no order; the prediction is valid until visit returns. PredictAll stops at the first text
// that can't be classified, which only ready-made features can be, and returns the error. Of the options, Threads and
// OnlyBest have an effect.
func (c *Classifier) PredictAll(ctx context.Context, texts [][]byte, o ScoreOptions, visit func(k int, p *Prediction)) error {
	return c.c.PredictAll(ctx, texts, o.internal(), func(k int, p *score.Prediction) {
		visit(k, (*Prediction)(p))
	})
}

// Explain returns, for every class, the n features that speak most strongly for it, of those whose names the model
// stores.
func (c *Classifier) Explain(n int) ([]explain.Class, error) { return c.c.Explain(n) }

// Weights visits the features of the model by ascending number, each with its weight for every class. The first visit is
// of the bias, with a nil feature. Of two classes the weights are each other's negatives. What is visited is valid until
// visit returns.
func (c *Classifier) Weights(visit func(f *explain.Feature, weights []float64) error) error {
	return c.c.Weights(visit)
}

// Quantize returns the classifier with weights and ratios of 16 or 8 bits, and the errors of rounding them. It shares
// memory with c, which must not be closed while the returned classifier is in use.
func (c *Classifier) Quantize(bits int) (*Classifier, []Rounding, error) {
	q, all, err := c.c.Quantize(bits)
	if err != nil {
		return nil, nil, err
	}
	return &Classifier{q}, convert(all, func(r model.Rounding) Rounding { return Rounding(r) }), nil
}

// Rounding says what quantizing did to the numbers of a section of a model.
type Rounding struct {
	// Section is the name of the section in a file of 32 bits, and Numbers how many numbers it has.
	Section string `json:"section"`
	Numbers int    `json:"numbers"`
	// Largest is the largest magnitude of a number, and Worst that of a rounding error.
	Largest float64 `json:"largest"`
	Worst   float64 `json:"worst"`
	// RMS is the root mean square of the errors, divided by that of the numbers; 0 if all are 0.
	RMS float64 `json:"rms"`
}

// Compare evaluates the classifier and its quantized form on a labelled input, which is read once.
func (c *Classifier) Compare(
	ctx context.Context, in corpus.Input, o ScoreOptions, quantized *Classifier,
) (*Comparison, error) {
	x, err := c.c.Compare(ctx, in, o.internal(), quantized.c)
	return (*Comparison)(x), err
}

// Comparison says what quantizing did to the predictions of a model.
type Comparison struct {
	// Before and After are the metrics of the two models.
	Before *metrics.Report `json:"before"`
	After  *metrics.Report `json:"after"`
	// Changed is the number of documents that got other labels, and Largest the largest change of a score.
	Changed int     `json:"changed"`
	Largest float64 `json:"largest"`
	// Loss is by how much Metric fell: micro_f1 of a multi-label model, accuracy of others.
	Metric string  `json:"metric"`
	Loss   float64 `json:"loss"`
}

// ExportMatrix writes the documents of an input in SVMlight text as the solver sees them: with ratio, idf and unit length
// applied, without the bias feature. class names the class to set against the rest, where each has a ratio of its own.
// For the training documents, this is the solver's own matrix, except for n-grams that training left out (see
// [Options.MinDF]) in a bucket that several others share.
func (c *Classifier) ExportMatrix(ctx context.Context, in corpus.Input, o ScoreOptions, class string, w io.Writer) error {
	return c.c.ExportMatrix(ctx, in, o.internal(), class, w)
}

// ExportLiblinear writes the model in the format of LIBLINEAR's predict, for what ExportMatrix writes.
func (c *Classifier) ExportLiblinear(class string, w io.Writer) error {
	return c.c.ExportLiblinear(class, w)
}

// LiblinearLabels maps LIBLINEAR's numbers of classes, in what ExportMatrix and ExportLiblinear write, to labels. nil
// stands for all classes but the one that is set against them.
func (c *Classifier) LiblinearLabels(class string) (map[int]*string, error) {
	return c.c.LiblinearLabels(class)
}

// ExportFastText writes the model in fastText's format. A model of fastText has the same labels and probabilities there.
// A model of nbsvm must take single words that count as often as they occur; it has the same labels, and other
// probabilities, since fastText divides margins by the number of words. If labels can't be the same, ExportFastText
// writes nothing, and the error says why. The input must have all training documents, from which the words are taken;
// for models of fastText it is nil.
func (c *Classifier) ExportFastText(ctx context.Context, in *corpus.Input, o ScoreOptions, w io.Writer) error {
	return c.c.ExportFastText(ctx, in, o.internal(), w)
}
