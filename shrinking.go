package nbsvm

import (
	"context"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/learn"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
)

// shrinking measures on held-out documents what MaxModel costs. It returns nil if there is no limit, or if a model of
// the other documents is not above it.
func shrinking(ctx context.Context, ds *dataset.Dataset, p *learn.Params) (*Shrinking, error) {
	if p.MaxModel == 0 || ds.Documents < learn.HoldOutFolds {
		return nil, nil
	}
	quiet := *p
	quiet.Progress, quiet.Judge = nil, nil
	parts, err := ds.Division(ctx, p.Threads)
	if err != nil {
		return nil, err
	}
	held, err := parts.Held(ctx, ds.All(), learn.HoldOutFolds, p.Solver.Seed)
	if err != nil {
		return nil, err
	}
	rest, err := ds.Sample(ctx, roaring.AndNot(ds.All(), held), learn.TuneFrom, p.Solver.Seed)
	if err != nil {
		return nil, err
	}
	if held, err = ds.Sample(ctx, held, learn.TuneOn, p.Solver.Seed); err != nil {
		return nil, err
	}
	x, err := learn.LayOut(ctx, ds, rest, &quiet)
	if err != nil {
		return nil, err
	}
	defer x.Close()
	small, whole, _, err := learn.Model(ctx, ds, x, &quiet, nil)
	if err != nil || whole == nil {
		return nil, err
	}
	before, err := (&Classifier{score.New(whole)}).microF1(ctx, ds, held, parts.Weight, p.Threads)
	if err != nil {
		return nil, err
	}
	after, err := (&Classifier{score.New(small)}).microF1(ctx, ds, held, parts.Weight, p.Threads)
	if err != nil {
		return nil, err
	}
	// Where documents have one label, micro F1 is the accuracy.
	return &Shrinking{Documents: int(held.GetCardinality()), Before: before, After: after}, nil
}
