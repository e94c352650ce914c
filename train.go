package nbsvm

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/seed-167f963f/nbsvm/dataset"
	"github.com/seed-167f963f/nbsvm/matrix"
	"github.com/seed-167f963f/nbsvm/sparse/packed"

	"github.com/seed-167f963f/nbsvm/internal/stage"
	"github.com/seed-167f963f/nbsvm/model"
	"github.com/seed-167f963f/nbsvm/score"
)

// Report tells how a model was made.
type Report struct {
	Options   Options       `json:"options"`
	Documents int           `json:"documents"`
	Bytes     int64         `json:"bytes"`   // of text
	Invalid   int64         `json:"invalid"` // bytes of invalid UTF-8 among them
	Bad       int64         `json:"bad"`     // records left out
	Classes   []ClassCount  `json:"classes"`
	Features  matrix.Stats  `json:"features"`
	Solution  *Solution     `json:"solution,omitempty"`
	Stages    []Stage       `json:"-"` // how long each took; not part of the model
	Took      time.Duration `json:"-"`
}

// Stage is a part of the work and its duration.
type Stage struct {
	Name string
	Took time.Duration
}

// Solution sums up the solver's work over all outputs.
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

// Train reads labelled documents and trains a classifier on them. The classifier
// depends on the input and the options alone, not on Threads or the CPU, nor on whether
// it goes on from a Checkpoint.
func Train(ctx context.Context, in Input, o Options) (*Classifier, *Report, error) {
	clock := newClock()
	ds, err := prepare(ctx, in, &o, false)
	if err != nil {
		return nil, nil, err
	}
	defer ds.Close()
	report := newReport(ds, &o)
	if in.Bad != nil {
		report.Bad += in.Bad.Count()
	}
	clock.lap("read")

	tuned, err := holdOut(ctx, ds, ds.All(), &o)
	if err != nil {
		return nil, nil, err
	}
	if tuned != nil {
		clock.lap("calibrate")
	}
	d, err := o.layOut(ctx, ds, ds.All(), true)
	if err != nil {
		return nil, nil, err
	}
	clock.lap("layout")
	defer d.Close()
	f, err := fit(ctx, ds, d, &o)
	if err != nil {
		return nil, nil, err
	}
	clock.lap("solve")
	m, err := stage.Get(ctx, stage.Write, func(context.Context) (*model.Model, error) { return assemble(ds, d, f, &o) })
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
	report.Features, report.Solution = d.Stats, f.solution()
	report.Features.Entries = ds.Meta.Entries
	if m.Meta.Made, err = json.Marshal(report); err != nil {
		return nil, nil, fmt.Errorf("nbsvm: recording how the model was made: %w", err)
	}
	report.Stages, report.Took = clock.stages, clock.total()
	return score.New(m), report, nil
}

// settle refuses what can't be trained on, and makes the options say what holds for
// this dataset.
func (o *Options) settle(ds *dataset.Dataset) error {
	labels := ds.Classes.Labels
	switch {
	case len(labels) == 0:
		return fmt.Errorf("nbsvm: no document has a label")
	case len(labels) == 1 && !ds.Classes.Multi:
		return fmt.Errorf("nbsvm: all %d documents have the label %q; training needs at least two classes", ds.Documents, labels[0])
	}
	for label := range o.ClassWeight.Weights {
		if !slices.Contains(labels, label) {
			return fmt.Errorf("nbsvm: class weight for %q, but no document has this label; labels are %s", label, dataset.AbbreviateLabels(labels))
		}
	}
	if o.Loss == "" && o.Kind.linear() {
		so, _ := o.solverOptions()
		o.Loss = so.Loss.String()
	}
	if !ds.Ready() {
		o.resolveBeta(ds)
		return nil
	}
	switch {
	case o.Values == TFIDF || o.SublinearTF:
		return fmt.Errorf("nbsvm: ready-made features are taken as they are; values tfidf and sublinear-tf are for text")
	case o.Kind == Bernoulli && ds.Kind != packed.Binary:
		return fmt.Errorf("nbsvm: model bnb takes features that are 0 or 1; take mnb, or another model")
	}
	o.Values = Count
	o.resolveBeta(ds)
	return nil
}

// resolveBeta gives beta, where it is left to the training set, its value.
func (o *Options) resolveBeta(ds *dataset.Dataset) {
	if !o.AutoBeta {
		return
	}
	if o.Beta = 1; outputsOf(ds) == 1 {
		o.Beta = 0.75
	}
}

func newReport(ds *dataset.Dataset, o *Options) *Report {
	r := &Report{Options: *o, Documents: ds.Documents, Bytes: ds.Meta.Bytes, Invalid: ds.Meta.Invalid}
	for k, label := range ds.Classes.Labels {
		r.Classes = append(r.Classes, ClassCount{Label: label, Documents: ds.Classes.Sets[k].GetCardinality()})
	}
	return r
}

// solution sums up; nil where no solver was at work.
func (f *fitted) solution() *Solution {
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

type clock struct {
	start, last time.Time
	stages      []Stage
}

func newClock() *clock {
	now := time.Now()
	return &clock{start: now, last: now}
}

func (c *clock) lap(name string) {
	now := time.Now()
	c.stages = append(c.stages, Stage{name, now.Sub(c.last)})
	c.last = now
}

func (c *clock) total() time.Duration { return time.Since(c.start) }
