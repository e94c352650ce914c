package score

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/fasttext"
)

// TestSureFastText: fastText shows more than 1 for what it is sure of, and metrics take it for 1.
func TestSureFastText(t *testing.T) {
	ft, err := fasttext.NewLinear(fasttext.Linear{
		Labels: []string{"dull", "fun"}, Words: []string{"bad", "good"}, Bias: []float64{0},
		Weights: func(i int, dst []float64) { dst[0] = float64(80*i - 40) },
	})
	if err != nil {
		t.Fatal(err)
	}
	c := newFastText(ft, model.NewFastText(nil, model.Meta{Labels: ft.Labels()}), nil)
	if _, p, err := c.PredictBest([]byte("good")); err != nil || p <= 1 {
		t.Fatalf("the probability is %v, %v: want more than 1", p, err)
	}
	path := filepath.Join(t.TempDir(), "texts.tsv")
	if err := os.WriteFile(path, []byte("fun\tgood\ndull\tbad\ndull\tgood\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := c.Evaluate(t.Context(), corpus.Input{Paths: []string{path}}, Options{})
	if err != nil || r.N != 3 || r.Accuracy != 2./3 || *r.ECE < 0.3333 || *r.ECE > 0.3334 {
		t.Errorf("%+v, %v", r, err)
	}
}
