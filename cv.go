package nbsvm

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-167f963f/nbsvm/dataset"
	"github.com/seed-167f963f/nbsvm/matrix"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/splitmix"
	"github.com/seed-167f963f/nbsvm/metrics"
	"github.com/seed-167f963f/nbsvm/score"
)

// CrossValidation is the outcome of CrossValidate.
type CrossValidation struct {
	Folds []*metrics.Report
	// Documents and features of the whole input.
	Documents int
	Labels    []string
}

// CrossValidate trains on all folds but one and evaluates on that one, in turn.
// Folds are stratified: each has its share of every class (of every combination
// of labels, where documents have several). Text is read and hashed once; all
// that is learned from documents (which n-grams count, ratios, weights,
// thresholds) is learned without the held-out fold.
func CrossValidate(ctx context.Context, in Input, o Options, folds int) (*CrossValidation, error) {
	all, err := CrossValidateAll(ctx, in, []Options{o}, folds)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// CrossValidateAll is CrossValidate for several options, which must take the same n-grams
// from texts: these are hashed once for all, and those options that have the same matrix
// share it.
func CrossValidateAll(ctx context.Context, in Input, settings []Options, folds int) ([]*CrossValidation, error) {
	if folds < 2 {
		return nil, fmt.Errorf("nbsvm: %d folds, want at least 2", folds)
	}
	if len(settings) == 0 {
		return nil, errors.New("nbsvm: no options to cross-validate")
	}
	settings = slices.Clone(settings)
	ds, err := prepareAll(ctx, in, settings)
	if err != nil {
		return nil, err
	}
	defer ds.Close()
	if folds > ds.Documents {
		return nil, fmt.Errorf("nbsvm: %d folds of %d documents", folds, ds.Documents)
	}
	all := make([]*CrossValidation, len(settings))
	for i := range settings {
		settings[i].NamesLimit, settings[i].Checkpoint = 0, Checkpoint{}
		all[i] = &CrossValidation{Documents: ds.Documents, Labels: ds.Classes.Labels}
	}
	done, sharing := 0, shareMatrix(settings)
	for k, test := range splitFolds(ds, ds.All(), folds, settings[0].Seed) {
		for _, group := range sharing {
			err := evaluateFold(ctx, ds, test, settings, group, func(i int, r *metrics.Report) {
				all[i].Folds = append(all[i].Folds, r)
				if done++; settings[i].Progress != nil {
					settings[i].Progress(Progress{Stage: "folds", Done: int64(done), Total: int64(folds * len(settings)), Unit: "folds"})
				}
			})
			if err != nil {
				return nil, fmt.Errorf("nbsvm: fold %d of %d: %w", k+1, folds, err)
			}
		}
	}
	return all, nil
}

// prepareAll is prepare for several options.
func prepareAll(ctx context.Context, in Input, settings []Options) (*dataset.Dataset, error) {
	for i := range settings {
		if settings[i].reading() != settings[0].reading() {
			return nil, fmt.Errorf("nbsvm: settings 1 and %d take other n-grams from texts: tokens, n-grams, counts and seed must be the same", i+1)
		}
	}
	ds, err := prepare(ctx, in, &settings[0], true)
	if err != nil {
		return nil, err
	}
	for i := 1; i < len(settings) && err == nil; i++ {
		o := &settings[i]
		bits := o.Text.Bits
		o.Text = settings[0].Text
		o.Text.Bits = bits
		if err = o.Validate(); err == nil && ds.Path != "" {
			err = o.follow(ds)
		}
		if err == nil {
			err = o.settle(ds)
		}
	}
	if err != nil {
		ds.Close()
		return nil, err
	}
	return ds, nil
}

// reading is what options say of how texts become n-grams.
func (o *Options) reading() any {
	text := o.Text
	text.Bits, text.Seed = 0, 0
	return struct {
		text          hashing.Options
		auto, counted bool
		seed          uint64
	}{text, o.AutoNgrams, o.counted(), o.Seed}
}

// shareMatrix lists, for every matrix there is, the settings that have it.
func shareMatrix(settings []Options) (groups [][]int) {
	type matrix struct {
		bits, minDF             int
		maxDF                   float64
		values                  Values
		sublinear, prenormalize bool
		memory                  int64
	}
	number := map[matrix]int{}
	for i := range settings {
		o := &settings[i]
		m := matrix{o.Text.Bits, o.MinDF, o.MaxDF, o.Values, o.SublinearTF, o.Prenormalize, o.Memory}
		n, ok := number[m]
		if !ok {
			n = len(groups)
			number[m], groups = n, append(groups, nil)
		}
		groups[n] = append(groups[n], i)
	}
	return groups
}

// evaluateFold trains, for some settings of one matrix, on all documents but those of test,
// and evaluates on these.
func evaluateFold(ctx context.Context, ds *dataset.Dataset, test *roaring.Bitmap, settings []Options, some []int, visit func(i int, r *metrics.Report)) error {
	rows := roaring.AndNot(ds.All(), test)
	d, err := settings[some[0]].layOut(ctx, ds, rows, false)
	if err != nil {
		return err
	}
	defer d.Close()
	for _, i := range some {
		r, err := evaluateOn(ctx, ds, d, test, &settings[i])
		if err != nil {
			return err
		}
		visit(i, r)
	}
	return nil
}

// evaluateOn trains on a matrix, and evaluates on the documents of test.
func evaluateOn(ctx context.Context, ds *dataset.Dataset, d *matrix.Matrix, test *roaring.Bitmap, o *Options) (*metrics.Report, error) {
	c, err := trainOn(ctx, ds, d, o)
	if err != nil {
		return nil, err
	}
	tuned, err := holdOut(ctx, ds, d.Documents, o)
	if err != nil {
		return nil, err
	}
	tuned.apply(c.Model())
	return c.EvaluateRows(ctx, ds, test, o.threads())
}

// train trains on the documents in rows; no names, no thresholds.
func trainRows(ctx context.Context, ds *dataset.Dataset, rows *roaring.Bitmap, o *Options) (*Classifier, error) {
	d, err := o.layOut(ctx, ds, rows, false)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return trainOn(ctx, ds, d, o)
}

// trainOn trains on a matrix; no names, no thresholds.
func trainOn(ctx context.Context, ds *dataset.Dataset, d *matrix.Matrix, o *Options) (*Classifier, error) {
	f, err := fit(ctx, ds, d, o)
	if err != nil {
		return nil, err
	}
	m, err := assemble(ds, d, f, o)
	if err != nil {
		return nil, err
	}
	return score.New(m), nil
}

// folds splits the documents in rows into stratified folds: the documents of
// each class, shuffled by the seed, are dealt out in turn, each class starting
// where the last one stopped, so that folds differ in size by at most one.
func splitFolds(ds *dataset.Dataset, rows *roaring.Bitmap, n int, seed uint64) []*roaring.Bitmap {
	strata := map[string][]uint32{}
	var keys []string
	for it := rows.Iterator(); it.HasNext(); {
		doc := it.Next()
		key := fmt.Sprint(ds.Classes.LabelsOf(int(doc)))
		if strata[key] == nil {
			keys = append(keys, key)
		}
		strata[key] = append(strata[key], doc)
	}
	folds := make([]*roaring.Bitmap, n)
	for i := range folds {
		folds[i] = roaring.New()
	}
	next, random := 0, splitmix.Source(seed)
	for _, key := range keys {
		docs := strata[key]
		splitmix.Shuffle(&random, docs)
		for _, doc := range docs {
			folds[next].Add(doc)
			next = (next + 1) % n
		}
	}
	return folds
}
