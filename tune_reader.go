package nbsvm

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
)

// reading says what documents were read for.
type reading struct {
	ngrams string
	sample int  // one in so many of the documents
	byWord bool // n-grams within words count by word, which other settings can't do with
}

// reading returns what documents must be read for to try a setting on one in so many of them.
func (s *TuneSetting) reading(sample int) reading {
	families, err := parseFamilies(s.Ngrams)
	within := func(f hashing.Family) bool { return f.Tokenizer == hashing.CharWB }
	return reading{s.Ngrams, sample, err == nil && s.Values == ByWord && slices.ContainsFunc(families, within)}
}

// reader keeps documents as rows of n-grams.
type reader struct {
	in   corpus.Input
	o    *TuneOptions
	open map[reading]*foldSet
	took map[string]time.Duration // to read all documents, by n-grams
}

// mostEntries is how many entries of rows are kept, of all sets of n-grams together: about a gigabyte. What is read
// next then takes the place of all others.
var mostEntries int64 = 400_000_000

func newReader(in corpus.Input, o *TuneOptions) *reader {
	return &reader{in: in, o: o, open: map[reading]*foldSet{}, took: map[string]time.Duration{}}
}

// folds returns the folds for a setting's n-grams, of one in this many documents. Packed corpora are read whole.
func (r *reader) folds(ctx context.Context, s TuneSetting, sample int) (*foldSet, error) {
	asked := s.reading(sample)
	if f := r.open[asked]; f != nil {
		return f, nil
	}
	o, err := s.Options(r.o.Base)
	if err != nil {
		return nil, err
	}
	if s.Ngrams != "" && !asked.byWord {
		o.Values = Count // settings may do without
	}
	numbers := o.Kind.Numbers()
	if o.Loss, o.Kind = "", NBSVM; numbers {
		o.Kind = NBSVR
	}
	o.Progress = nil
	if r.o.Progress != nil {
		o.Progress = func(p corpus.Progress) { r.o.Progress(TuneProgress{Read: p}) }
	}
	start := time.Now()
	in := r.in
	if sample > 1 {
		o.sample = sample
		in = in.Again()
		in.ManyClasses = true // of a few documents, classes may well have one
	}
	f, err := openFolds(ctx, in, o, r.o.Folds, r.o.Valid)
	if err != nil {
		return nil, err
	}
	if sample == 1 {
		r.in = r.in.Again()
		r.took[s.Ngrams] = time.Since(start)
	}
	r.open[asked] = f
	var entries int64
	for _, f := range r.open {
		entries += f.ds.Meta.Entries
	}
	if entries <= mostEntries {
		return f, nil
	}
	delete(r.open, asked)
	err = r.close()
	r.open = map[reading]*foldSet{asked: f}
	return f, err
}

// fixNgrams fixes the n-grams that were left to the documents, and returns them.
func (r *reader) fixNgrams(f *foldSet) (ngrams string) {
	ngrams = formatFamilies(f.FixNgrams())
	r.open[reading{ngrams, 1, false}], r.took[ngrams] = f, r.took[""]
	delete(r.open, reading{"", 1, false})
	return ngrams
}

func (r *reader) close() error {
	var err error
	for _, f := range r.open {
		err = errors.Join(err, f.Close())
	}
	return err
}
