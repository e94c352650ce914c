package train

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/data/matrix"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// CrossValidation is the outcome of CrossValidate.
type CrossValidation struct {
	Folds []*metrics.Report
	// Times are those of the folds. They differ from run to run; all else does not.
	Times []FoldTimes
	// Documents and features of the whole input.
	Documents int
	Labels    []string
	// MultiLabel says whether documents have any number of labels.
	MultiLabel bool
}

// FoldTimes tell how long a model took that was trained without a fold. Documents are read and hashed once for all,
// which is not part of it.
type FoldTimes struct {
	Train time.Duration // to lay out the matrix, and to train on it
	Score time.Duration // to predict the fold's documents, whose number is Report.N, from their features
}

// CrossValidate trains with each of several options on all folds but one and evaluates on that one, in turn. The folds
// are the same for all. Documents are read once for all options that take the same n-grams from texts, and those
// that have the same matrix share it.
func CrossValidate(ctx context.Context, in corpus.Input, settings []Options, folds int) ([]*CrossValidation, error) {
	if len(settings) == 0 {
		return nil, errors.New("nbsvm: no options to cross-validate")
	}
	for i := range settings {
		if settings[i].Seed != settings[0].Seed {
			return nil, fmt.Errorf("nbsvm: settings 1 and %d have other seeds, and so other folds", i+1)
		}
	}
	settings = slices.Clone(settings)
	for i := range settings {
		var err error
		if settings[i], err = settings[i].ofKind(in); err != nil {
			return nil, err
		}
	}
	groups := readAlike(settings)
	if len(groups) > 1 && in.ReadsStdin() {
		return nil, errors.New("nbsvm: the settings take other n-grams from texts, so that documents are read several times: give files, not standard input")
	}
	all, done := make([]*CrossValidation, len(settings)), 0
	for _, group := range groups {
		err := crossValidateGroup(ctx, in, settings, group, folds, func(i int, f *Folds, t Trial) {
			if all[i] == nil {
				all[i] = &CrossValidation{Documents: f.ds.Documents, Labels: f.ds.Classes.Labels, MultiLabel: f.ds.Classes.Multi}
			}
			all[i].Folds = append(all[i].Folds, t.Report)
			all[i].Times = append(all[i].Times, FoldTimes{t.Train, t.Score})
			if done++; settings[0].Progress != nil {
				settings[0].Progress(dataset.Progress{Stage: "folds", Done: int64(done), Total: int64(folds * len(settings)), Unit: "folds"})
			}
		})
		if err != nil {
			return nil, err
		}
		in = in.Again()
	}
	return all, nil
}

// readAlike lists, for every way to read texts, the settings that take the same n-grams from them. Those that do
// without counts are among those with them. The first setting of a list says what all of it need.
func readAlike(settings []Options) (groups [][]int) {
	number := map[any]int{}
	for _, counted := range []bool{true, false} {
		for i, o := range settings {
			if o.counted() != counted {
				continue
			}
			o.Values = Count
			g, ok := number[o.reading()]
			if !ok {
				g = len(groups)
				number[o.reading()], groups = g, append(groups, nil)
			}
			groups[g] = append(groups[g], i)
		}
	}
	return groups
}

// crossValidateGroup is CrossValidate for some of the settings, which read texts alike.
func crossValidateGroup(
	ctx context.Context, in corpus.Input, settings []Options, group []int, folds int,
	visit func(i int, f *Folds, t Trial),
) error {
	f, err := OpenFolds(ctx, in, settings[group[0]], folds, nil)
	if err != nil {
		return err
	}
	defer f.Close()
	resolved := make([]Options, len(group))
	for k, i := range group {
		if resolved[k], err = f.Resolve(settings[i]); err != nil {
			return err
		}
		resolved[k].NamesLimit, resolved[k].Checkpoint = 0, Checkpoint{}
	}
	return f.Try(ctx, resolved, Plan{}, func(t Trial) { visit(group[t.Setting], f, t) })
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

// trainTuned trains on a matrix, with what is learned from documents that are held out in turn; no names.
func trainTuned(ctx context.Context, ds *dataset.Dataset, d *matrix.Matrix, o *Options, from *duals) (*score.Classifier, error) {
	c, err := trainOn(ctx, ds, d, o, from)
	if err != nil {
		return nil, err
	}
	tuned, err := holdOut(ctx, ds, d.Documents, o)
	if err != nil {
		return nil, err
	}
	tuned.apply(c.Model())
	return c, nil
}

// trainRows trains on the documents in rows; no names, no thresholds.
func trainRows(ctx context.Context, ds *dataset.Dataset, rows *roaring.Bitmap, o *Options) (*score.Classifier, error) {
	d, err := LayOut(ctx, ds, rows, o, false)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return trainOn(ctx, ds, d, o, nil)
}

// trainOn trains on a matrix; no names, no thresholds.
func trainOn(ctx context.Context, ds *dataset.Dataset, d *matrix.Matrix, o *Options, from *duals) (*score.Classifier, error) {
	f, err := fitFrom(ctx, ds, d, o, from)
	if err != nil {
		return nil, err
	}
	m, err := f.Model()
	if err != nil {
		return nil, err
	}
	return score.New(m), nil
}
