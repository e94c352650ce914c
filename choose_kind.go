package nbsvm

import (
	"context"
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/data/packed"
	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/sparse"
)

const (
	// candidateFolds is the number of folds on which kinds of models are compared.
	candidateFolds = 5
	// candidateWork bounds the documents that they are compared on, by entries times outputs: so many take about a second.
	candidateWork = 1 << 22
	// leastCandidateDocuments are taken whatever they cost: fewer tell too little.
	leastCandidateDocuments = 1000
	// candidateDocuments is how many a class should have on average, or nothing can be told.
	candidateDocuments = 10
)

// choosesKind says whether the kind of model is left to documents.
func (o *Options) choosesKind(ds *dataset.Dataset) bool { return o.AutoKind && ds.Ready() }

// chooseKind returns the options, which must be valid, with the kind of model that suits ready-made features best,
// where that is left to them: the one with the highest micro-F1 in cross-validation on documents in rows, which are
// those that will be trained on, and what was compared. Nothing else tells whether features are words, which gain by
// ratios, indicators, or measurements, which lose by them and by unit length: docs/explanation/defaults.md has figures.
// With too few documents it takes the first candidate.
func (o Options) chooseKind(
	ctx context.Context, ds *dataset.Dataset, rows *roaring.Bitmap, input string,
) (Options, []Candidate, error) {
	if o = o.chosen(); !o.choosesKind(ds) {
		return o, nil, nil
	}
	settings, err := o.candidates(ctx, ds)
	if err != nil {
		return o, nil, err
	}
	for i := range settings {
		if settings[i], err = settings[i].resolve(ds, input); err != nil {
			return o, nil, err
		}
	}
	documents, err := ds.Sample(ctx, rows, candidateSize(ds), o.Seed)
	if err != nil {
		return o, nil, err
	}
	if documents.GetCardinality() < uint64(candidateDocuments*len(ds.Classes.Labels)) {
		return settings[0], nil, nil
	}
	scores, err := compare(ctx, ds, documents, settings)
	if err != nil {
		return o, nil, fmt.Errorf("nbsvm: choosing a kind of model by cross-validation: %w; name one (Options.Kind) to do without",
			err)
	}
	compared, best := make([]Candidate, len(settings)), 0
	for i, s := range settings {
		if compared[i] = (Candidate{s.Kind, s.Normalize, scores[i]}); scores[i] > scores[best] {
			best = i
		}
	}
	return settings[best], compared, nil
}

// candidates are the options of the kinds to compare: with log-count ratios, which negative features do not have, and
// without, for rows of unit length and for rows as they are.
func (o Options) candidates(ctx context.Context, ds *dataset.Dataset) ([]Options, error) {
	o.AutoKind = false
	unit := o
	unit.Kind = SVM
	raw := unit
	raw.Normalize = false
	negative, err := anyNegative(ctx, ds)
	if negative || err != nil {
		return []Options{unit, raw}, err
	}
	return []Options{o, unit, raw}, nil
}

// anyNegative says whether some feature of a document is negative.
func anyNegative(ctx context.Context, ds *dataset.Dataset) (bool, error) {
	if ds.Kind != packed.Floats {
		return false, nil
	}
	var x sparse.CSR
	for i := range ds.Rows.Blocks() {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if err := ds.Rows.Block(i, &x); err != nil {
			return false, err
		}
		for row := range x.Rows {
			if _, values := x.Row(row); slices.ContainsFunc(values, func(v float32) bool { return v < 0 }) {
				return true, nil
			}
		}
		ds.Rows.Release(i)
	}
	return false, nil
}

// candidateSize is on how many documents kinds are compared.
func candidateSize(ds *dataset.Dataset) int {
	all := ds.Rows.Totals()
	work := (all.Entries/max(all.Documents, 1) + 1) * uint64(outputsOf(ds))
	return max(leastCandidateDocuments, int(candidateWork/work))
}

// compare cross-validates resolved options that have the same matrix. It returns the micro-F1 of each, which is the
// accuracy where documents have one label; where they have any number, no thresholds are learned.
func compare(ctx context.Context, ds *dataset.Dataset, documents *roaring.Bitmap, settings []Options) ([]float64, error) {
	parts, err := ds.Division(ctx, settings[0].threads())
	if err != nil {
		return nil, err
	}
	folds, err := parts.Folds(ctx, documents, candidateFolds, settings[0].Seed)
	if err != nil {
		return nil, err
	}
	quiet, done := slices.Clone(settings), 0
	for i := range quiet {
		q := &quiet[i]
		q.Progress, q.Memory, q.MaxModel, q.Threads = nil, 0, 0, 1
	}
	scores := make([]float64, len(settings))
	err = par.Map(ctx, settings[0].threads(), len(folds), func(_, k int) ([]float64, error) {
		x, err := layOut(ctx, ds, roaring.AndNot(documents, folds[k]), &quiet[0])
		if err != nil {
			return nil, err
		}
		defer x.Close()
		var all []float64
		for i := range quiet {
			c, err := trainOn(ctx, ds, x, &quiet[i], nil)
			if err != nil {
				return nil, err
			}
			microF1, err := (&Classifier{c}).microF1(ctx, ds, folds[k], parts.Weight, 1)
			if err != nil {
				return nil, err
			}
			all = append(all, microF1)
		}
		return all, nil
	}, func(all []float64) error {
		for i, s := range all {
			scores[i] += s / candidateFolds
		}
		if done++; settings[0].Progress != nil {
			settings[0].Progress(corpus.Progress{Stage: "choose", Done: int64(done), Total: candidateFolds, Unit: "folds"})
		}
		return nil
	})
	return scores, err
}
