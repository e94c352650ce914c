package train

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/base/ordered"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// Folds are a dataset whose documents are split into folds. Options are tried on them as often as is wanted: texts are
// hashed once for all.
type Folds struct {
	ds    *dataset.Dataset
	asked Options // with which the dataset was made
	made  Options // these, resolved
	input string  // in messages
	tests []*roaring.Bitmap
	valid *corpus.Input // in place of the only fold
}

// Trial is what came of training with options without a fold, and of evaluating on it.
type Trial struct {
	Setting int // its place among the options
	Fold    int
	Report  *metrics.Report
	Bytes   int64         // size of the model; 0 where it was not asked for
	Train   time.Duration // to lay out the matrix, and to train on it, with what is calibrated on held-out documents
	Score   time.Duration // to predict the fold's documents; from their rows, where these are documents of the dataset
	Speed   float64       // bytes of text that one thread scores in a second; 0 where it was not asked for
}

// OpenFolds reads labelled documents, and splits them into stratified folds: each has its share of every class (of
// every combination of labels, where documents have several). The same documents, number of folds and seed give the
// same folds, whatever the other options are. Where other documents to evaluate on are given, there is one fold: all
// documents are trained on.
func OpenFolds(ctx context.Context, in corpus.Input, o Options, folds int, valid *corpus.Input) (*Folds, error) {
	if folds < 2 && valid == nil {
		return nil, fmt.Errorf("nbsvm: folds must be 2 or more, got %d", folds)
	}
	ds, made, err := Prepare(ctx, in, o, true)
	if err != nil {
		return nil, err
	}
	f := &Folds{ds: ds, asked: o, made: made, input: in.Describe()}
	if valid != nil {
		f.valid, f.tests = valid, []*roaring.Bitmap{roaring.New()}
	} else if folds > ds.Documents {
		err = fmt.Errorf("nbsvm: %d folds need as many documents, and there are %d: take fewer folds (--folds)", folds, ds.Documents)
	} else {
		f.tests, err = splitFolds(ctx, ds, ds.All(), folds, o.Seed)
	}
	if err != nil {
		ds.Close()
		return nil, err
	}
	return f, nil
}

// Close gives the dataset up.
func (f *Folds) Close() error { return f.ds.Close() }

// Dataset has the documents.
func (f *Folds) Dataset() *dataset.Dataset { return f.ds }

// Resolve returns options as they hold for the dataset. They must take the n-grams from texts with which it was made;
// they may do without counts that it has.
func (f *Folds) Resolve(o Options) (Options, error) {
	asked := f.asked
	if asked.counted() && !o.counted() {
		asked.Values = o.Values
	}
	if o.reading() != asked.reading() {
		return o, errors.New("nbsvm: the documents were read for other n-grams: tokens, n-grams, counts and seed must be the same")
	}
	o = o.chosen()
	bits := o.Text.Bits
	o.Text = f.made.Text
	o.Text.Bits = bits
	if err := o.Validate(); err != nil {
		return o, err
	}
	return o.resolve(f.ds, f.input)
}

// Plan says how options are tried.
type Plan struct {
	Folds []int // which; nil for all
	// Share is one in so many of the documents that are trained on, each class in its share; 0 for all of them.
	Share   int
	Workers int // how many trainings run side by side, each with its part of the threads; results don't depend on it
	// Warm says that a model starts from the solution of the one before on the same fold, which takes less time. What comes
	// of options then depends on which come before them, within what the tolerance allows.
	Warm  bool
	Size  bool // tell how large models are
	Speed bool // tell how fast models score texts, if these are there
}

// Try trains with each of several options on all folds but one, and evaluates on that one, for all folds of the plan.
// The options must have been resolved; those that have the same matrix share it. visit gets results as they come, one at
// a time; those of a fold come in one order.
func (f *Folds) Try(ctx context.Context, settings []Options, plan Plan, visit func(Trial)) error {
	folds := plan.Folds
	if folds == nil {
		folds = make([]int, len(f.tests))
		for k := range folds {
			folds[k] = k
		}
	}
	var mutex sync.Mutex
	return ordered.Each(ctx, max(plan.Workers, 1), len(folds), func(_, k int) error {
		err := f.try(ctx, settings, folds[k], plan, func(t Trial) {
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

// try trains on all documents but those of a fold, and evaluates on these.
func (f *Folds) try(ctx context.Context, settings []Options, fold int, plan Plan, visit func(Trial)) error {
	rows := roaring.AndNot(f.ds.All(), f.tests[fold])
	if plan.Share > 1 {
		parts, err := splitFolds(ctx, f.ds, rows, plan.Share, settings[0].Seed)
		if err != nil {
			return err
		}
		rows = parts[0]
	}
	var last *duals
	if plan.Warm {
		last = &duals{}
	}
	for _, some := range shareMatrix(settings) {
		if err := f.tryMatrix(ctx, settings, some, fold, rows, last, plan, visit); err != nil {
			return err
		}
	}
	return nil
}

// tryMatrix is try for some settings that have one matrix.
func (f *Folds) tryMatrix(
	ctx context.Context, settings []Options, some []int, fold int, rows *roaring.Bitmap, last *duals, plan Plan, visit func(Trial),
) error {
	start := time.Now()
	d, err := LayOut(ctx, f.ds, rows, &settings[some[0]], false)
	if err != nil {
		return err
	}
	defer d.Close()
	laidOut := time.Since(start)
	for _, i := range some {
		start := time.Now()
		c, err := trainOn(ctx, f.ds, d, &settings[i], last)
		if err != nil {
			return err
		}
		tuned, err := holdOut(ctx, f.ds, d.Documents, &settings[i])
		if err != nil {
			return err
		}
		tuned.apply(c.Model())
		t := Trial{Setting: i, Fold: fold, Train: laidOut + time.Since(start)}
		if f.valid != nil {
			start = time.Now()
			t.Report, err = c.Evaluate(ctx, *f.valid, score.Options{Threads: settings[i].Threads})
			t.Score = time.Since(start)
			*f.valid = f.valid.Again()
		} else {
			t.Report, t.Score, err = score.EvaluateRows(ctx, c, f.ds, f.tests[fold], settings[i].threads())
		}
		if err != nil {
			return err
		}
		if plan.Size {
			if t.Bytes, err = c.Model().WriteTo(io.Discard); err != nil {
				return err
			}
		}
		if plan.Speed && f.ds.HasTexts() {
			if t.Speed, err = f.speed(ctx, c, fold); err != nil {
				return err
			}
		}
		visit(t)
	}
	return nil
}

// speed is how many bytes of a fold's texts one thread scores in a second.
func (f *Folds) speed(ctx context.Context, c *score.Classifier, fold int) (float64, error) {
	const most, least = 1000, 100 * time.Millisecond // documents; time to measure for
	documents := roaring.New()
	for it := f.tests[fold].Iterator(); it.HasNext() && documents.GetCardinality() < most; {
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
	scored, start := 0, time.Now()
	for len(texts) > 0 && time.Since(start) < least {
		for _, text := range texts {
			if _, err := scorer.Predict(text); err != nil {
				return 0, err
			}
			scored += len(text)
		}
	}
	return float64(scored) / max(time.Since(start).Seconds(), 1e-9), nil
}
