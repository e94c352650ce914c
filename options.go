package nbsvm

import (
	"context"

	"github.com/seed-167f963f/nbsvm/train"
)

// Options say how a model is trained. DefaultOptions gives every field its
// default; zero values are taken as they are.
type Options = train.Options

// Kind names what is trained.
type Kind = train.Kind

// The kinds of model.
const (
	NBSVM       = train.NBSVM
	SVM         = train.SVM
	Logistic    = train.Logistic
	Multinomial = train.Multinomial
	Bernoulli   = train.Bernoulli
)

// Values names what a feature counts for in a document.
type Values = train.Values

// The values a feature can have.
const (
	Binary = train.Binary
	Count  = train.Count
	TFIDF  = train.TFIDF
)

// ClassWeight multiplies the cost of documents by class.
type ClassWeight = train.ClassWeight

// Checkpoint names a file from which a training that was stopped goes on.
type Checkpoint = train.Checkpoint

// Report tells how a model was made.
type Report = train.Report

// Solution sums up the solver's work over all outputs.
type Solution = train.Solution

// Stage is a part of the work and its duration.
type Stage = train.Stage

// Dataset is a labelled corpus that was read once, to be laid out and solved any number of times.
type Dataset = train.Dataset

// Layout is a dataset's matrix as the solver takes it.
type Layout = train.Layout

// SolverOptions are the options of a model that come into play once its matrix is laid out.
type SolverOptions = train.SolverOptions

// CrossValidation is the outcome of CrossValidate.
type CrossValidation = train.CrossValidation

// Functions of package train.
var (
	ReadDataset      = train.ReadDataset
	DefaultOptions   = train.DefaultOptions
	Kinds            = train.Kinds
	ParseClassWeight = train.ParseClassWeight
)

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
// thresholds) is learned without the held-out fold.
func CrossValidate(ctx context.Context, in Input, o Options, folds int) (*CrossValidation, error) {
	all, err := CrossValidateAll(ctx, in, []Options{o}, folds)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// CrossValidateAll is CrossValidate for several options, which must take the same n-grams
// from texts: these are hashed once for all, and those options that have the same matrix
// share it.
func CrossValidateAll(ctx context.Context, in Input, settings []Options, folds int) ([]*CrossValidation, error) {
	return train.CrossValidate(ctx, in, settings, folds)
}
