package main

import (
	"cmp"
	"fmt"
	"io"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
)

// fastText writes a model for fastText, and says what is not the same there.
func (e *exportCmd) fastText(c *call, classifier *nbsvm.Classifier) error {
	if err := c.checkBinary("a model", cmp.Or(e.Output, "-")); err != nil {
		return err
	}
	export := func(in *corpus.Input) error {
		progress := newProgress(c)
		defer progress.Clear()
		return e.write(c, func(w io.Writer) error {
			return classifier.ExportFastText(c.ctx, in, nbsvm.ScoreOptions{Threads: c.Threads, Progress: progress.Show}, w)
		})
	}
	var err error
	if len(e.Input) == 0 {
		err = export(nil)
	} else {
		err = e.withInput(c, e.Input, true, func(in corpus.Input) error {
			in.Like = classifier.Reading()
			return export(&in)
		})
	}
	if err != nil {
		return fmt.Errorf("%s: %w", e.Model, err)
	}
	switch {
	case c.Quiet || classifier.FastText() != nil:
	case classifier.MultiLabel():
		io.WriteString(c.err, "nbsvm: fasttext predict MODEL TEXTS -1 0.5 gives the labels of score; probabilities are others: it divides margins by the number of words\n")
	default:
		io.WriteString(c.err, "nbsvm: fasttext predict gives the labels of score; its probabilities are others: it divides margins by the number of words\n")
	}
	return nil
}
