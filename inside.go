package nbsvm

import (
	"context"
	"io"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/inside"
	"github.com/seed-167f963f/nbsvm/internal/learn"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
)

func init() {
	inside.Options = func() []inside.Option {
		return convert(table, func(p option) inside.Option {
			return inside.Option{
				Name: p.Name, Fields: p.Fields, Group: p.Group, Placeholder: p.Placeholder, Range: p.Range,
				Words: p.Words,
				Help:  p.help(), Switch: p.isSwitch(),
			}
		})
	}
	inside.CheckTakes = func(kind string, names ...string) error { return Kind(kind).checkTakes(names...) }
	inside.Flags = func(options any) []string { return options.(*Options).flags() }
	inside.FollowPacked = func(options any, in corpus.Input) error {
		o := options.(*Options)
		followed, err := o.followPacked(in)
		if err == nil {
			*o = followed
		}
		return err
	}
	inside.Classifier = func(c any) *score.Classifier { return c.(*Classifier).c }
	inside.Wrap = func(c *score.Classifier) any { return &Classifier{c} }
	inside.ExportMatrix = func(
		ctx context.Context, c any, in corpus.Input, threads int,
		progress func(corpus.Progress), class string, w io.Writer,
	) error {
		return c.(*Classifier).exportMatrix(ctx, in, ScoreOptions{Threads: threads, Progress: progress}, class, w)
	}
	inside.Prepare = func(ctx context.Context, in corpus.Input, options any, holdOut bool) (*dataset.Dataset, error) {
		o := options.(*Options)
		ds, adopted, err := read(ctx, in, *o, holdOut)
		if err != nil {
			return nil, err
		}
		s, _, err := adopted.resolve(ctx, ds, ds.All(), in.Describe())
		if err != nil {
			ds.Close()
			return nil, err
		}
		*o = s.Options
		return ds, nil
	}
	inside.LayOut = func(ctx context.Context, ds *dataset.Dataset, documents *roaring.Bitmap, options any) (*dataset.Matrix, error) {
		o := &settings{*options.(*Options)}
		return learn.LayOut(ctx, ds, documents, o.params(ds))
	}
	inside.Fit = func(ctx context.Context, ds *dataset.Dataset, x *dataset.Matrix, options any) (*learn.Fitted, error) {
		o := &settings{*options.(*Options)}
		return learn.Fit(ctx, ds, x, o.params(ds), nil)
	}
}
