package nbsvm

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/learn"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/boost"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// Train trains a classifier on labelled documents, from files or from memory. It returns a report of the training
// beside it.
//
// The classifier depends on the input and the options alone: not on the CPU or on Threads. A cancelled context stops
// the training, and the error then wraps the context's. A record that cannot be used is an error as well, a
// [corpus.RecordError], unless the input says to skip it (see [corpus.NewBadRecords]).
func Train(ctx context.Context, in corpus.Input, o Options) (*Classifier, *Report, error) {
	start, took, stages := time.Now(), time.Duration(0), []Stage(nil)
	lap := func(name string) { // ends a stage
		now := time.Since(start)
		stages = append(stages, Stage{Name: name, Took: now - took})
		took = now
	}
	ds, o, err := read(ctx, in, o, false)
	if err != nil {
		return nil, nil, err
	}
	defer ds.Close()
	lap("read")
	s, compared, err := o.resolve(ctx, ds, ds.All(), in.Describe())
	if err != nil {
		return nil, nil, err
	}
	if compared != nil {
		lap("choose")
	}
	report := newReport(ds, s)
	report.Candidates = compared
	if in.Bad != nil {
		report.Bad += in.Bad.Count()
		report.Reasons = report.Reasons.Add(in.Bad.Reasons())
	}
	p := s.params(ds)
	if s.Review != nil {
		if err := s.Review.look(ctx, ds, p); err != nil {
			return nil, nil, err
		}
		lap("review")
	}
	tuned, err := learn.HoldOut(ctx, ds, ds.All(), p)
	if err != nil {
		return nil, nil, err
	}
	if tuned != nil {
		lap("hold out")
	}
	d, err := learn.LayOut(ctx, ds, ds.All(), p)
	if err != nil {
		return nil, nil, err
	}
	lap("layout")
	defer d.Close()
	m, whole, f, err := learn.Model(ctx, ds, d, p, nil)
	if err != nil {
		return nil, nil, err
	}
	lap("solve")
	tuned.Fill(m)
	if m, err = p.Round(m); err != nil {
		return nil, nil, err
	}
	if m.Names, err = learn.Names(ctx, ds, d, m, p); err != nil {
		return nil, nil, err
	}
	lap("names")
	report.Features, report.Solution, report.Epochs, report.Rounds = FeatureStats(d.Stats), solution(f),
		convert(f.Epochs, func(e learn.Epoch) Epoch { return Epoch(e) }),
		convert(f.Rounds, func(r boost.Round) Round { return Round(r) })
	report.Features.Entries = ds.Meta.Entries
	if whole != nil {
		report.Shrinking = &Shrinking{Features: whole.Keys.Size(), Kept: m.Keys.Size()}
	}
	if !d.Mapped {
		report.Options.Memory = 0 // it has changed nothing
	}
	if m.Meta.Made, err = json.Marshal(report); err != nil {
		return nil, nil, fmt.Errorf("nbsvm: recording how the model was made: %w", err)
	}
	report.Stages, report.Took = stages, time.Since(start)
	return &Classifier{score.New(m)}, report, nil
}

// newReport describes a dataset and the options.
func newReport(ds *dataset.Dataset, o *settings) *Report {
	r := &Report{
		Options: o.Options, Documents: ds.Documents, Earlier: o.earlier(), Bytes: ds.Meta.Bytes,
		Invalid: ds.Meta.Invalid,
	}
	if numbers := ds.Classes.Numbers; numbers != nil {
		r.Numbers = &metrics.NumberRange{
			Mean: xmath.Mean(numbers), Min: slices.Min(numbers), Max: slices.Max(numbers),
		}
		return r
	}
	if o.hasPaths(ds) {
		r.Classes = countNodes(ds, o)
		return r
	}
	for k, label := range ds.Classes.Labels {
		r.Classes = append(r.Classes, corpus.ClassCount{Label: label, Documents: ds.Classes.Sets[k].GetCardinality()})
	}
	return r
}

// solution sums up the solver's work; it is nil if no solver was used.
func solution(f *learn.Fitted) *Solution {
	sum, unconverged, took := f.Solution()
	if sum == nil {
		return nil
	}
	return &Solution{
		Outputs: f.Outputs(), Unconverged: unconverged, Gap: sum.Gap, Epochs: sum.Epochs, Steps: sum.Steps,
		Primal: sum.Primal, Dual: sum.Dual, Took: took,
	}
}

// countNodes lists all nodes of labels that are paths, and the documents of each, without those below it.
func countNodes(ds *dataset.Dataset, o *settings) (classes []corpus.ClassCount) {
	// None if they are refused when they are fitted.
	nodes, _ := model.PathNodes(ds.Classes.Labels, o.Hierarchy, model.MaxOutputs)
	for _, node := range nodes {
		c := corpus.ClassCount{Label: node}
		if k, ok := slices.BinarySearch(ds.Classes.Labels, node); ok {
			c.Documents = ds.Classes.Sets[k].GetCardinality()
		}
		classes = append(classes, c)
	}
	return classes
}
