package nbsvm

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/learn/boost"
	"github.com/seed-167f963f/nbsvm/internal/learn/train"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// Train reads labelled documents and trains a classifier on them. The classifier depends on the input and the options
// alone: not on Threads or the CPU, nor on whether the training continues from a Checkpoint.
func Train(ctx context.Context, in corpus.Input, o Options) (*Classifier, *Report, error) {
	of := o.internal()
	if o.Review != nil {
		of.Review = &o.Review.inner
	}
	c, r, err := train.Train(ctx, in, of)
	if o.Review != nil {
		o.Review.update()
	}
	if err != nil {
		return nil, nil, err
	}
	return &Classifier{c}, reportOf(r), nil
}

// Report says what a model was trained on, how, and with what result.
type Report struct {
	// Options are those of the training. What was left to nbsvm, such as AutoNgrams, is settled.
	Options Options `json:"options"`
	// Documents is the number of documents, Bytes that of the bytes of their texts, and Invalid that of the bytes
	// among them that are not valid UTF-8.
	Documents int   `json:"documents"`
	Bytes     int64 `json:"bytes"`
	Invalid   int64 `json:"invalid"`
	// Bad is the number of bad records, which were left out.
	Bad int64 `json:"bad"`
	// Classes are in the order of their numbers.
	Classes []corpus.ClassCount `json:"classes"`
	// Features says what became of the n-grams.
	Features FeatureStats `json:"features"`
	// Solution sums up the solver's work; nil if no solver was at work.
	Solution *Solution `json:"solution,omitempty"`
	// Epochs are those of an online model.
	Epochs []Epoch `json:"epochs,omitempty"`
	// Rounds are those of a gbdt model.
	Rounds []Round `json:"rounds,omitempty"`
	// Stages are the parts of the work with their durations, and Took is the duration of the whole. They are not
	// recorded in the model.
	Stages []Stage       `json:"-"`
	Took   time.Duration `json:"-"`
}

// FeatureStats say what became of the n-grams of a training set.
type FeatureStats struct {
	// Entries is the number of distinct n-grams of a document, summed over the documents; Distinct is that of the
	// distinct n-grams of all, and Selected counts those of them that the model takes into account.
	Entries  int64  `json:"entries"`
	Distinct uint64 `json:"distinct"`
	Selected uint64 `json:"selected"`
	// Buckets is the number of buckets in use, and Shared the share of them that several selected n-grams fall into.
	Buckets int     `json:"buckets"`
	Shared  float64 `json:"shared"`
	// NonZeros is the number of non-zero values of the matrix.
	NonZeros int64 `json:"non_zeros"`
}

// Solution sums up the solver's work over all outputs: one for two classes, otherwise one per class.
type Solution struct {
	// Outputs is their number, and Unconverged that of those that stopped at MaxEpochs, before they reached Tol.
	Outputs     int `json:"outputs"`
	Unconverged int `json:"unconverged"`
	// Gap is the largest relative duality gap of an output, and Epochs the largest number of epochs.
	Gap    float64 `json:"gap"`
	Epochs int     `json:"epochs"`
	// Steps is the number of coordinate updates of all outputs, and Primal and Dual are the sums of their objectives.
	Steps  int64   `json:"steps"`
	Primal float64 `json:"primal"`
	Dual   float64 `json:"dual"`
	// Took is the time spent in the solver, summed over outputs. It is not recorded in the model.
	Took time.Duration `json:"-"`
}

// Stage is a part of a training and its duration.
type Stage struct {
	Name string
	Took time.Duration
}

// Epoch is a pass of an online model over the documents.
type Epoch struct {
	// Mistakes is the number of documents that were classified wrongly when they were visited; of labels, if a document
	// has any number of them.
	Mistakes int `json:"mistakes"`
	// Accuracy on documents that are not trained on; 0 if there are none.
	Accuracy float64 `json:"accuracy,omitempty"`
}

// Round is a round of a gbdt model: one tree for every class.
type Round struct {
	// Loss is the mean log loss of the training documents.
	Loss float64 `json:"loss"`
	// Held is the mean log loss of held-out documents, and Accuracy the share of them that is classified correctly.
	Held     float64 `json:"held,omitempty"`
	Accuracy float64 `json:"accuracy,omitempty"`
}

