//go:build unix

package tests

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestModelTruncated: whatever the library does with a model whose file is truncated while it is in use, it returns an
// error that names the file.
func TestModelTruncated(t *testing.T) {
	in := func() corpus.Input {
		return as(corpus.TSV, strings.Repeat("a\tone two three four\nb\tfive six seven eight\n", 20))
	}
	o := options()
	o.KeepRatio = true
	trained, _ := mustTrain(t, in(), o)
	for name, use := range map[string]func(c *nbsvm.Classifier, s *nbsvm.Scorer) error{
		"predict": func(_ *nbsvm.Classifier, s *nbsvm.Scorer) error {
			_, err := s.Predict([]byte("one two three"))
			return err
		},
		"explain text": func(_ *nbsvm.Classifier, s *nbsvm.Scorer) error {
			_, err := s.ExplainText([]byte("one two three"))
			return err
		},
		"explain": func(c *nbsvm.Classifier, _ *nbsvm.Scorer) error {
			_, err := c.Explain(3)
			return err
		},
		"export liblinear": func(c *nbsvm.Classifier, _ *nbsvm.Scorer) error { return c.ExportLiblinear("", io.Discard) },
		"export matrix": func(c *nbsvm.Classifier, _ *nbsvm.Scorer) error {
			return c.ExportMatrix(t.Context(), in(), nbsvm.ScoreOptions{}, "", io.Discard)
		},
		"write": func(c *nbsvm.Classifier, _ *nbsvm.Scorer) error {
			_, err := c.WriteTo(&bytes.Buffer{})
			return err
		},
		"save": func(c *nbsvm.Classifier, _ *nbsvm.Scorer) error {
			return c.Save(filepath.Join(t.TempDir(), "other.nbm"))
		},
		"quantize": func(c *nbsvm.Classifier, _ *nbsvm.Scorer) error {
			_, _, err := c.Quantize()
			return err
		},
		"evaluate": func(c *nbsvm.Classifier, _ *nbsvm.Scorer) error {
			_, err := c.Evaluate(t.Context(), in(), nbsvm.ScoreOptions{})
			return err
		},
	} {
		path := filepath.Join(t.TempDir(), "m.nbm")
		must.OK(t, trained.Save(path))
		c, err := nbsvm.Open(path)
		must.OK(t, err)
		s, err := c.NewScorer()
		must.OK(t, err)
		must.OK(t, os.Truncate(path, 0))
		if err := use(c, s); !errors.Is(err, nbsvm.ErrTruncated) || !strings.Contains(err.Error(), path+" was truncated or overwritten while in use") {
			t.Errorf("%s: %v", name, err)
		}
		if err := c.Close(); err != nil {
			t.Errorf("%s: closing: %v", name, err)
		}
	}
}
