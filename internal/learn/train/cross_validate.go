package train

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed-167f963f/nbsvm/corpus"
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
// are the same for all. Documents are read once for all options that take the same n-grams from texts, and options that
// have the same matrix share it.
func CrossValidate(ctx context.Context, in corpus.Input, settings []Options, folds int) ([]*CrossValidation, error) {
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
		err = f.crossValidate(ctx, settings, group, all, func() {
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
	ctx context.Context, settings []Options, some []int, all []*CrossValidation, next func(),
) error {
	resolved := make([]Options, len(some))
	for k, i := range some {
		var err error
		if resolved[k], err = f.Resolve(settings[i]); err != nil {
			return err
		}
		resolved[k].NamesLimit, resolved[k].Checkpoint = 0, Checkpoint{}
		all[i] = &CrossValidation{Documents: f.ds.Documents, Labels: f.ds.Classes.Labels, MultiLabel: f.ds.Classes.Multi}
	}
	return f.Try(ctx, resolved, Plan{}, func(t Trial) {
		cv := all[some[t.Setting]]
		cv.Folds = append(cv.Folds, t.Report)
		cv.Times = append(cv.Times, FoldTimes{t.Train, t.Score})
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

// shareMatrix groups the settings that have the same matrix.
func shareMatrix(settings []Options) [][]int {
	return grouped(settings, func(o Options) any {
		return struct {
			bits, minDF             int
			maxDF                   float64
			values                  Values
			sublinear, prenormalize bool
			memory                  int64
		}{o.Text.Bits, o.MinDF, o.MaxDF, o.Values, o.SublinearTF, o.Prenormalize, o.Memory}
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
