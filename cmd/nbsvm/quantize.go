package main

import (
	"fmt"
	"os"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/inside"
)

type quantizeCmd struct {
	Model  string `file:"in" arg:"" help:"Model file."`
	Output string `file:"binary" short:"o" required:"" group:"output" placeholder:"MODEL" help:"Model to write; - is standard output."`
}

func (q *quantizeCmd) Help() string {
	return `Rounds the weights of a model to 8 bits, the number of a level: zero, or one of 127 of either sign, each 6.5 %
above the next smaller. Every command takes a quantized model.

    nbsvm quantize -o small.nbm reviews.nbm
    nbsvm eval small.nbm dev.tsv  # what it costs`
}

func (q *quantizeCmd) Run(c *call) error {
	classifier, err := nbsvm.Open(q.Model)
	if err != nil {
		return err
	}
	defer classifier.Close()
	before, err := os.Stat(q.Model)
	if err != nil {
		return err
	}
	small, err := inside.Classifier(classifier).Quantize()
	if err != nil {
		return fmt.Errorf("%s: %w", q.Model, err)
	}
	after, err := c.writeModel(q.Output, small)
	switch out := c.summaryFor(q.Output); {
	case err != nil:
	case c.JSON:
		err = printJSON(out, map[string]int64{"bytes_before": before.Size(), "bytes_after": after})
	case !c.Quiet:
		_, err = fmt.Fprintf(out, "%s before, %s after\n", display.Bytes(before.Size()), display.Bytes(after))
	}
	return err
}
