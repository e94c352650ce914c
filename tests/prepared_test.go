package tests

import (
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
		x, err := inside.LayOut(t.Context(), ds, ds.All(), &o)
		must.OK(t, err)
		if f := x.Stats; f.NonZeros != report.Features.NonZeros || f.Selected != report.Features.Selected {
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
