package score_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestSureFastText: fastText shows more than 1 for what it is sure of, and metrics take it for 1.
func TestSureFastText(t *testing.T) {
	data, err := os.ReadFile("../fasttext/testdata/sure.bin")
	must.OK(t, err)
	c, err := nbsvm.OpenBytes(data)
	must.OK(t, err)
	if _, p, err := c.Classify("one"); err != nil || p <= 1 {
		t.Fatalf("the probability is %v, %v: want more than 1", p, err)
	}
	path := filepath.Join(t.TempDir(), "texts.tsv")
	must.OK(t, os.WriteFile(path, []byte("a\tone\nb\ttwo\nb\tone\n"), 0o600))
	r, err := c.Evaluate(t.Context(), corpus.Input{Paths: []string{path}}, nbsvm.ScoreOptions{})
	if err != nil || r.N != 3 || r.Accuracy != 2./3 || *r.ECE < 0.3333 || *r.ECE > 0.3334 {
		t.Errorf("%+v, %v", r, err)
	}
}
