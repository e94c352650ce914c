package nbsvm

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/stage"
	"github.com/seed-167f963f/nbsvm/model"
)

// Report tells how a model was made.
type Report struct {
	Options   Options       `json:"options"`
	Documents int           `json:"documents"`
	Bytes     int64         `json:"bytes"`   // of text
	Invalid   int64         `json:"invalid"` // bytes of invalid UTF-8 among them
	Bad       int64         `json:"bad"`     // records left out
	Classes   []ClassCount  `json:"classes"`
	Features  FeatureStats  `json:"features"`
	Solution  *Solution     `json:"solution,omitempty"`
	Stages    []Stage       `json:"-"` // how long each took; not part of the model
	Took      time.Duration `json:"-"`
}

// ClassCount is a class and the number of its documents.
type ClassCount struct {
	Label     string `json:"label"`
	Documents uint64 `json:"documents"`
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
	ds, err := prepare(ctx, in, &o)
	if err != nil {
		return nil, nil, err
	}
	defer ds.close()
	report := ds.report(&o)
	if in.Bad != nil {
		report.Bad += in.Bad.Count()
	}
	clock.lap("read")

	tuned, err := holdOut(ctx, ds, ds.all(), &o)
	if err != nil {
		return nil, nil, err
	}
	if tuned != nil {
		clock.lap("calibrate")
	}
	d, err := newDesign(ctx, ds, ds.all(), &o, true)
	if err != nil {
		return nil, nil, err
	}
	clock.lap("layout")
	defer d.close()
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
	report.Features, report.Solution = d.stats, f.solution()
	report.Features.Entries = ds.entries
	if m.Meta.Made, err = json.Marshal(report); err != nil {
		return nil, nil, fmt.Errorf("nbsvm: recording how the model was made: %w", err)
	}
	report.Stages, report.Took = clock.stages, clock.total()
	return newClassifier(m, nil), report, nil
}

// prepare checks the options, reads the input, and makes the options say what holds
// for it.
func prepare(ctx context.Context, in Input, o *Options) (*dataset, error) {
	o.Text.Seed = o.Seed
	o.firstOrders()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	in.Unlabelled = false
	path, isPacked, err := packedInput(in)
	if err != nil {
		return nil, err
	}
	var ds *dataset
	switch {
	case isPacked:
		ds, err = readPacked(path, o)
	case o.Memory > 0:
		return nil, fmt.Errorf("nbsvm: texts are held in memory while they are trained on; pack them to keep to %d bytes", o.Memory)
	default:
		ds, err = readDataset(ctx, in, o)
	}
	if err != nil {
		return nil, err
	}
	return ds, ds.settle(ctx, o)
}

// settle refuses what can't be trained on, and makes the options say what holds for
// this dataset.
func (ds *dataset) settle(ctx context.Context, o *Options) error {
	labels := ds.classes.labels
	switch {
	case len(labels) == 0:
		return fmt.Errorf("nbsvm: no document has a label")
	case len(labels) == 1 && !ds.classes.multi:
		return fmt.Errorf("nbsvm: all %d documents have the label %q; training needs at least two classes", ds.docs, labels[0])
	}
	for label := range o.ClassWeight.Weights {
		if !slices.Contains(labels, label) {
			return fmt.Errorf("nbsvm: class weight for %q, but no document has this label; labels are %s", label, abbreviate(labels))
		}
	}
	if o.Loss == "" && o.Kind.linear() {
		so, _ := o.solverOptions()
		o.Loss = so.Loss.String()
	}
	if !ds.ready {
		return ds.resolve(ctx, o)
	}
	switch {
	case o.Values == TFIDF || o.SublinearTF:
		return fmt.Errorf("nbsvm: ready-made features are taken as they are; values tfidf and sublinear-tf are for text")
	case o.Kind == Bernoulli && !ds.binary(o):
		return fmt.Errorf("nbsvm: model bnb takes features that are 0 or 1; take mnb, or another model")
	}
	o.Values = Count
	return ds.resolve(ctx, o)
}

// abbreviate lists the first labels.
func abbreviate(labels []string) string {
	const most = 10
	if len(labels) <= most {
		return fmt.Sprintf("%q", labels)
	}
	return fmt.Sprintf("%q and %d more", labels[:most], len(labels)-most)
}

func (ds *dataset) report(o *Options) *Report {
	r := &Report{Options: *o, Documents: ds.docs, Bytes: ds.bytes, Invalid: ds.invalid}
	for k, label := range ds.classes.labels {
		r.Classes = append(r.Classes, ClassCount{label, ds.classes.sets[k].GetCardinality()})
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
