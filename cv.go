package nbsvm

import (
	"context"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/internal/splitmix"
	"github.com/seed-167f963f/nbsvm/metrics"
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
	if folds < 2 {
		return nil, fmt.Errorf("nbsvm: %d folds, want at least 2", folds)
	}
	ds, err := prepare(ctx, in, &o)
	if err != nil {
		return nil, err
	}
	defer ds.close()
	if folds > ds.docs {
		return nil, fmt.Errorf("nbsvm: %d folds of %d documents", folds, ds.docs)
	}
	o.NamesLimit, o.Checkpoint = 0, Checkpoint{}
	cv := &CrossValidation{Documents: ds.docs, Labels: ds.classes.labels}
	for k, test := range ds.folds(ds.all(), folds, o.Seed) {
		report, err := ds.evaluateFold(ctx, test, &o)
		if err != nil {
			return nil, fmt.Errorf("nbsvm: fold %d of %d: %w", k+1, folds, err)
		}
		cv.Folds = append(cv.Folds, report)
		if o.Progress != nil {
			o.Progress(Progress{Stage: "folds", Done: int64(k + 1), Total: int64(folds), Unit: "folds"})
		}
	}
	return cv, nil
}

// evaluateFold trains on all documents but those of test, and evaluates on these.
func (ds *dataset) evaluateFold(ctx context.Context, test *roaring.Bitmap, o *Options) (*metrics.Report, error) {
	c, err := ds.train(ctx, roaring.AndNot(ds.all(), test), o)
	if err != nil {
		return nil, err
	}
	tuned, err := holdOut(ctx, ds, roaring.AndNot(ds.all(), test), o)
	if err != nil {
		return nil, err
	}
	tuned.apply(c.m)
	var all judged
	err = ds.predict(ctx, c, test, func(doc int, p *Prediction) {
		all.add(c.MultiLabel(), ds.classes.labelsOf(doc), p)
	})
	if err != nil {
		return nil, err
	}
	return c.report(&all)
}

// train trains on the documents in rows; no names, no thresholds.
func (ds *dataset) train(ctx context.Context, rows *roaring.Bitmap, o *Options) (*Classifier, error) {
	d, err := newDesign(ctx, ds, rows, o, false)
	if err != nil {
		return nil, err
	}
	defer d.close()
	f, err := fit(ctx, ds, d, o)
	if err != nil {
		return nil, err
	}
	m, err := assemble(ds, d, f, o)
	if err != nil {
		return nil, err
	}
	return newClassifier(m, nil), nil
}

// predict predicts the documents in rows from their hashes.
func (ds *dataset) predict(ctx context.Context, c *Classifier, rows *roaring.Bitmap, visit func(doc int, p *Prediction)) error {
	if ds.packed != nil {
		return ds.predictPacked(ctx, c, rows, visit)
	}
	s, err := c.NewScorer()
	if err != nil {
		return err
	}
	for _, b := range ds.batches {
		if err := ctx.Err(); err != nil {
			return err
		}
		for k := range b.ends {
			if !rows.Contains(uint32(b.first + k)) {
				continue
			}
			lo, hi := b.bounds(k)
			switch {
			case ds.ready:
				s.features.set(b.ids[lo:hi], nil, b.values[lo:hi])
			case b.counts != nil:
				s.hashed(b.hashes[lo:hi], b.counts[lo:hi])
			default:
				s.hashed(b.hashes[lo:hi], nil)
			}
			p := s.predict()
			visit(b.first+k, &p)
		}
	}
	return nil
}

// folds splits the documents in rows into stratified folds: the documents of
// each class, shuffled by the seed, are dealt out in turn, each class starting
// where the last one stopped, so that folds differ in size by at most one.
func (ds *dataset) folds(rows *roaring.Bitmap, n int, seed uint64) []*roaring.Bitmap {
	strata := map[string][]uint32{}
	var keys []string
	for it := rows.Iterator(); it.HasNext(); {
		doc := it.Next()
		key := fmt.Sprint(ds.classes.labelsOf(int(doc)))
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