func reportOf(r *train.Report) *Report {
	return &Report{
		Options: optionsOf(r.Options), Documents: r.Documents, Bytes: r.Bytes, Invalid: r.Invalid, Bad: r.Bad,
		Classes: r.Classes, Features: FeatureStats(r.Features), Solution: (*Solution)(r.Solution),
		Epochs: convert(r.Epochs, func(e train.Epoch) Epoch { return Epoch(e) }),
		Rounds: convert(r.Rounds, func(r boost.Round) Round { return Round(r) }),
		Stages: convert(r.Stages, func(s train.Stage) Stage { return Stage(s) }),
		Took:   r.Took,
	}
}

// Report returns what the model has recorded of its training.
func (c *Classifier) Report() (*Report, error) {
	r := new(Report)
	if err := json.Unmarshal(c.c.Model().Meta.Made, r); err != nil {
		return nil, fmt.Errorf("nbsvm: the model's record of its training can't be read: %w", err)
	}
	return r, nil
}

// Review lists what is odd about a training set. [Train] fills in that of its options.
type Review struct {
	// Warnings are about classes with few documents, labels that are alike, n-grams that give the label away, empty
	// texts, and equal texts with different labels.
	Warnings []Warning `json:"warnings"`
	// Notes say what could not be looked for.
	Notes []string `json:"notes,omitempty"`

	inner train.Review
}

// Warning is one thing that is odd about a training set.
type Warning struct {
	// Kind is few-documents, similar-labels, leakage, empty-texts, contradictions or seen-in-training.
	Kind string `json:"kind"`
	// Message describes it in a sentence.
	Message string `json:"message"`
	// Count is the number of documents, or of classes, that it is about.
	Count int `json:"count"`
	// Labels are those that it is about, or some of them if there are many.
	Labels []string `json:"labels,omitempty"`
	// Ngram is the n-gram that it is about, if any.
	Ngram string `json:"ngram,omitempty"`
	// Examples are places, or beginnings of texts.
	Examples []string `json:"examples,omitempty"`
}

func (r *Review) update() {
	r.Warnings = convert(r.inner.Warnings, func(w train.Warning) Warning { return Warning(w) })
	r.Notes = r.inner.Notes
}

// Validate compares the documents of an input, such as those for validation, with the training set, and adds a warning
// if some of them were trained on.
func (r *Review) Validate(ctx context.Context, in corpus.Input) error {
	err := r.inner.Validate(ctx, in)
	r.update()
	return err
}

// WriteText writes the warnings and notes, one below the other.
func (r *Review) WriteText(w io.Writer) error { return r.inner.WriteText(w) }

// CrossValidation is the result of [CrossValidate].
type CrossValidation struct {
	// Folds has the metrics of each fold.
	Folds []*metrics.Report
	// Times are those of the folds. They differ from run to run; all else does not.
	Times []FoldTimes
	// Documents is the number of documents of the whole input, and Labels are its classes.
	Documents int
	Labels    []string
	// MultiLabel reports whether documents have any number of labels.
	MultiLabel bool
}

// FoldTimes say how long the model of a fold took. Documents are read and hashed once for all folds, which is not part
// of it.
type FoldTimes struct {
	// Train is the time to lay out the matrix and to train on it.
	Train time.Duration
	// Score is the time to predict the fold's documents from their features.
	Score time.Duration
}

// CrossValidate trains on all folds but one and evaluates on that one, in turn. Folds are stratified: each has its share
// of every class (of every combination of labels, where documents have several). Text is read and hashed once; all that
// is learned from documents (which n-grams count, ratios, weights, thresholds) is learned without the held-out fold.
func CrossValidate(ctx context.Context, in corpus.Input, o Options, folds int) (*CrossValidation, error) {
	all, err := CrossValidateAll(ctx, in, []Options{o}, folds)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// CrossValidateAll cross-validates each of several options on the same folds. Texts are read and hashed once for those
// options that take the same n-grams from them, and those that have the same matrix share it.
func CrossValidateAll(ctx context.Context, in corpus.Input, settings []Options, folds int) ([]*CrossValidation, error) {
	all, err := train.CrossValidate(ctx, in, convert(settings, func(o Options) train.Options { return o.internal() }), folds)
	return convert(all, func(v *train.CrossValidation) *CrossValidation {
		return &CrossValidation{
			Folds: v.Folds, Times: convert(v.Times, func(t train.FoldTimes) FoldTimes { return FoldTimes(t) }),
			Documents: v.Documents, Labels: v.Labels, MultiLabel: v.MultiLabel,
		}
	}), err
}
