package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/inside"
	"github.com/seed-167f963f/nbsvm/internal/model"
)

type quantizeCmd struct {
	Model  string `file:"in" arg:"" help:"Model file."`
	Output string `file:"binary" short:"o" required:"" group:"output" placeholder:"MODEL" help:"Model to write; - is standard output."`
}

func (q *quantizeCmd) Help() string {
	return `Rounds the weights of a model to 8 bits, which choose among 256 levels that are fitted to the model. Every command
takes a quantized model.

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
	r := quantized{Before: before.Size()}
	small, roundings, err := inside.Classifier(classifier).Quantize()
	r.Roundings = roundings
	if err != nil {
		return fmt.Errorf("%s: %w", q.Model, err)
	}
	r.After, err = c.writeModel(q.Output, small)
	switch out := c.summaryFor(q.Output); {
	case err != nil:
	case c.JSON:
		err = printJSON(out, r)
	case !c.Quiet:
		err = r.write(out)
	}
	return err
}

// quantized is what the command prints.
type quantized struct {
	Before    int64            `json:"bytes_before"`
	After     int64            `json:"bytes_after"`
	Roundings []model.Rounding `json:"rounding,omitempty"`
}

func (r *quantized) write(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(tw, "\tbefore\tafter\n")
	fmt.Fprintf(tw, "file\t%s\t%s\n", display.Bytes(r.Before), display.Bytes(r.After))
	tw.Flush()
	if len(r.Roundings) == 0 {
		return nil
	}
	fmt.Fprint(tw, "\nsection\tholds\tnumbers\tlargest\trounding error\ton average\n")
	for _, s := range r.Roundings {
		holds := "weights"
		if strings.HasPrefix(s.Section, "R") {
			holds = "log-count ratios"
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%.3g\t%.2g at most\t%.2g %%\n", s.Section, holds, display.Count(int64(s.Numbers)),
			s.Largest, s.Worst, 100*s.RMS)
	}
	return tw.Flush()
}
