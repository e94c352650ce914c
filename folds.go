package train

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
	"github.com/seed-167f963f/nbsvm/internal/base/ordered"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// Folds are a dataset whose documents are split into folds. Any number of options can be tried on them: texts are hashed
// once for all.
type Folds struct {
	ds    *dataset.Dataset
	asked Options           // with which the dataset was made
	made  Options           // these, resolved
	input string            // in messages
	parts *dataset.Division // of the documents
	count int               // of folds of a split
	tests []*roaring.Bitmap // the folds, split after split
	valid *corpus.Input     // in place of the only fold
}

// Trial is the outcome of training on all folds but one and of evaluating on that one.
type Trial struct {
	Setting int // the number of the options
	Fold    int
	Report  *metrics.Report
	Bytes   int64         // size of the model; 0 unless Plan.Size
	Train   time.Duration // to lay out the matrix and train on it, calibration included
	Score   time.Duration // to predict the fold's documents, from their rows if they are of the dataset
	Speed   float64       // bytes of text that one thread scores in a second; 0 unless Plan.Speed
}

// FewDocumentsError is the error of fewer documents than folds.
type FewDocumentsError struct{ Folds, Documents int }

func (f FewDocumentsError) Error() string {
	return fmt.Sprintf("nbsvm: %d folds need as many documents, and there are %d: take fewer folds (--folds)", f.Folds, f.Documents)
}

