package nbsvm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/learn"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// foldSet is a dataset whose documents are split into folds. Any number of options can be tried on it; texts are hashed
// once.
type foldSet struct {
	ds    *dataset.Dataset
	asked Options           // with which the dataset was made
	made  *settings         // these, resolved
	input string            // in messages
	parts *dataset.Division // of the documents
	count int               // of folds of a split
	tests []*roaring.Bitmap // the folds, split after split
	valid *corpus.Input     // in place of the only fold
}

// foldTrial is the result of training on all folds but one and evaluating on that one.
type foldTrial struct {
	Setting int // the number of the options
	Fold    int
	Report  *metrics.Report
	Bytes   int64         // size of the model; 0 unless Plan.Size
	Train   time.Duration // to lay out the matrix and train on it, calibration included
	Score   time.Duration // to predict the fold's documents, from their rows if they are of the dataset
	Speed   float64       // bytes of text that one thread scores in a second; 0 where it was not measured
}

// openFolds reads labelled documents and splits them into stratified folds: each has its share of every class, or of
// every combination of labels, and near-duplicates are in one unless o.PlainFolds. The folds depend on the documents,
// their number and the seed, not on other options, except that only equal rows are found where no texts are kept. With
// documents to evaluate on (valid), there is one fold, and all documents are trained on.
func openFolds(ctx context.Context, in corpus.Input, o Options, folds int, valid *corpus.Input) (*foldSet, error) {
	if folds < 2 && valid == nil {
		return nil, fmt.Errorf("nbsvm: folds must be 2 or more, got %d", folds)
	}
	ds, adopted, err := read(ctx, in, o, true)
	if err != nil {
		return nil, err
	}
	f := &foldSet{ds: ds, asked: adopted, input: in.Describe(), parts: ds.Plain()}
	if f.made, err = adopted.settings(ds, f.input); err != nil {
		ds.Close()
		return nil, err
	}
	if valid != nil {
		f.valid, f.tests = valid, []*roaring.Bitmap{roaring.New()}
	} else if folds > ds.Documents {
		err = fmt.Errorf("nbsvm: %d folds need at least %[1]d documents, got %d: use fewer folds", folds, ds.Documents)
	} else {
		f.count = folds
		if !o.PlainFolds {
			f.parts, err = ds.Division(ctx, o.threads())
		}
		if err == nil {
			err = f.split(ctx, folds)
		}
	}
	if err != nil {
		ds.Close()
		return nil, err
	}
	return f, nil
}

// split adds folds until there are this many, splitting the documents as often as needed. Near-duplicates are in one
// fold: otherwise a score would show how well a model remembers documents, not how well it classifies new ones.
func (f *foldSet) split(ctx context.Context, folds int) error {
	for len(f.tests) < folds {
		seed := f.asked.Seed + uint64(len(f.tests)/f.count)
		more, err := f.parts.Folds(ctx, f.ds.All(), f.count, seed)
		if err != nil {
			return err
		}
		f.tests = append(f.tests, more...)
	}
	return nil
}

// Close releases the dataset.
func (f *foldSet) Close() error { return f.ds.Close() }

// FixNgrams requires options to ask for the n-grams that were chosen for the dataset, and returns these.
func (f *foldSet) FixNgrams() []hashing.Family {
	f.asked.Text = f.made.Text
	f.ds.Meta.AutoNgrams = false
	return f.made.Text.Families.List()
}

// candidate is tried on folds: settings, or options whose kind of model is chosen anew for each fold, from the
// documents that are trained on.
type candidate struct {
	Options
	settings *settings // nil if the kind is chosen
}

// Candidate checks options for the dataset. They must take the n-grams from texts that the dataset was made with, but
// need not use its counts.
func (f *foldSet) Candidate(o Options) (c candidate, err error) {
	o = o.forKind().named()
	asked := f.asked
	if asked.Values.counted() && !o.Values.counted() {
		asked.Values = o.Values
	}
	if o.reading() != asked.reading() {
		return c, errors.New("nbsvm: the documents were read for other n-grams: Options.Text, Options.Values and Options.Seed must be the same")
	}
	o.Text = f.made.Text
	if err := o.check(); err != nil {
		return c, err
	}
	if c.Options = o; !c.choosesKind(f.ds) {
		c.settings, err = c.Options.settings(f.ds, f.input)
	}
	return c, err
}

