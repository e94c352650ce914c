package nbsvm

import (
	"context"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/data/matrix"
	"github.com/seed-167f963f/nbsvm/internal/inside"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
)

func init() {
	inside.Classifier = func(c any) *score.Classifier { return c.(*Classifier).c }
	inside.Wrap = func(c *score.Classifier) any { return &Classifier{c} }
	inside.Prepare = func(ctx context.Context, in corpus.Input, options any, holdOut bool) (*dataset.Dataset, error) {
		o := options.(*Options)
		ds, settled, err := prepare(ctx, in, *o, holdOut)
		if err == nil {
			*o = settled
		}
		return ds, err
	}
	inside.LayOut = func(ctx context.Context, ds *dataset.Dataset, documents *roaring.Bitmap, options any) (*matrix.Matrix, error) {
		return layOut(ctx, ds, documents, options.(*Options))
	}
	inside.Fit = func(ctx context.Context, ds *dataset.Dataset, x *matrix.Matrix, options any) (inside.Fitted, error) {
		f, err := fitFrom(ctx, ds, x, options.(*Options), nil)
		if err != nil {
			return nil, err // not a nil pointer in an interface
		}
		return f, nil
	}
}
