package nbsvm

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/build"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/learn"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/boost"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
	"github.com/seed-167f963f/nbsvm/metrics"
	"github.com/seed-167f963f/nbsvm/solver"
)

// traits are what a kind of model is like.
type traits struct {
	kind     Kind
	learner  learn.Learner
	values   Values // that suit it, of text
	unigrams bool   // it works best with single words
	presence bool   // it only considers whether features occur
}

// kinds lists the kinds of model in the order of the help.
var kinds = []traits{
	{kind: NBSVM, learner: learn.NBSVM, values: Binary},
	{kind: SVM, learner: learn.SVM, values: Binary},
	{kind: Logistic, learner: learn.Logistic, values: Binary},
	{kind: Multinomial, learner: learn.Multinomial, values: Binary},
	{kind: Bernoulli, learner: learn.Bernoulli, values: Binary, presence: true},
	{kind: Complement, learner: learn.Complement, values: Binary},
	{kind: Perceptron, learner: learn.Perceptron, values: Binary},
	{kind: PassiveAggressive, learner: learn.PassiveAggressive, values: Binary},
	{kind: Rocchio, learner: learn.Rocchio, values: LogTFIDF},
	{kind: GBDT, learner: learn.GBDT, values: Binary},
	{kind: KNN, learner: learn.KNN, values: LogTFIDF, unigrams: true},
}

// Kinds returns all kinds of model.
func Kinds() []Kind { return convert(kinds, func(t traits) Kind { return t.kind }) }

// ofText returns the kind, or what AutoKind is for text.
func (k Kind) ofText() Kind {
	if k == AutoKind {
		return NBSVM
	}
	return k
}

// traits returns those of a kind; without a learner for an unknown kind.
func (k Kind) traits() traits {
	for _, t := range kinds {
		if t.kind == k.ofText() {
			return t
		}
	}
	return traits{values: Binary}
}

// losses lists the losses that a kind lets the solver minimize, the default first.
func (k Kind) losses() []solver.Loss { return learn.Losses(k.traits().learner) }

// Solved reports whether training minimizes a loss with the solver, so that Loss and Tol have an effect.
func (k Kind) Solved() bool { return k.losses() != nil }

// Online reports whether the kind learns from one document after the other, in a few passes over them.
func (k Kind) Online() bool { return learn.IsOnline(k.traits().learner) }

// Judged reports whether training evaluates the model as it goes, on Valid or HoldOut, and may stop early.
func (k Kind) Judged() bool { return k.takes("hold-out") }

// params returns what a learner needs to know of the settings.
func (o *settings) params(ds *dataset.Dataset) *learn.Params {
	p := &learn.Params{
		Learner: o.Kind.traits().learner, Kind: string(o.Kind), Solver: o.solverOptions(), C: o.C,
		Alpha: o.Alpha, AlphaBySize: o.AlphaBySize, Beta: o.Beta,
		Normalize: o.Normalize, Prenormalize: o.Prenormalize,
		Neighbours: o.Neighbours, Trees: boost.DefaultOptions(), HoldOut: o.HoldOut,
		Separator: o.Hierarchy, Grow: o.Tree == AlwaysTree,
		Calibrate: o.calibrates(), MaxModel: o.MaxModel, NamesLimit: o.NamesLimit, Matrix: o.matrixOptions(ds),
		From: o.from(), Earlier: float64(o.earlier()), Meta: o.meta(ds),
		Threads: o.threads(), Progress: o.Progress,
	}
	p.Trees.Rounds, p.Trees.Depth, p.Trees.Rate = o.Trees.Rounds, o.Trees.Depth, o.Trees.Rate
	if o.Kind.takes("class-weight") {
		p.Balanced, p.ClassWeight = o.ClassWeight.Balanced, o.ClassWeight.Weights
	}
	if o.MaxModel > 0 {
		made, _ := json.Marshal(newReport(ds, o)) // an error comes again when the model records it
		p.Reserved = len(made)
	}
	if o.Valid != nil {
		valid := *o.Valid
		p.Judge = func(ctx context.Context, m *model.Model) (*metrics.Report, error) {
			report, err := (&Classifier{score.New(m)}).Evaluate(ctx, valid, ScoreOptions{Threads: o.Threads})
			if err != nil {
				return nil, fmt.Errorf("%s: %w", valid.Describe(), err)
			}
			valid = valid.Again()
			return report, nil
		}
	}
	return p
}

// Sources of features, see model.Meta.
const (
	textSource    = "text"
	featureSource = "svmlight"
)

// meta returns what a model records of its features.
func (o *settings) meta(ds *dataset.Dataset) model.Meta {
	meta := model.Meta{
		Source: textSource, Text: o.Text, Values: string(o.Values), Prenormalize: o.Prenormalize,
		Normalize: o.Normalize && o.Kind.takes("normalize"), Version: build.Version, Input: ds.Meta.Input,
	}
	if o.From != nil && meta.Input == (corpus.Reading{}) {
		meta.Input = o.from().Meta.Input
	}
	if ds.Ready() {
		meta.Source = featureSource
	}
	return meta
}
