package train

import (
	"context"
	"errors"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/internal/dataset"
	"github.com/seed-167f963f/nbsvm/internal/matrix"
	"github.com/seed-167f963f/nbsvm/internal/score"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// CrossValidation is the outcome of CrossValidate.
type CrossValidation struct {
	Folds []*metrics.Report
	// Documents and features of the whole input.
	Documents int
	Labels    []string
}

// CrossValidate trains with each of several options on all folds but one and evaluates on that one, in turn. The
// options must take the same n-grams from texts: these are hashed once for all, and those options that have the same
// matrix share it.
func CrossValidate(ctx context.Context, in dataset.Input, settings []Options, folds int) ([]*CrossValidation, error) {
	if folds < 2 {
		return nil, fmt.Errorf("nbsvm: %d folds, want at least 2", folds)
	}
	if len(settings) == 0 {
		return nil, errors.New("nbsvm: no options to cross-validate")
	}
	ds, settings, err := prepareAll(ctx, in, settings)
	if err != nil {
		return nil, err
	}
	defer ds.Close()
	if folds > ds.Documents {
		return nil, fmt.Errorf("nbsvm: %d folds of %d documents, which are fewer: take fewer folds (--folds)", folds, ds.Documents)
	}
	all := make([]*CrossValidation, len(settings))
	for i := range settings {
		settings[i].NamesLimit, settings[i].Checkpoint = 0, Checkpoint{}
		all[i] = &CrossValidation{Documents: ds.Documents, Labels: ds.Classes.Labels}
	}
	tests, err := splitFolds(ctx, ds, ds.All(), folds, settings[0].Seed)
	if err != nil {
		return nil, err
	}
	done, sharing := 0, shareMatrix(settings)
	for k, test := range tests {
		for _, group := range sharing {
			err := evaluateFold(ctx, ds, test, settings, group, func(i int, r *metrics.Report) {
				all[i].Folds = append(all[i].Folds, r)
				if done++; settings[i].Progress != nil {
					settings[i].Progress(dataset.Progress{Stage: "folds", Done: int64(done), Total: int64(folds * len(settings)), Unit: "folds"})
				}
			})
			if err != nil {
				return nil, fmt.Errorf("nbsvm: fold %d of %d: %w", k+1, folds, err)
			}
		}
	}
	return all, nil
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
	d, err := LayOut(ctx, ds, rows, &settings[some[0]], false)
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
	return score.EvaluateRows(ctx, c, ds, test, o.threads())
}

// trainRows trains on the documents in rows; no names, no thresholds.
func trainRows(ctx context.Context, ds *dataset.Dataset, rows *roaring.Bitmap, o *Options) (*score.Classifier, error) {
	d, err := LayOut(ctx, ds, rows, o, false)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return trainOn(ctx, ds, d, o)
}

// trainOn trains on a matrix; no names, no thresholds.
func trainOn(ctx context.Context, ds *dataset.Dataset, d *matrix.Matrix, o *Options) (*score.Classifier, error) {
	f, err := Fit(ctx, ds, d, o)
	if err != nil {
		return nil, err
	}
	m, err := f.Model()
	if err != nil {
		return nil, err
	}
	return score.New(m), nil
}
