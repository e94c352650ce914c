package nbsvm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/learn/train"
	"github.com/seed-167f963f/nbsvm/internal/model/boost"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// Train trains a classifier on labelled documents, from files or from memory. It returns a report of the training
// beside it.
//
// The classifier depends on the input and the options alone: not on the CPU or on Threads. A cancelled context stops the training, and the error then wraps the context's. A
// record that cannot be used is an error as well, a [corpus.RecordError], unless the input says to skip it (see
// [corpus.NewBadRecords]).
func Train(ctx context.Context, in corpus.Input, o Options) (*Classifier, *Report, error) {
	of := o.internal()
	if o.From != nil {
		of.From = o.From.c.Model()
	}
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

// errOnlyTrain is the error of what would ignore Options.From.
var errOnlyTrain = errors.New("nbsvm: From is for Train alone: cross-validation and Tune begin anew; leave it out")

// Report says what a model was trained on, how, and with what result.
type Report struct {
	// Options are those of the training. Automatic choices such as AutoNgrams are replaced by what was chosen.
	Options Options `json:"options"`
	// Documents is the number of documents, Bytes the length of their texts in bytes, and Invalid the number of bytes
	// that are not valid UTF-8.
	Documents int `json:"documents"`
	// Earlier is the number of documents of earlier trainings, of which Options.From knew; 0 without it.
	Earlier int64 `json:"earlier,omitempty"`
	Bytes   int64 `json:"bytes"`
	Invalid int64 `json:"invalid"`
	// Bad is the number of records that were skipped.
	Bad int64 `json:"bad"`
	// Reasons counts them by what is wrong with them.
	Reasons corpus.Reasons `json:"bad_reasons,omitempty"`
	// Classes are the labels and how many documents have them, in the order of Classifier.Labels.
	Classes []corpus.ClassCount `json:"classes"`
	// Candidates are the kinds of model among which Options.AutoKind chose; nil where it did not compare any.
	Candidates []Candidate `json:"candidates,omitempty"`
	// Features counts the n-grams.
	Features FeatureStats `json:"features"`
	// Solution sums up the solver's work; nil for kinds without a solver.
	Solution *Solution `json:"solution,omitempty"`
	// Pruning says which weights were dropped; nil without Options.Prune.
	Pruning *Pruning `json:"pruning,omitempty"`
	// Shrinking says what became of a model that was larger than Options.MaxModel; nil of others.
	Shrinking *Shrinking `json:"shrinking,omitempty"`
	// Epochs are the passes of an online model over the documents; nil for other kinds.
	Epochs []Epoch `json:"epochs,omitempty"`
	// Rounds are those of a GBDT model; nil for other kinds.
	Rounds []Round `json:"rounds,omitempty"`
	// Stages are the parts of the training, and Took is its whole duration. Model files do not have them.
	Stages []Stage       `json:"-"`
	Took   time.Duration `json:"-"`
}

// Candidate is a kind of model that Options.AutoKind compared with others.
type Candidate struct {
	// Kind and Normalize are the options that differ among candidates.
	Kind      Kind `json:"model"`
	Normalize bool `json:"normalize"`
	// MicroF1 is the mean micro-averaged F1 over the folds of a cross-validation, from 0 to 1: the accuracy where documents
	// have one label.
	MicroF1 float64 `json:"micro_f1"`
}

// FeatureStats counts the n-grams of a training set.
type FeatureStats struct {
	// Entries counts the pairs of a document and an n-gram in it. Distinct is the number of different n-grams, and
	// Selected the number of those that the model uses.
	Entries  int64  `json:"entries"`
	Distinct uint64 `json:"distinct"`
	Selected uint64 `json:"selected"`
	// Buckets is the number of buckets in use, and Shared the share of them, from 0 to 1, that have several selected
	// n-grams.
	Buckets int     `json:"buckets"`
	Shared  float64 `json:"shared"`
	// NonZeros is the number of non-zero values in the matrix.
	NonZeros int64 `json:"non_zeros"`
}

// Solution sums up the solver's work over all outputs of a model. There is one output for two classes, and otherwise
// one per class.
type Solution struct {
	// Outputs is the number of outputs, and Unconverged the number of those that stopped at MaxEpochs before they
	// reached Tol.
	Outputs     int `json:"outputs"`
	Unconverged int `json:"unconverged"`
	// Gap is the largest relative duality gap at which the solver stopped, and Epochs the largest number of epochs, of all
	// outputs.
	Gap float64 `json:"gap"`
	// StoredGap is the relative duality gap of the weights in the model's file, which are interpolated, rounded or pruned:
	// their primal objective on the training documents minus the dual objective of the solution, divided by the former. It
	// is that of the output whose gap was the largest when the solver stopped. Interpolation
	// with Beta below 1 moves weights away from the optimum on purpose. It is nil if unknown: of trees, near negatives,
	// and models that were pruned or quantized after training.
	StoredGap *float64 `json:"stored_gap,omitempty"`
	Epochs    int      `json:"epochs"`
	// Steps is the number of coordinate updates. Primal and Dual are the values of the objectives. All are sums over
	// the outputs.
	Steps  int64   `json:"steps"`
	Primal float64 `json:"primal"`
	Dual   float64 `json:"dual"`
	// Share is the mean share of the documents that a class was trained on, where Negatives is NearNegatives; otherwise 0.
	Share float64 `json:"share,omitempty"`
	// Took is the time spent in the solver, summed over the outputs. Model files do not have it.
	Took time.Duration `json:"-"`
}

// Shrinking says what became of a model that was larger than Options.MaxModel.
type Shrinking struct {
	// Features is the number of features of the larger model, and Kept the number of those that the small one has.
	Features int `json:"features"`
	Kept     int `json:"kept"`
	// Documents is the number of held-out documents on which the cost was measured, with models of 131,072 other
	// documents or fewer: Before is the accuracy of the larger model, and After that of the small one. If documents have
	// any number of labels, it is the micro-averaged F1. All are 0 where there are too few documents,
	// or where a model of these is not larger than MaxModel.
	Documents int     `json:"documents"`
	Before    float64 `json:"before"`
	After     float64 `json:"after"`
}

// Stage is a part of a training, and how long it took.
type Stage struct {
	Name string
	Took time.Duration
}

// Epoch is one pass of an online model over the documents.
type Epoch struct {
	// Mistakes is the number of documents that were misclassified when they were visited. If documents have any number
	// of labels, it is the number of wrong decisions about a label.
	Mistakes int `json:"mistakes"`
	// Accuracy is that on held-out documents, from 0 to 1; 0 if there are none.
	Accuracy float64 `json:"accuracy,omitempty"`
}

// Round is a round of a GBDT model, in which one tree is added for each class.
type Round struct {
	// Loss is the mean log loss on the training documents.
	Loss float64 `json:"loss"`
	// Held is the mean log loss on held-out documents, and Accuracy that on them, from 0 to 1; 0 if there are none.
	Held     float64 `json:"held,omitempty"`
	Accuracy float64 `json:"accuracy,omitempty"`
}

func reportOf(r *train.Report) *Report {
	return &Report{
		Options: optionsOf(r.Options), Documents: r.Documents, Earlier: r.Earlier, Bytes: r.Bytes, Invalid: r.Invalid, Bad: r.Bad, Reasons: r.Reasons,
		Classes: r.Classes, Features: FeatureStats(r.Features), Solution: (*Solution)(r.Solution), Pruning: (*Pruning)(r.Pruning), Shrinking: (*Shrinking)(r.Shrinking),
		Candidates: convert(r.Candidates, func(c train.Candidate) Candidate {
			return Candidate{Kind(c.Kind), c.Normalize, c.MicroF1}
		}),
		Epochs: convert(r.Epochs, func(e train.Epoch) Epoch { return Epoch(e) }),
		Rounds: convert(r.Rounds, func(r boost.Round) Round { return Round(r) }),
		Stages: convert(r.Stages, func(s train.Stage) Stage { return Stage(s) }),
		Took:   r.Took,
	}
}

// Report returns the report of the training, as the model file has it: without durations.
func (c *Classifier) Report() (*Report, error) {
	r := new(Report)
	if err := json.Unmarshal(c.c.Model().Meta.Made, r); err != nil {
		return nil, fmt.Errorf("nbsvm: the model's record of its training can't be read: %w", err)
	}
	if r.Solution != nil {
		r.Solution.StoredGap = c.c.Model().Meta.StoredGap
	}
	return r, nil
}

// Review lists what looks wrong in a training set. Set Options.Review, and [Train] fills it in.
type Review struct {
	// Warnings are about classes with few documents, labels that differ little, n-grams that give the label away,
	// empty texts, and equal texts with different labels.
	Warnings []Warning `json:"warnings"`
	// Notes say what could not be checked, and why.
	Notes []string `json:"notes,omitempty"`

	inner train.Review
}

// Warning describes one problem of a training set.
type Warning struct {
	// Kind is few-documents, similar-labels, leakage, empty-texts, contradictions or seen-in-training.
	Kind string `json:"kind"`
	// Message describes the problem in a sentence.
	Message string `json:"message"`
	// Count is the number of documents or classes concerned.
	Count int `json:"count"`
	// Labels are the labels concerned, or some of them if there are many.
	Labels []string `json:"labels,omitempty"`
	// Ngram is the n-gram concerned, if any.
	Ngram string `json:"ngram,omitempty"`
	// Examples are positions in files, or the beginnings of texts.
	Examples []string `json:"examples,omitempty"`
}

func (r *Review) update() {
	r.Warnings = convert(r.inner.Warnings, func(w train.Warning) Warning { return Warning(w) })
	r.Notes = r.inner.Notes
}

// Validate reads further documents, such as a test set, and adds a warning if some of them are in the training set.
// Call it after Train.
func (r *Review) Validate(ctx context.Context, in corpus.Input) error {
	err := r.inner.Validate(ctx, in)
	r.update()
	return err
}

// WriteText writes the warnings and notes for people to read.
func (r *Review) WriteText(w io.Writer) error { return r.inner.WriteText(w) }

// CrossValidation is the result of [CrossValidate].
type CrossValidation struct {
	// Folds has the metrics of each fold.
	Folds []*metrics.Report
	// Times has the durations of each fold. Unlike all else, they differ from run to run.
	Times []FoldTimes
	// Documents is the number of documents in all folds, and Labels are the classes.
	Documents int
	Labels    []string
	// MultiLabel reports whether documents have any number of labels.
	MultiLabel bool
	// Plain reports whether near-duplicates may be in several folds, as Options.PlainFolds says.
	Plain bool
	// Grouped is the number of documents that have near-duplicates, all of them in the same fold. Divided is the number
	// of those that have near-duplicates in other folds, too, because a group has more than a fold's share of a class.
	Grouped, Divided int
	// Bad is the number of records that were skipped, and Reasons counts them by what is wrong with them.
	Bad     int64
	Reasons corpus.Reasons
}

// FoldTimes says how long a fold took, apart from reading and hashing the documents, which is done once for all folds.
type FoldTimes struct {
	// Train is the duration of the training.
	Train time.Duration
	// Score is the duration of predicting the fold's documents.
	Score time.Duration
}

// CrossValidate measures how good models with these options are on documents that they have not seen. It divides the
// documents into folds (2 or more), trains on all folds but one, and evaluates on that one, for each fold in turn.
//
// Folds are stratified: each has its share of every class, or of every combination of labels if documents have
// several. Texts that have nearly all words in common are in one fold, as far as it has no more than its share of a
// class: a model that remembers one of them is no better on new documents. Of packed corpora, ready-made features and
// documents that take more than Options.Memory, equal rows are in one fold. Options.PlainFolds does without. Text is read and hashed once, but all that is learned, such as the choice of n-grams, ratios, weights and
// thresholds, is learned without the held-out fold.
func CrossValidate(ctx context.Context, in corpus.Input, o Options, folds int) (*CrossValidation, error) {
	all, err := CrossValidateAll(ctx, in, []Options{o}, folds)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// CrossValidateAll cross-validates several settings on the same folds. It is faster than one call of CrossValidate for
// each: settings with the same n-grams share the reading and hashing of texts, and settings with the same matrix share
// that.
func CrossValidateAll(ctx context.Context, in corpus.Input, settings []Options, folds int) ([]*CrossValidation, error) {
	return crossValidate(ctx, in, settings, folds, nil)
}

// CrossValidateJudge is CrossValidate that also calls judge for each document, with the classifier that was trained
// without it: fold after fold, in the order of the input. judge must not keep its arguments. Packed corpora,
// ready-made features and Options.Memory keep no texts, and are an error.
func CrossValidateJudge(
	ctx context.Context, in corpus.Input, o Options, folds int, judge func(c *Classifier, j Judgement),
) (*CrossValidation, error) {
	if judge == nil {
		return CrossValidate(ctx, in, o, folds)
	}
	all, err := crossValidate(ctx, in, []Options{o}, folds, func(c *score.Classifier, l *score.Labelled) {
		judge(&Classifier{c}, judgementOf(l))
	})
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

func crossValidate(
	ctx context.Context, in corpus.Input, settings []Options, folds int, judge func(*score.Classifier, *score.Labelled),
) ([]*CrossValidation, error) {
	for _, o := range settings {
		if o.From != nil {
			return nil, errOnlyTrain
		}
	}
	before := in.Bad.Reasons()
	all, err := train.CrossValidate(ctx, in, convert(settings, func(o Options) train.Options { return o.internal() }), folds, judge)
	bad := in.Bad.Reasons().Without(before)
	return convert(all, func(v *train.CrossValidation) *CrossValidation {
		return &CrossValidation{
			Folds:     convert(v.Trials, func(t train.Trial) *metrics.Report { return t.Report }),
			Times:     convert(v.Trials, func(t train.Trial) FoldTimes { return FoldTimes{t.Train, t.Score} }),
			Documents: v.Documents, Labels: v.Labels, MultiLabel: v.MultiLabel,
			Plain: v.Plain, Grouped: v.Grouped, Divided: v.Divided,
			Bad: bad.Sum(), Reasons: bad,
		}
	}), err
}
