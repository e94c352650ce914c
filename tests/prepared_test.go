package tests

import (
	"context"
	"errors"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/inside"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestDatasetSolvesAsTrainDoes lays a dataset out twice and solves it thrice: every
// solution must be the one that Train reports.
func TestDatasetSolvesAsTrainDoes(t *testing.T) {
	data := tsv(shape{docs: 300, classes: 3, vocabulary: 500, words: 20, signal: 0.2, seed: 1}.records())
	_, report := mustTrain(t, input(data, corpus.TSV), nbsvm.DefaultOptions())
	o := nbsvm.DefaultOptions()
	ds, err := inside.Prepare(t.Context(), input(data, corpus.TSV), &o, false)
	must.OK(t, err)
	defer ds.Close()
	if ds.Documents != report.Documents || ds.Meta.Bytes != report.Bytes {
		t.Errorf("%d documents of %d bytes, Train read %d of %d", ds.Documents, ds.Meta.Bytes, report.Documents, report.Bytes)
	}
	if o.Text.NgramHi != report.Options.Text.NgramHi || o.Beta != report.Options.Beta {
		t.Errorf("options %+v, Train settled on %+v", o, report.Options)
	}
	for range 2 {
		x, err := inside.LayOut(t.Context(), ds, ds.All(), &o, false)
		must.OK(t, err)
		if f := x.Stats; f.NonZeros != report.Features.NonZeros || f.Buckets != report.Features.Buckets {
			t.Errorf("layout of %+v, Train's of %+v", f, report.Features)
		}
		for range 3 {
			f, err := inside.Fit(t.Context(), ds, x, &o)
			must.OK(t, err)
			solution := solutionOf(f)
			if solution.Took <= 0 {
				t.Error("solving took no time")
			}
			want := *report.Solution
			want.StoredGap = nil // no weights are stored here
			want.Took = solution.Took
			if *solution != want {
				t.Errorf("solution %+v, Train's %+v", *solution, want)
			}
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestPreparedRefusals: options out of range, an empty input, and a context that is cancelled.
func TestPreparedRefusals(t *testing.T) {
	data := tsv(shape{docs: 50, classes: 2, vocabulary: 50, words: 10, signal: 0.2, seed: 1}.records())
	for name, change := range map[string]func(*nbsvm.Options){
		"loss": func(o *nbsvm.Options) { o.Loss = "cubic" },
		"C":    func(o *nbsvm.Options) { o.C = -1 },
		"tol":  func(o *nbsvm.Options) { o.Tol = 1 },
	} {
		wrong := options(change)
		if _, err := inside.Prepare(t.Context(), input(data, corpus.TSV), &wrong, false); err == nil {
			t.Errorf("a wrong %s was accepted", name)
		}
	}
	o := nbsvm.DefaultOptions()
	ds, err := inside.Prepare(t.Context(), input(data, corpus.TSV), &o, false)
	must.OK(t, err)
	defer ds.Close()
	x, err := inside.LayOut(t.Context(), ds, ds.All(), &o, false)
	must.OK(t, err)
	defer x.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := inside.Fit(ctx, ds, x, &o); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v after cancellation", err)
	}
	if _, err := inside.Prepare(t.Context(), input(nil, corpus.TSV), &o, false); err == nil {
		t.Error("an empty input made a dataset")
	}
}
