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
	"github.com/seed-167f963f/nbsvm/internal/model/score"
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
		_, _, err := inside.Classifier(c).Quantize()
		return err
	},
	"liblinear": func(_ *testing.T, c *nbsvm.Classifier, _ *nbsvm.Scorer) error {
		return inside.Classifier(c).ExportLiblinear("", io.Discard)
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
// an error that names the file.
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
			if err := use(t, c, s); !errors.Is(err, want) || !strings.Contains(err.Error(), says) {
				t.Errorf("%s, %s: %v", name, how, err)
			}
			must.OK(t, c.Close())
		}
	}
}

// TestScoreNeedsOutputs: an output without a part is refused before anything is read.
func TestScoreNeedsOutputs(t *testing.T) {
	c, _ := mustTrain(t, small.input(), options())
	also := func(o nbsvm.ScoreOutput) nbsvm.ScoreOptions { return nbsvm.ScoreOptions{Also: []nbsvm.ScoreOutput{o}} }
	for _, bad := range []struct {
		o      nbsvm.ScoreOptions
		render nbsvm.Render
		w      io.Writer
	}{
		{nbsvm.ScoreOptions{}, nil, io.Discard},
		{nbsvm.ScoreOptions{}, render, nil},
		{also(nbsvm.ScoreOutput{W: io.Discard}), render, io.Discard},
		{also(nbsvm.ScoreOutput{Render: render}), render, io.Discard},
	} {
		if _, err := c.Score(t.Context(), small.input(), bad.o, bad.render, bad.w); err == nil {
			t.Error("an output that lacks a part is taken")
		}
	}
}

// TestOpenBytes: a model of bytes predicts as the one that they were written from, and is checked as a file is.
func TestOpenBytes(t *testing.T) {
	trained, _ := mustTrain(t, small.input(), options())
	data := encode(t, trained)
	for _, at := range []int{0, 1} { // aligned to eight bytes, and not
		c, err := nbsvm.OpenBytes(append(make([]byte, at), data...)[at:])
		must.OK(t, err)
		for _, d := range small.records()[:10] {
			got, want := predict(t, newScorer(t, c), d.text), predict(t, newScorer(t, trained), d.text)
			if got.Labels[0] != want.Labels[0] || got.Margins[0] != want.Margins[0] {
				t.Errorf("%q: %v, want %v", d.text, got, want)
			}
		}
		if err := c.Close(); err != nil || !bytes.Equal(encode(t, c), data) {
			t.Errorf("written again it has other bytes, or can't be closed: %v", err)
		}
	}
	for want, bad := range map[error][]byte{
		nbsvm.ErrNotModel: []byte(strings.Repeat("no model ", 20)), nbsvm.ErrTruncated: data[:len(data)/2], nbsvm.ErrChecksum: flipped(data),
	} {
		if _, err := nbsvm.OpenBytes(bad); !errors.Is(err, want) {
			t.Errorf("%v: %v", want, err)
		}
	}
}

// flipped is data with a bit in the middle changed.
func flipped(data []byte) []byte {
	data = bytes.Clone(data)
	data[len(data)/2] ^= 1
	return data
}

// TestOpenFolder: a folder is no model.
func TestOpenFolder(t *testing.T) {
	folder := t.TempDir()
	if _, err := nbsvm.Open(folder); !errors.Is(err, nbsvm.ErrNotModel) || !strings.Contains(err.Error(), folder+" is a folder") {
		t.Error(err)
	}
	if _, err := score.Verify(folder); !errors.Is(err, nbsvm.ErrNotModel) {
		t.Error(err)
	}
}
