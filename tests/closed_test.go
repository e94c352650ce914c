package tests

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestClosed: whatever is asked of a classifier that was closed gives an error.
func TestClosed(t *testing.T) {
	o := options()
	o.KeepRatio = true
	trained, _ := mustTrain(t, small.input(), o)
	path := filepath.Join(t.TempDir(), "m.nbm")
	must.OK(t, trained.Save(path))
	c, err := nbsvm.Open(path)
	must.OK(t, err)
	s := newScorer(t, c)
	for range 2 {
		must.OK(t, c.Close())
	}
	render := func(dst []byte, _ *corpus.Document, _ *nbsvm.Prediction) []byte { return dst }
	for name, use := range map[string]func() error{
		"predict":      func() error { _, err := s.Predict([]byte("one two three")); return err },
		"explain text": func() error { _, err := s.ExplainText([]byte("one two three")); return err },
		"explain":      func() error { _, err := c.Explain(3); return err },
		"new scorer":   func() error { _, err := c.NewScorer(); return err },
		"quantize":     func() error { _, _, err := c.Quantize(); return err },
		"export":       func() error { return c.ExportLiblinear("", io.Discard) },
		"write":        func() error { _, err := c.WriteTo(io.Discard); return err },
		"evaluate":     func() error { _, err := c.Evaluate(t.Context(), small.input(), nbsvm.ScoreOptions{}); return err },
		"score": func() error {
			_, err := c.Score(t.Context(), small.input(), nbsvm.ScoreOptions{}, render, io.Discard)
			return err
		},
	} {
		if err := use(); !errors.Is(err, fs.ErrClosed) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestScoreNeedsOutputs: an output without a part is refused before anything is read.
func TestScoreNeedsOutputs(t *testing.T) {
	c, _ := mustTrain(t, small.input(), options())
	render := func(dst []byte, _ *corpus.Document, _ *nbsvm.Prediction) []byte { return dst }
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
	if _, err := nbsvm.VerifyModel(folder); !errors.Is(err, nbsvm.ErrNotModel) {
		t.Error(err)
	}
}
