package nbsvm

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/container"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/learn"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/boost"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// params returns what a learner needs to know of the settings.
func (o *settings) params(ds *dataset.Dataset) *learn.Params {
	p := &learn.Params{
		Learner: o.Kind.traits().learner, Kind: string(o.Kind), Solver: o.solverOptions(), C: o.C,
		Alpha: o.Alpha, AlphaBySize: o.AlphaBySize, Beta: o.Beta, Clip: o.Clip && o.Kind.Numbers(), Range: o.Range,
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
		Normalize: o.Normalize && o.Kind.takes("normalize"), Version: container.Version, Input: ds.Meta.Input,
	}
	if o.From != nil && meta.Input == (corpus.Reading{}) {
		meta.Input = o.from().Meta.Input
	}
	if ds.Ready() {
		meta.Source = featureSource
	}
	return meta
}
