package nbsvm

import (
	"context"
	"errors"
	"testing"

	"github.com/seed-167f963f/nbsvm/corpus"
)

// TestDatasetSolvesAsTrainDoes lays a dataset out twice and solves it thrice: every
// solution must be the one that Train reports.
func TestDatasetSolvesAsTrainDoes(t *testing.T) {
	data := tsv(shape{docs: 300, classes: 3, vocabulary: 500, words: 20, signal: 0.2, seed: 1}.records())
	o := DefaultOptions()
	_, report := mustTrain(t, input(data, corpus.TSV), o)
	ds, err := ReadDataset(t.Context(), input(data, corpus.TSV), o)
	if err != nil {
		t.Fatal(err)
	}
	if ds.Documents() != report.Documents || ds.TextBytes() != report.Bytes {
		t.Errorf("%d documents of %d bytes, Train read %d of %d", ds.Documents(), ds.TextBytes(), report.Documents, report.Bytes)
	}
	if ds.Options().Text.NgramHi != report.Options.Text.NgramHi || ds.Options().Beta != report.Options.Beta {
		t.Errorf("options %+v, Train settled on %+v", ds.Options(), report.Options)
	}
	for range 2 {
		layout, err := ds.Layout(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if f := layout.Features(); f.NonZeros != report.Features.NonZeros || f.Buckets != report.Features.Buckets {
			t.Errorf("layout of %+v, Train's of %+v", f, report.Features)
		}
		for range 3 {
			solution, err := layout.Solve(t.Context(), o.Solver())
			if err != nil {
				t.Fatal(err)
			}
			if solution.Took <= 0 {
				t.Error("solving took no time")
			}
			want := *report.Solution
			want.Took = solution.Took
			if *solution != want {
				t.Errorf("solution %+v, Train's %+v", *solution, want)
			}
		}
	}
}

func TestLayoutRefusals(t *testing.T) {
	data := tsv(shape{docs: 50, classes: 2, vocabulary: 50, words: 10, signal: 0.2, seed: 1}.records())
	ds, err := ReadDataset(t.Context(), input(data, corpus.TSV), DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	layout, err := ds.Layout(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	o := DefaultOptions()
	for name, change := range map[string]func(*SolverOptions){
		"loss": func(s *SolverOptions) { s.Loss = "cubic" },
		"C":    func(s *SolverOptions) { s.C = 0 },
		"tol":  func(s *SolverOptions) { s.Tol = 1 },
	} {
		so := o.Solver()
		change(&so)
		if _, err := layout.Solve(t.Context(), so); err == nil {
			t.Errorf("a wrong %s was accepted", name)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := layout.Solve(ctx, o.Solver()); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v after cancellation", err)
	}
	if _, err := ReadDataset(t.Context(), input(nil, corpus.TSV), DefaultOptions()); err == nil {
		t.Error("an empty input made a dataset")
	}
}
