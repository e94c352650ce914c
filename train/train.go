package train

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/seed-167f963f/nbsvm/dataset"
	"github.com/seed-167f963f/nbsvm/internal/stage"
	"github.com/seed-167f963f/nbsvm/model"
	"github.com/seed-167f963f/nbsvm/score"
)

// Train reads labelled documents and trains a classifier on them. The classifier
// depends on the input and the options alone, not on Threads or the CPU, nor on whether
// it goes on from a Checkpoint.
func Train(ctx context.Context, in dataset.Input, o Options) (*score.Classifier, *Report, error) {
	clock := newClock()
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

	tuned, err := holdOut(ctx, ds, ds.All(), &o)
	if err != nil {
		return nil, nil, err
	}
	if tuned != nil {
		clock.lap("calibrate")
	}
	d, err := o.LayOut(ctx, ds, ds.All(), true)
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
	report.Features, report.Solution = d.Stats, f.Solution()
	report.Features.Entries = ds.Meta.Entries
	if m.Meta.Made, err = json.Marshal(report); err != nil {
		return nil, nil, fmt.Errorf("nbsvm: recording how the model was made: %w", err)
	}
	report.Stages, report.Took = clock.stages, clock.total()
	return score.New(m), report, nil
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
	c.stages = append(c.stages, Stage{Name: name, Took: now.Sub(c.last)})
	c.last = now
}

func (c *clock) total() time.Duration { return time.Since(c.start) }
