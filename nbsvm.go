package nbsvm

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/seed-167f963f/nbsvm/internal/build"
	"github.com/seed-167f963f/nbsvm/internal/dataset"
	"github.com/seed-167f963f/nbsvm/internal/score"
	"github.com/seed-167f963f/nbsvm/internal/train"
)

// Version of the library and the command; models record which one made them.
const Version = build.Version

type (
	// Input names what to read, and how.
	Input = dataset.Input
	// Progress says how far a stage of the work is.
	Progress = dataset.Progress
	// PackOptions say how documents become rows of a packed corpus. Those of training
	// (Options.Pack) make a corpus to train with these options on.
	PackOptions = dataset.Options

	// Options say how a model is trained. DefaultOptions gives every field its
	// default; zero values are taken as they are.
	Options = train.Options
	// Kind names what is trained.
	Kind = train.Kind
	// Values names what a feature counts for in a document.
	Values = train.Values
	// ClassWeight multiplies the cost of documents by class.
	ClassWeight = train.ClassWeight
	// Checkpoint names a file from which a training that was stopped goes on.
	Checkpoint = train.Checkpoint
	// Report tells how a model was made.
	Report = train.Report

	// Classifier is a trained model. It may be used concurrently, through one Scorer
	// per goroutine.
	Classifier = score.Classifier
	// Scorer scores documents one by one. It owns scratch memory: one per goroutine.
	Scorer = score.Scorer
	// Prediction is what a Scorer says of a document.
	Prediction = score.Prediction
	// ScoreOptions say how a whole input is scored.
	ScoreOptions = score.Options
	// Render appends a document's output to dst; see Classifier.Score.
	Render = score.Render
)

// The kinds of model.
const (
	NBSVM       = train.NBSVM
	SVM         = train.SVM
	Logistic    = train.Logistic
	Multinomial = train.Multinomial
	Bernoulli   = train.Bernoulli
)

// The values that a feature can have in a document.
const (
	Binary = train.Binary
	Count  = train.Count
	TFIDF  = train.TFIDF
)

// DefaultOptions returns the options that hold where nothing else is said.
func DefaultOptions() Options { return train.DefaultOptions() }

// Kinds lists the kinds of model.
func Kinds() []Kind { return train.Kinds() }

// ParseClassWeight reads "balanced" or "LABEL=W,LABEL=W,…"; a label may itself
// contain "=", as the last one counts.
func ParseClassWeight(text string) (ClassWeight, error) { return train.ParseClassWeight(text) }

// Train reads labelled documents and trains a classifier on them. The classifier
// depends on the input and the options alone, not on Threads or the CPU, nor on whether
// it goes on from a Checkpoint.
func Train(ctx context.Context, in Input, o Options) (*Classifier, *Report, error) {
	return train.Train(ctx, in, o)
}

// CrossValidate trains on all folds but one and evaluates on that one, in turn.
// Folds are stratified: each has its share of every class (of every combination
// of labels, where documents have several). Text is read and hashed once; all
// that is learned from documents (which n-grams count, ratios, weights,
// thresholds) is learned without the held-out fold. Package train has one for
// several options at once.
func CrossValidate(ctx context.Context, in Input, o Options, folds int) (*train.CrossValidation, error) {
	all, err := train.CrossValidate(ctx, in, []Options{o}, folds)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// Open maps a model file. The errors are those of package model: not a model,
// truncated, damaged, or of a newer version.
func Open(path string) (*Classifier, error) { return score.Open(path) }

// ReportOf tells how a classifier was made, as recorded in its model.
func ReportOf(c *Classifier) (*Report, error) {
	var r Report
	if err := json.Unmarshal(c.Model().Meta.Made, &r); err != nil {
		return nil, fmt.Errorf("nbsvm: the model's record of how it was made can't be read: %w", err)
	}
	return &r, nil
}

// Pack reads labelled documents and writes them to w as a packed corpus, which package
// dataset can merge with others, append to, verify and export. Its bytes depend on the
// input and the options but for Memory, Temp and Threads.
func Pack(ctx context.Context, in Input, o PackOptions, w io.Writer) (*dataset.Report, error) {
	return dataset.Pack(ctx, in, o, w)
}

// IsPacked tells whether a file begins as packed corpora do.
func IsPacked(path string) bool { return dataset.IsPacked(path) }