// OpenFolds reads labelled documents and splits them into stratified folds: each has its share of every class, or of
// every combination of labels, and near-duplicates are in one unless o.PlainFolds. The folds depend on the documents,
// their number and the seed, not on other options, except that only equal rows are found where no texts are kept. With
// documents to evaluate on (valid), there is one fold, and all documents are trained on.
func OpenFolds(ctx context.Context, in corpus.Input, o Options, folds int, valid *corpus.Input) (*Folds, error) {
	if folds < 2 && valid == nil {
		return nil, fmt.Errorf("nbsvm: folds must be 2 or more, got %d", folds)
	}
	ds, made, err := read(ctx, in, o, true)
	if err != nil {
		return nil, err
	}
	f := &Folds{ds: ds, asked: o, input: in.Describe(), parts: ds.Plain()}
	if f.made, err = made.resolve(ds, f.input); err != nil {
		ds.Close()
		return nil, err
	}
	if valid != nil {
		f.valid, f.tests = valid, []*roaring.Bitmap{roaring.New()}
	} else if folds > ds.Documents {
		err = FewDocumentsError{folds, ds.Documents}
	} else {
		f.count = folds
		if !o.PlainFolds {
			f.parts, err = ds.Division(ctx, made.threads())
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

// split splits the documents into folds until there are so many, in as many splits as that takes. Near-duplicates are of
// one fold: if some were trained on, the others would tell how well a model remembers, not how well it does on new
// documents.
func (f *Folds) split(ctx context.Context, folds int) error {
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
func (f *Folds) Close() error { return f.ds.Close() }

// Dataset returns the documents.
func (f *Folds) Dataset() *dataset.Dataset { return f.ds }

// Grouped counts the documents that have near-duplicates: those all of whose are in the same fold, and the others.
func (f *Folds) Grouped() (together, divided int) { return f.parts.Grouped(f.tests) }

// Settle makes n-grams that were automatic those that options must ask for, and returns them.
func (f *Folds) Settle() []hashing.Family {
	bits := f.asked.Text.Bits
	f.asked.Text = f.made.Text
	f.asked.Text.Bits, f.asked.AutoNgrams, f.ds.Meta.AutoNgrams = bits, false, false
	return f.made.Text.Families()
}

// Resolve returns options resolved for the dataset. They must take the n-grams from texts that the dataset was made
// with, but need not use its counts. The kind of model is chosen later if that is left to the documents.
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
	if o = o.chosen(); o.choosesKind(f.ds) { // for each fold, from what is trained on
		return o, nil
	}
	return o.resolve(f.ds, f.input)
}

// Choose resolves options whose kind of model is left to the documents, from those that the first fold trains on.
func (f *Folds) Choose(ctx context.Context, o Options) (Options, error) {
	o, err := f.Resolve(o)
	if err != nil || !o.choosesKind(f.ds) {
		return o, err
	}
	o, _, err = o.settle(ctx, f.ds, roaring.AndNot(f.ds.All(), f.tests[0]), f.input)
	return o, err
}

// Plan says how options are tried.
type Plan struct {
	// Folds are the numbers of the folds; nil for all of the first split. Numbers from as many as a split has on are of
	// further splits, each with another seed.
	Folds []int
	// Share is one in so many of the documents that are trained on, each class in its share; 0 for all of them.
	Share   int
	Workers int // how many trainings run side by side and share the threads; results do not depend on it
	// Warm starts each model from the solution of the one before on the same fold, which takes less time. Results then
	// depend on the order of the options, within the tolerance.
	Warm  bool
	Size  bool // measure the size of models
	Speed bool // measure how fast models score texts, if the dataset has them
	// Judge, if not nil, is told of each document and of the model that has not seen it, fold after fold if there is one
	// worker. The document has its text. The dataset must have texts.
	Judge func(c *score.Classifier, l *score.Labelled)
}

// Try trains with each of several options on all folds but one and evaluates on that one, for all folds of the plan.
// The options must have been resolved; those that have the same matrix share it. Results are visited one at a time as
// they come; the order within a fold is fixed.
func (f *Folds) Try(ctx context.Context, settings []Options, plan Plan, visit func(Trial)) error {
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
		var err error
		most := (int(rows.GetCardinality()) + plan.Share - 1) / plan.Share
		if rows, err = f.ds.Sample(ctx, rows, most, settings[0].Seed); err != nil {
			return err
		}
	}
	settings = slices.Clone(settings)
	for i := range settings {
		if settings[i].choosesKind(f.ds) {
			var err error
			if settings[i], _, err = settings[i].settle(ctx, f.ds, rows, f.input); err != nil {
				return err
			}
		}
	}
	var last *duals
	if plan.Warm {
		last = &duals{}
	}
	for _, some := range f.shareMatrix(settings) {
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
		tuned, err := holdOut(ctx, f.ds, d.Documents, &settings[i], settings[i].keptTuning(f.ds))
		if err != nil {
			return err
		}
		m, _, err := tuned.apply(c.Model())
		if err != nil {
			return err
		}
		if m, err = withRoundWeights(m, &settings[i]); err != nil {
			return err
		}
		c = score.New(m)
		t := Trial{Setting: i, Fold: fold, Train: laidOut + time.Since(start)}
		if f.valid != nil {
			start = time.Now()
			t.Report, err = c.Evaluate(ctx, *f.valid, score.Options{Threads: settings[i].Threads})
			t.Score = time.Since(start)
			*f.valid = f.valid.Again()
		} else {
			t.Report, t.Score, err = f.evaluate(ctx, c, fold, settings[i].threads(), plan.Judge)
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

// evaluate predicts the documents of a fold.
func (f *Folds) evaluate(
	ctx context.Context, c *score.Classifier, fold, threads int, judge func(c *score.Classifier, l *score.Labelled),
) (*metrics.Report, time.Duration, error) {
	if judge == nil {
		return score.EvaluateRows(ctx, c, f.ds, f.tests[fold], threads, nil)
	}
	texts := map[int][]byte{}
	if err := f.ds.EachText(ctx, f.tests[fold], 1, func(_, doc int, text []byte) { texts[doc] = bytes.Clone(text) }); err != nil {
		return nil, 0, err
	}
	return score.EvaluateRows(ctx, c, f.ds, f.tests[fold], threads, func(doc int, l *score.Labelled) {
		l.Document = &corpus.Document{Text: texts[doc]}
		judge(c, l)
	})
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

// CrossValidation is the outcome of CrossValidate: a trial of each fold. Durations differ from run to run; all else does
// not.
type CrossValidation struct {
	Trials     []Trial
	Documents  int // of the whole input
	Labels     []string
	MultiLabel bool
	Plain      bool // whether near-duplicates may be in several folds
	Grouped    int  // documents that have near-duplicates, all in the same fold
	Divided    int  // documents that have near-duplicates in other folds, too, as there are too many of them for one
}

// CrossValidate trains with each of several options on all folds but one and evaluates on that one, in turn. The folds
// are the same for all. Documents are read once for all options that take the same n-grams from texts, and options that
// have the same matrix share it. judge is nil, or that of a [Plan].
func CrossValidate(
	ctx context.Context, in corpus.Input, settings []Options, folds int, judge func(c *score.Classifier, l *score.Labelled),
) ([]*CrossValidation, error) {
	if len(settings) == 0 {
		return nil, errors.New("nbsvm: no options to cross-validate")
	}
	settings = slices.Clone(settings)
	for i := range settings {
		if settings[i].Seed != settings[0].Seed {
			return nil, fmt.Errorf("nbsvm: all settings need the same seed, as it makes the folds: setting 1 has %d, setting %d has %d", settings[0].Seed, i+1, settings[i].Seed)
		}
		var err error
		if settings[i], err = settings[i].ofKind(in); err != nil {
			return nil, err
		}
	}
	groups := readAlike(settings)
	if len(groups) > 1 && in.ReadsStdin() {
		return nil, errors.New("nbsvm: the settings need different n-grams, so the documents are read several times: give files, not standard input")
	}
	all, done := make([]*CrossValidation, len(settings)), 0
	progress := settings[0].Progress
	for _, group := range groups {
		first := max(0, slices.IndexFunc(group, func(i int) bool { return settings[i].counted() }))
		f, err := OpenFolds(ctx, in, settings[group[first]], folds, nil)
		if err != nil {
			return nil, err
		}
		err = f.crossValidate(ctx, settings, group, all, judge, func() {
			if done++; progress != nil {
				progress(corpus.Progress{Stage: "folds", Done: int64(done), Total: int64(folds * len(settings)), Unit: "folds"})
			}
		})
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
		in = in.Again()
	}
	return all, nil
}

// crossValidate tries some of the settings on all folds. It calls next after each of them.
func (f *Folds) crossValidate(
	ctx context.Context, settings []Options, some []int, all []*CrossValidation,
	judge func(c *score.Classifier, l *score.Labelled), next func(),
) error {
	if judge != nil && !f.ds.HasTexts() {
		return errors.New("nbsvm: there are no texts to show: packed corpora, ready-made features and --memory keep none")
	}
	resolved := make([]Options, len(some))
	for k, i := range some {
		var err error
		if resolved[k], err = f.Resolve(settings[i]); err != nil {
			return err
		}
		resolved[k].NamesLimit = 0
		all[i] = &CrossValidation{
			Documents: f.ds.Documents, Labels: f.ds.Classes.Labels, MultiLabel: f.ds.Classes.Multi, Plain: f.asked.PlainFolds,
		}
		all[i].Grouped, all[i].Divided = f.Grouped()
	}
	return f.Try(ctx, resolved, Plan{Judge: judge}, func(t Trial) {
		cv := all[some[t.Setting]]
		cv.Trials = append(cv.Trials, t)
		next()
	})
}

// readAlike groups the settings that can share the n-grams of one reading: counts serve those that do without them, too.
func readAlike(settings []Options) [][]int {
	return grouped(settings, func(o Options) any {
		o.Values = Count
		return o.reading()
	})
}

// shareMatrix groups the settings that have the same matrix. A plan for rows on disk may be that of another loss.
func (f *Folds) shareMatrix(settings []Options) [][]int {
	return grouped(settings, func(o Options) any {
		key := *o.matrixOptions(f.ds)
		key.Outputs, key.Loss = 0, 0
		return key
	})
}

// grouped lists the numbers of settings that have the same key, by the first of each.
func grouped(settings []Options, key func(Options) any) (groups [][]int) {
	number := map[any]int{}
	for i, o := range settings {
		k := key(o)
		n, ok := number[k]
		if !ok {
			n = len(groups)
			number[k], groups = n, append(groups, nil)
		}
		groups[n] = append(groups[n], i)
	}
	return groups
}
