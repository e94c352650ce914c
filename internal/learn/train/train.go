package train

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/base/stage"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/data/matrix"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/boost"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
)

// Train reads labelled documents and trains a classifier on them. The classifier
// depends on the input and the options alone, not on Threads or the CPU, nor on whether
// it goes on from a Checkpoint.
func Train(ctx context.Context, in corpus.Input, o Options) (*score.Classifier, *Report, error) {
	clock := clock{start: time.Now()}
	ds, o, err := Prepare(ctx, in, o, false)
	if err != nil {
		return nil, nil, err
	}
	defer ds.Close()
	report := newReport(ds, &o)
	if in.Bad != nil {
		report.Bad += in.Bad.Count()
	}
	clock.lap("read")
	if o.Review != nil {
		if err := review(ctx, ds, &o); err != nil {
			return nil, nil, err
		}
		clock.lap("review")
	}

	tuned, err := holdOut(ctx, ds, ds.All(), &o)
	if err != nil {
		return nil, nil, err
	}
	if tuned != nil {
		clock.lap("calibrate")
	}
	d, err := LayOut(ctx, ds, ds.All(), &o, true)
	if err != nil {
		return nil, nil, err
	}
	clock.lap("layout")
	defer d.Close()
	f, err := Fit(ctx, ds, d, &o)
	if err != nil {
		return nil, nil, err
	}
	clock.lap("solve")
	m, err := stage.Get(ctx, stage.Write, func(context.Context) (*model.Model, error) { return f.Model() })
	if err != nil {
		return nil, nil, err
	}
	tuned.apply(m)
	m.Names, err = stage.Get(ctx, stage.Names, func(ctx context.Context) ([]model.Name, error) {
		return nameFeatures(ctx, ds, d, m, &o)
	})
	if err != nil {
		return nil, nil, err
	}
	clock.lap("names")
	report.Features, report.Solution, report.Epochs, report.Rounds = d.Stats, f.Solution(), f.epochs, f.rounds
	report.Features.Entries = ds.Meta.Entries
	if d.Disk == nil {
		report.Options.Memory = 0 // it has changed nothing
	}
	if m.Meta.Made, err = json.Marshal(report); err != nil {
		return nil, nil, fmt.Errorf("nbsvm: recording how the model was made: %w", err)
	}
	report.Stages, report.Took = clock.stages, time.Since(clock.start)
	return score.New(m), report, nil
}

// clock measures stages, each from the end of the one before.
type clock struct {
	start  time.Time
	took   time.Duration // of all stages so far
	stages []Stage
}

func (c *clock) lap(name string) {
	now := time.Since(c.start)
	c.stages = append(c.stages, Stage{Name: name, Took: now - c.took})
	c.took = now
}

// Report describes how a model was made.
type Report struct {
	Options   Options             `json:"options"`
	Documents int                 `json:"documents"`
	Bytes     int64               `json:"bytes"`   // of text
	Invalid   int64               `json:"invalid"` // bytes of invalid UTF-8 among them
	Bad       int64               `json:"bad"`     // records left out
	Classes   []corpus.ClassCount `json:"classes"`
	Features  matrix.Stats        `json:"features"`
	Solution  *Solution           `json:"solution,omitempty"`
	Epochs    []Epoch             `json:"epochs,omitempty"` // of an online model
	Rounds    []boost.Round       `json:"rounds,omitempty"` // of a boosted model
	Stages    []Stage             `json:"-"`                // how long each took; not part of the model
	Took      time.Duration       `json:"-"`
}

// Stage is a part of the work and its duration.
type Stage struct {
	Name string
	Took time.Duration
}

// Solution summarizes the solver's work over all outputs.
type Solution struct {
	Outputs     int     `json:"outputs"`
	Unconverged int     `json:"unconverged"` // outputs that stopped at the epoch limit
	Gap         float64 `json:"gap"`         // the largest relative duality gap
	Epochs      int     `json:"epochs"`      // the most of any output
	Steps       int64   `json:"steps"`
	Primal      float64 `json:"primal"` // summed over outputs
	Dual        float64 `json:"dual"`
	// Took is the time spent in the solver, summed over outputs. It is not part of
	// the model.
	Took time.Duration `json:"-"`
}

// newReport describes a dataset and the options.
func newReport(ds *dataset.Dataset, o *Options) *Report {
	r := &Report{Options: *o, Documents: ds.Documents, Bytes: ds.Meta.Bytes, Invalid: ds.Meta.Invalid}
	if o.Hierarchy.given() {
		r.Classes = countNodes(ds, o)
		return r
	}
	for k, label := range ds.Classes.Labels {
		r.Classes = append(r.Classes, corpus.ClassCount{Label: label, Documents: ds.Classes.Sets[k].GetCardinality()})
	}
	return r
}

// Solution summarizes the solver's work; it is nil if no solver was used.
func (f *Fitted) Solution() *Solution {
	var s Solution
	for _, out := range f.outputs {
		if out.stats == nil {
			return nil
		}
		s.Outputs++
		if !out.stats.Converged {
			s.Unconverged++
		}
		s.Gap, s.Epochs = max(s.Gap, out.stats.Gap), max(s.Epochs, out.stats.Epochs)
		s.Steps += out.stats.Steps
		s.Primal += out.stats.Primal
		s.Dual += out.stats.Dual
		s.Took += out.took
	}
	return &s
}
