package tests

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/inside"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// uses are what can be done with a classifier whose file is m.nbm in a folder.
var uses = map[string]func(t *testing.T, c *nbsvm.Classifier, s *nbsvm.Scorer) error{
	"predict": func(_ *testing.T, _ *nbsvm.Classifier, s *nbsvm.Scorer) error {
		_, err := s.Predict([]byte("w1 w2 w3"))
		return err
	},
	"explain text": func(_ *testing.T, _ *nbsvm.Classifier, s *nbsvm.Scorer) error {
		_, err := s.ExplainText([]byte("w1 w2 w3"))
		return err
	},
	"explain": func(_ *testing.T, c *nbsvm.Classifier, _ *nbsvm.Scorer) error { _, err := c.Explain(3); return err },
	"quantize": func(_ *testing.T, c *nbsvm.Classifier, _ *nbsvm.Scorer) error {
		_, err := inside.Classifier(c).Quantize()
		return err
	},
	"write": func(_ *testing.T, c *nbsvm.Classifier, _ *nbsvm.Scorer) error {
		_, err := c.WriteTo(&bytes.Buffer{})
		return err
	},
	"save": func(t *testing.T, c *nbsvm.Classifier, _ *nbsvm.Scorer) error {
		return c.Save(filepath.Join(t.TempDir(), "other.nbm"))
	},
	"matrix": func(t *testing.T, c *nbsvm.Classifier, _ *nbsvm.Scorer) error {
		return inside.ExportMatrix(t.Context(), c, small.input(), 0, nil, "", io.Discard)
	},
	"evaluate": func(t *testing.T, c *nbsvm.Classifier, _ *nbsvm.Scorer) error {
		_, err := c.Evaluate(t.Context(), small.input(), nbsvm.ScoreOptions{})
		return err
	},
	"score": func(t *testing.T, c *nbsvm.Classifier, _ *nbsvm.Scorer) error {
		_, err := c.Score(t.Context(), small.input(), nbsvm.ScoreOptions{}, render, io.Discard)
		return err
	},
}

// TestUnusable: whatever is asked of a classifier that was closed, or whose file is truncated while it is in use, gives
// an error that names the file, unless it needs nothing of it.
func TestUnusable(t *testing.T) {
	o := options()
	trained, _ := mustTrain(t, small.input(), o)
	for name, use := range uses {
		for _, how := range []string{"closed", "truncated"} {
			path := filepath.Join(t.TempDir(), "m.nbm")
			must.OK(t, trained.Save(path))
			c, err := nbsvm.Open(path)
			must.OK(t, err)
			s, want, says := newScorer(t, c), nbsvm.ErrTruncated, path+" was truncated or overwritten while in use"
			if how == "closed" {
				must.OK(t, errors.Join(c.Close(), c.Close()))
				want, says = fs.ErrClosed, path
				if _, err := c.NewScorer(); !errors.Is(err, want) || !strings.Contains(err.Error(), says) {
					t.Errorf("new scorer, closed: %v", err)
				}
			} else if os.Truncate(path, 0) != nil {
				continue // where what is mapped can't be truncated
			}
			err = use(t, c, s)
			inMemory := name == "predict" && how == "truncated" && err == nil // what scores is not in the file
			if !inMemory && (!errors.Is(err, want) || !strings.Contains(err.Error(), says)) {
				t.Errorf("%s, %s: %v", name, how, err)
			}
			must.OK(t, c.Close())
		}
	}
}
