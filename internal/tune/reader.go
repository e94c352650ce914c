package tune

import (
	"context"
	"errors"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/dataset"
	"github.com/seed-167f963f/nbsvm/internal/train"
)

// reader keeps documents as rows of features, for the sets of features that were asked for last.
type reader struct {
	in   dataset.Input
	o    *Options
	open map[string]*train.Folds
	last []string // features in open, the latest asked for last
	took map[string]time.Duration
}

// mostEntries is how many entries of rows are kept, of all sets of features together: about a gigabyte.
const mostEntries = 400_000_000

func newReader(in dataset.Input, o *Options) *reader {
	return &reader{in: in, o: o, open: map[string]*train.Folds{}, took: map[string]time.Duration{}}
}

// folds are those of a setting's features.
func (r *reader) folds(ctx context.Context, s Setting) (*train.Folds, error) {
	if f := r.open[s.Features]; f != nil {
		r.touch(s.Features)
		return f, nil
	}
	o, err := s.Options(r.o.Base)
	if err != nil {
		return nil, err
	}
	if s.Features != "" {
		o.Values = train.Count // settings may do without
	}
	o.Loss, o.Kind, o.SublinearTF = "", train.NBSVM, false
	o.Progress = nil
	if r.o.Progress != nil {
		o.Progress = func(p dataset.Progress) { r.o.Progress(Progress{Read: p}) }
	}
	start := time.Now()
	f, err := train.OpenFolds(ctx, r.in, o, r.o.Folds, r.o.Valid)
	if err != nil {
		return nil, err
	}
	r.in = r.in.Again()
	r.took[s.Features] = time.Since(start)
	r.open[s.Features] = f
	r.touch(s.Features)
	return f, r.shrink()
}

// touch notes that features were asked for.
func (r *reader) touch(features string) {
	kept := r.last[:0]
	for _, f := range r.last {
		if f != features {
			kept = append(kept, f)
		}
	}
	r.last = append(kept, features)
}

// shrink gives up those that were asked for longest ago, where too much is kept.
func (r *reader) shrink() error {
	var err error
	for {
		var entries int64
		for _, f := range r.open {
			entries += f.Dataset().Meta.Entries
		}
		if entries <= mostEntries || len(r.last) < 2 {
			return err
		}
		err = errors.Join(err, r.open[r.last[0]].Close())
		delete(r.open, r.last[0])
		r.last = r.last[1:]
	}
}

func (r *reader) close() error {
	var err error
	for _, f := range r.open {
		err = errors.Join(err, f.Close())
	}
	return err
}
