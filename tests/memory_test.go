package tests

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/inside"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/testkit"
)

// TestNothingStays: training, cross-validation and what is read to be solved many times give up memory, files
// and goroutines, however they end.
func TestNothingStays(t *testing.T) {
	if !testkit.Seen(t) {
		t.Log("this system does not tell of memory in huge pages: only files and goroutines are looked at")
	}
	s := small.with(func(s *shape) { s.docs, s.words, s.vocabulary = 1000, 400, 20_000 }) // tables have pages of their own
	if must.RaceEnabled {
		s.docs /= 2
	}
	data := tsv(s.records())
	in := func() corpus.Input { return input(data, corpus.TSV) }
	o := options(func(o *nbsvm.Options) { o.Text.Families, o.MinDF, o.Tol, o.Temp = bigrams, 1, 0.5, t.TempDir() })
	bounded := o
	bounded.Memory = 64 << 20
	packed := packedFile(pack(t, in(), o.Pack(), 0))
	cancelled := func(o nbsvm.Options, stage string) (context.Context, nbsvm.Options) {
		ctx, cancel := context.WithCancel(t.Context())
		o.Progress = func(p corpus.Progress) {
			if p.Stage == stage {
				cancel()
			}
		}
		return ctx, o
	}
	whole := func(ctx context.Context, in corpus.Input, o nbsvm.Options) error {
		_, _, err := nbsvm.Train(ctx, in, o)
		return err
	}
	validate := func(ctx context.Context, in corpus.Input, o nbsvm.Options) error {
		_, err := nbsvm.CrossValidate(ctx, in, o, 2)
		return err
	}
	read := func(ctx context.Context, in corpus.Input, given nbsvm.Options) error {
		o := given
		ds, err := inside.Prepare(ctx, in, &o, false)
		if err != nil {
			return err
		}
		x, err := inside.LayOut(ctx, ds, ds.All(), &o)
		if err == nil {
			_, err = inside.Fit(ctx, ds, x, &o)
			x.Close()
			x.Close()
		}
		return errors.Join(err, ds.Close(), ds.Close())
	}
	for name, run := range map[string]func(context.Context, corpus.Input, nbsvm.Options) error{"train": whole, "cross-validate": validate, "read": read} {
		for kind, in := range map[string]func() corpus.Input{"text": in, "packed": func() corpus.Input { return packed }} {
			for memory, o := range map[string]nbsvm.Options{"": o, ", bounded": bounded} {
				if (memory == "") != (kind == "packed") {
					continue // each kind one way, as it takes twice as long otherwise
				}
				t.Run(fmt.Sprint(name, ", ", kind, memory), func(t *testing.T) {
					testkit.Leaves(t, func() {
						if err := run(t.Context(), in(), o); err != nil {
							t.Error(err)
						}
					})
					testkit.Leaves(t, func() {
						o := o
						o.ClassWeight.Weights = map[string]float64{"none": 2}
						if err := run(t.Context(), in(), o); err == nil {
							t.Error("a class that is not there has a weight")
						}
						o.ClassWeight.Weights, o.MaxDF, o.MinDF = nil, 1.5, 3
						if err := run(t.Context(), in(), o); err == nil {
							t.Error("no features are left, and that is no error")
						}
					})
					stages := []string{"solve", "folds"}
					if kind == "text" {
						stages = append(stages, "read", "layout")
					}
					for _, stage := range stages {
						testkit.Leaves(t, func() {
							ctx, o := cancelled(o, stage)
							if err := run(ctx, in(), o); ctx.Err() != nil && !errors.Is(err, context.Canceled) {
								t.Errorf("cancelled in the stage %s: %v", stage, err)
							}
						})
					}
					testkit.Empty(t, o.Temp)
				})
			}
		}
	}
}

// TestTrainFeaturesInLittleMemory: ready-made features, which have no names, give the same model with a bound
// on memory as without.
func TestTrainFeaturesInLittleMemory(t *testing.T) {
	in := func() corpus.Input { return as(corpus.SVMLight, "a 3:1 5:2\nb 3:2 7:0.5\na 1:1\nb 7:1\n") }
	o := options(func(o *nbsvm.Options) { o.Temp = t.TempDir() })
	want, _ := mustTrain(t, in(), o)
	o.Memory = 64 << 20
	got, _ := mustTrain(t, in(), o)
	if a, b := modelOf(t, got), modelOf(t, want); fmt.Sprint(a.Dense, a.Keys, a.Bias) != fmt.Sprint(b.Dense, b.Keys, b.Bias) {
		t.Error("another model than without a bound")
	}
	testkit.Empty(t, o.Temp)
}