// settings returns the settings with which a candidate is trained on some rows.
func (f *foldSet) settings(ctx context.Context, c candidate, rows *roaring.Bitmap) (*settings, error) {
	if c.settings != nil {
		return c.settings, nil
	}
	s, _, err := c.Options.resolve(ctx, f.ds, rows, f.input)
	return s, err
}

// Choose resolves options by the documents that the first fold trains on.
func (f *foldSet) Choose(ctx context.Context, o Options) (*settings, error) {
	c, err := f.Candidate(o)
	if err != nil {
		return nil, err
	}
	return f.settings(ctx, c, roaring.AndNot(f.ds.All(), f.tests[0]))
}

// foldPlan says how options are tried.
type foldPlan struct {
	// Folds are the numbers of the folds; nil for all of the first split. Higher numbers than a split has folds are of
	// further splits, each with another seed.
	Folds []int
	// Share trains on one in this many documents, stratified by class; 0 for all of them.
	Share   int
	Workers int // how many trainings run side by side and share the threads; results do not depend on it
	// Warm starts each model from the previous solution on the same fold, which is faster. Results then depend on the
	// order of the options, within the tolerance.
	Warm  bool
	Size  bool // measure the size of models
	Speed bool // measure how fast the models of the first fold score texts, if the dataset has them
	// Judge, if not nil, is called for each document with a model that has not seen it, fold after fold if there is one
	// worker. The document has its text, so the dataset must have texts.
	Judge func(c *Classifier, l Judgement)
}

// Try trains each of several candidates on all folds but one and evaluates it on that one, for all folds of the plan.
// Those that have the same matrix share it. Results are visited one at a time as they come; the order within a fold is
// fixed.
func (f *foldSet) Try(ctx context.Context, candidates []candidate, plan foldPlan, visit func(foldTrial)) error {
	folds := plan.Folds
	if folds == nil {
		folds = make([]int, max(f.count, 1))
		for k := range folds {
			folds[k] = k
		}
	}
	if f.valid == nil {
		if err := f.split(ctx, slices.Max(folds)+1); err != nil {
			return err
		}
	}
	var mutex sync.Mutex
	return par.Each(ctx, max(plan.Workers, 1), len(folds), func(_, k int) error {
		err := f.try(ctx, candidates, folds[k], plan, func(t foldTrial) {
			mutex.Lock()
			defer mutex.Unlock()
			visit(t)
		})
		if err != nil {
			return fmt.Errorf("nbsvm: fold %d of %d: %w", folds[k]+1, len(f.tests), err)
		}
		return nil
	})
}

// try trains on the documents outside a fold and evaluates on the fold.
func (f *foldSet) try(
	ctx context.Context, candidates []candidate, fold int, plan foldPlan, visit func(foldTrial),
) error {
	rows := roaring.AndNot(f.ds.All(), f.tests[fold])
	if plan.Share > 1 {
		var err error
		most := (int(rows.GetCardinality()) + plan.Share - 1) / plan.Share
		if rows, err = f.ds.Sample(ctx, rows, most, f.asked.Seed); err != nil {
			return err
		}
	}
	all := make([]*settings, len(candidates))
	for i, c := range candidates {
		var err error
		if all[i], err = f.settings(ctx, c, rows); err != nil {
			return err
		}
	}
	var last *learn.Duals
	if plan.Warm {
		last = &learn.Duals{}
	}
	for _, some := range f.shareMatrix(all) {
		if err := f.tryMatrix(ctx, all, some, fold, rows, last, plan, visit); err != nil {
			return err
		}
	}
	return nil
}

