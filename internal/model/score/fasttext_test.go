package score_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
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

// TestFastTextInPlace: a model whose numbers stay in its file predicts as from bytes, also after the file was replaced;
// a model that is closed is an error, and so is a file that was truncated.
func TestFastTextInPlace(t *testing.T) {
	data, err := os.ReadFile("../fasttext/testdata/wide.bin")
	must.OK(t, err)
	want, err := nbsvm.OpenBytes(data)
	must.OK(t, err)
	for name, c := range map[string]struct {
		change func(path string, c *nbsvm.Classifier) error
		err    error // of predictions after it; nil for none
	}{
		"replaced": {func(path string, _ *nbsvm.Classifier) error { return os.Rename(path, path+".old") }, nil},
		"closed":   {func(_ string, c *nbsvm.Classifier) error { return c.Close() }, fs.ErrClosed},
		"cut off":  {func(path string, _ *nbsvm.Classifier) error { return os.Truncate(path, 0) }, osfile.ErrTruncated},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "wide.bin")
			must.OK(t, os.WriteFile(path, data, 0o600))
			got, err := nbsvm.Open(path)
			must.OK(t, err)
			defer got.Close()
			if err := c.change(path, got); err != nil {
				t.Skip(err) // Windows does not change mapped files
			}
			for _, text := range []string{"ba ke", "", "mo nosuch"} {
				label, p, _ := want.Classify(text)
				if l, q, err := got.Classify(text); !errors.Is(err, c.err) || err == nil && (l != label || p != q) {
					t.Errorf("%q: %s, %v, %v; want %s, %v, %v", text, l, q, err, label, p, c.err)
				}
			}
		})
	}
}
