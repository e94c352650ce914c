package main

import (
	"io"

	"github.com/seed-167f963f/nbsvm"
)

// fastText writes a model for fastText.
func (e *exportCmd) fastText(c *call, classifier *nbsvm.Classifier) error {
	return c.writeOutput(e.Output, func(w io.Writer) error { return classifier.ExportFastText(w) })
}
