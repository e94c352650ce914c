package tune

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/learn/train"
)

// reading is what documents were read for.
type reading struct {
	features string
	sample   int // one in so many of the documents
}

// reader keeps documents as rows of features, for the sets of features that were asked for last.
type reader struct {
	in   corpus.Input
	o    *Options
	open map[reading]*train.Folds
	last []reading                // those in open, the latest asked for last
	took map[string]time.Duration // to read all documents, by features
}

// mostEntries is how many entries of rows are kept, of all sets of features together: about a gigabyte.
const mostEntries = 400_000_000

func newReader(in corpus.Input, o *Options) *reader {
	return &reader{in: in, o: o, open: map[reading]*train.Folds{}, took: map[string]time.Duration{}}
}

// folds are those of a setting's features, of one in so many of the documents. What was packed is read whole.
func (r *reader) folds(ctx context.Context, s Setting, sample int) (*train.Folds, error) {
	asked := reading{s.Features, sample}
	if f := r.open[asked]; f != nil {
		r.touch(asked)
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
		o.Progress = func(p corpus.Progress) { r.o.Progress(Progress{Read: p}) }
	}
	start := time.Now()
	in := r.in
	if in.Sample = sample; sample > 1 {
		in = in.Again()
		in.ManyClasses = true // of a few documents, classes may well have one
	}
	f, err := train.OpenFolds(ctx, in, o, r.o.Folds, r.o.Valid)
	if err != nil {
		return nil, err
	}
	if sample == 1 {
		r.in = r.in.Again()
		r.took[s.Features] = time.Since(start)
	}
	r.open[asked] = f
	r.touch(asked)
	return f, r.shrink()
}

// touch notes that a reading was asked for.
func (r *reader) touch(asked reading) {
	r.last = append(slices.DeleteFunc(r.last, func(other reading) bool { return other == asked }), asked)
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
