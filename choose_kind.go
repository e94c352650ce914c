package nbsvm

import (
	"context"
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/data/vocab"
	"github.com/seed-167f963f/nbsvm/internal/learn"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/sparse"
)

const (
	// candidateFolds is the number of folds on which kinds of models are compared.
	candidateFolds = 5
	// candidateWork limits the documents of the comparison, in entries times outputs: this many take about a second.
	candidateWork = 1 << 22
	// leastCandidateDocuments are compared on even if they take longer: fewer say too little.
	leastCandidateDocuments = 1000
	// candidateDocuments is how many documents a class needs on average for a comparison.
	candidateDocuments = 10
)

// choosesKind reports whether the kind of model is left to documents.
func (o *Options) choosesKind(ds *dataset.Dataset) bool { return o.Kind == AutoKind && ds.Ready() }

// chooseKind resolves options with the kind of model that suits ready-made features best: the one with the highest
// micro-F1 in cross-validation on the documents in rows, which will be trained on. Only this shows whether features are
// words or indicators, which gain by ratios, or measurements, which lose by ratios and by unit length: see
// docs/explanation/defaults.md. With too few documents it chooses the first candidate.
func (o Options) chooseKind(
	ctx context.Context, ds *dataset.Dataset, rows *roaring.Bitmap, input string,
) (*settings, []Candidate, error) {
	candidates, err := o.candidates(ctx, ds)
	if err != nil {
		return nil, nil, err
	}
	all := make([]*settings, len(candidates))
	for i := range all {
		if all[i], err = candidates[i].settings(ds, input); err != nil {
			return nil, nil, err
		}
	}
	documents, err := ds.Sample(ctx, rows, candidateSize(ds), o.Seed)
	if err != nil {
		return nil, nil, err
	}
	if documents.GetCardinality() < uint64(candidateDocuments*len(ds.Classes.Labels)) {
		return all[0], nil, nil
	}
	scores, err := compare(ctx, ds, documents, all)
	if err != nil {
		return nil, nil, fmt.Errorf("nbsvm: choosing a kind of model by cross-validation: %w; name one with Options.Kind to skip this",
			err)
	}
	compared, best := make([]Candidate, len(all)), 0
	for i, s := range all {
		if compared[i] = (Candidate{s.Kind, s.Normalize, scores[i]}); scores[i] > scores[best] {
			best = i
		}
	}
	return all[best], compared, nil
}

// candidates returns the options to compare: with log-count ratios (unless a feature is negative), and without them,
// for rows of unit length and for unscaled rows.
func (o Options) candidates(ctx context.Context, ds *dataset.Dataset) ([]Options, error) {
	o.Kind = NBSVM
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

// anyNegative reports whether some feature of a document is negative.
func anyNegative(ctx context.Context, ds *dataset.Dataset) (bool, error) {
	if ds.Rows.Kind != vocab.Floats {
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

// candidateSize returns the number of documents to compare kinds on.
func candidateSize(ds *dataset.Dataset) int {
	all := ds.Rows.Totals()
	work := (all.Entries/max(all.Documents, 1) + 1) * uint64(ds.Classes.Outputs())
	return max(leastCandidateDocuments, int(candidateWork/work))
}

// compare cross-validates settings that have the same matrix. It returns the micro-F1 of each, which is the
// accuracy where documents have one label; where they have any number, no thresholds are learned.
func compare(ctx context.Context, ds *dataset.Dataset, documents *roaring.Bitmap, all []*settings) ([]float64, error) {
	parts, err := ds.Division(ctx, all[0].threads())
	if err != nil {
		return nil, err
	}
	folds, err := parts.Folds(ctx, documents, candidateFolds, all[0].Seed)
	if err != nil {
		return nil, err
	}
	quiet, done := make([]settings, len(all)), 0
	for i := range quiet {
		q := &quiet[i]
		*q = *all[i]
		q.Progress, q.Memory, q.MaxModel, q.Threads = nil, 0, 0, 1
	}
	scores := make([]float64, len(all))
	err = par.Map(ctx, all[0].threads(), len(folds), func(_, k int) ([]float64, error) {
		x, err := learn.LayOut(ctx, ds, roaring.AndNot(documents, folds[k]), quiet[0].params(ds))
		if err != nil {
			return nil, err
		}
		defer x.Close()
		var found []float64
		for i := range quiet {
			m, _, _, err := learn.Model(ctx, ds, x, quiet[i].params(ds), nil)
			if err != nil {
				return nil, err
			}
			microF1, err := (&Classifier{score.New(m)}).microF1(ctx, ds, folds[k], parts.Weight, 1)
			if err != nil {
				return nil, err
			}
			found = append(found, microF1)
		}
		return found, nil
	}, func(found []float64) error {
		for i, s := range found {
			scores[i] += s / candidateFolds
		}
		if done++; all[0].Progress != nil {
			all[0].Progress(corpus.Progress{Stage: "choose", Done: int64(done), Total: candidateFolds, Unit: "folds"})
		}
		return nil
	})
	return scores, err
}