// tryMatrix does the work of try for those settings that share a matrix; some are their numbers.
func (f *foldSet) tryMatrix(
	ctx context.Context, all []*settings, some []int, fold int, rows *roaring.Bitmap, last *learn.Duals, plan foldPlan,
	visit func(foldTrial),
) error {
	start := time.Now()
	d, err := learn.LayOut(ctx, f.ds, rows, all[some[0]].params(f.ds))
	if err != nil {
		return err
	}
	defer d.Close()
	laidOut := time.Since(start)
	for _, i := range some {
		s, start := all[i], time.Now()
		p := s.params(f.ds)
		m, _, _, err := learn.Model(ctx, f.ds, d, p, last)
		if err != nil {
			return err
		}
		tuned, err := learn.HoldOut(ctx, f.ds, d.Documents, p)
		if err != nil {
			return err
		}
		tuned.Fill(m)
		if m, err = p.Round(m); err != nil {
			return err
		}
		c := &Classifier{score.New(m)}
		t := foldTrial{Setting: i, Fold: fold, Train: laidOut + time.Since(start)}
		if f.valid != nil {
			start = time.Now()
			t.Report, err = c.Evaluate(ctx, *f.valid, ScoreOptions{Threads: s.Threads})
			t.Score = time.Since(start)
			*f.valid = f.valid.Again()
		} else {
			t.Report, t.Score, err = f.evaluate(ctx, c, fold, s.threads(), plan.Judge)
		}
		if err != nil {
			return err
		}
		if plan.Size {
			if t.Bytes, err = c.WriteTo(io.Discard); err != nil {
				return err
			}
		}
		if plan.Speed && fold == 0 && f.ds.HasTexts() {
			if t.Speed, err = f.speed(ctx, c); err != nil {
				return err
			}
		}
		visit(t)
	}
	return nil
}

// evaluate predicts the documents of a fold.
func (f *foldSet) evaluate(
	ctx context.Context, c *Classifier, fold, threads int, judge func(c *Classifier, l Judgement),
) (*metrics.Report, time.Duration, error) {
	if judge == nil {
		return c.evaluateRows(ctx, f.ds, f.tests[fold], threads, nil)
	}
	texts := map[int][]byte{}
	if err := f.ds.EachText(ctx, f.tests[fold], 1, func(_, doc int, text []byte) { texts[doc] = bytes.Clone(text) }); err != nil {
		return nil, 0, err
	}
	return c.evaluateRows(ctx, f.ds, f.tests[fold], threads, func(doc int, l *Judgement) {
		l.Document = &corpus.Document{Text: texts[doc]}
		judge(c, *l)
	})
}

// speed measures how many bytes of the first fold's texts one thread scores in a second. Of each document, the fastest
// of several times counts, as other work can only slow it down.
func (f *foldSet) speed(ctx context.Context, c *Classifier) (float64, error) {
	const most, least, passes = 1000, 50 * time.Millisecond, 3 // documents; time to measure for, and passes at least
	documents := roaring.New()
	for it := f.tests[0].Iterator(); it.HasNext() && documents.GetCardinality() < most; {
		documents.Add(it.Next())
	}
	if f.valid != nil {
		documents.AddRange(0, uint64(min(most, f.ds.Documents)))
	}
	var texts [][]byte
	if err := f.ds.EachText(ctx, documents, 1, func(_, _ int, text []byte) { texts = append(texts, bytes.Clone(text)) }); err != nil {
		return 0, err
	}
	scorer, err := c.NewScorer()
	if err != nil {
		return 0, err
	}
	scored, took := 0, make([]time.Duration, len(texts))
	begin := time.Now()
	for pass := 0; pass < passes || time.Since(begin) < least; pass++ {
		scored = 0
		for i, text := range texts {
			start := time.Now()
			if _, err := scorer.Predict(text); err != nil {
				return 0, err
			}
			if now := time.Since(start); pass == 0 || now < took[i] {
				took[i] = now
			}
			scored += len(text)
		}
	}
	total := time.Duration(0)
	for _, t := range took {
		total += t
	}
	return float64(scored) / max(total.Seconds(), 1e-9), nil
}
