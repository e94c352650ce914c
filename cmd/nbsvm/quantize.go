package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/inside"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
	"github.com/seed-167f963f/nbsvm/packed"
)

type quantizeCmd struct {
	Model   string   `file:"in" arg:"" help:"Model file."`
	Output  string   `file:"binary" short:"o" required:"" group:"output" placeholder:"MODEL" help:"Model to write; - is standard output."`
	Valid   string   `file:"in" group:"input" placeholder:"FILE" help:"Labelled documents to compare both models on; - is standard input."`
	MaxLoss *float64 `min:"0" needs:"valid" group:"output" placeholder:"X" help:"Write nothing if accuracy on --valid (micro F1 if documents have several labels) falls by more than X (default: 0.001)."`
	inputFlags
}

// defaultMaxLoss is a tenth of a point.
const defaultMaxLoss = 0.001

func (q *quantizeCmd) Help() string {
	return `Rounds the weights of a model to 8 bits, which choose among 256 levels that are fitted to the model. Every command
takes a quantized model.

    nbsvm quantize --valid dev.tsv -o small.nbm reviews.nbm`
}

func (q *quantizeCmd) Run(c *call) error {
	if packed.Is(q.Valid) {
		return usageError{fmt.Errorf("--valid %s is a packed corpus; quantize compares scores of texts: give the documents themselves", q.Valid)}
	}
	return q.withInput(c, []string{q.Valid}, false, func(in corpus.Input) error { return q.run(c, in) })
}

func (q *quantizeCmd) run(c *call, in corpus.Input) error {
	classifier, err := nbsvm.Open(q.Model)
	if err != nil {
		return err
	}
	defer classifier.Close()
	before, err := os.Stat(q.Model)
	if err != nil {
		return err
	}
	in.Like = classifier.Reading()
	r := quantized{Before: before.Size()}
	small, roundings, err := inside.Classifier(classifier).Quantize()
	r.Roundings = roundings
	if err != nil {
		return fmt.Errorf("%s: %w", q.Model, err)
	}
	if q.Valid != "" {
		if err := q.compare(c, in, classifier, small, &r); err != nil {
			return err
		}
	}
	refused := q.refuse(&r)
	if refused == nil {
		r.After, err = c.writeModel(q.Output, small)
	} else {
		r.After, err = small.WriteTo(io.Discard)
	}
	switch out := c.summaryFor(q.Output); {
	case err != nil:
	case c.JSON:
		err = printJSON(out, r)
	case !c.Quiet:
		err = r.write(out)
	}
	return cmp.Or(err, refused)
}

func (q *quantizeCmd) maxLoss() float64 {
	most := defaultMaxLoss
	set(&most, q.MaxLoss)
	return most
}

// compare sets both models side by side.
func (q *quantizeCmd) compare(c *call, in corpus.Input, classifier *nbsvm.Classifier, small *score.Classifier, r *quantized) (err error) {
	r.Comparison, err = inside.Compare(c.ctx, classifier, in, c.Threads, c.progress.Show, small)
	c.progress.Clear()
	if err != nil {
		return err
	}
	warnUnknown(c, r.Comparison.Before)
	return nil
}

// refuse returns an error if too much is lost.
func (q *quantizeCmd) refuse(r *quantized) error {
	if d := r.Comparison; d != nil && d.Loss > q.maxLoss() {
		return fmt.Errorf("%s falls by %.4f, more than --max-loss %g; no model was written", spaced(d.Metric), d.Loss, q.maxLoss())
	}
	return nil
}

// spaced returns a metric's key as words.
func spaced(key string) string { return strings.ReplaceAll(key, "_", " ") }

// quantized is what the command prints.
type quantized struct {
	Before     int64              `json:"bytes_before"`
	After      int64              `json:"bytes_after"`
	Roundings  []model.Rounding   `json:"rounding,omitempty"`
	Comparison *inside.Comparison `json:"valid,omitempty"`
}

func (r *quantized) write(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(tw, "\tbefore\tafter\n")
	fmt.Fprintf(tw, "file\t%s\t%s\n", display.Bytes(r.Before), display.Bytes(r.After))
	if d := r.Comparison; d != nil {
		after := maps.Collect(d.After.Values())
		for name, value := range d.Before.Values() {
			switch name {
			case "accuracy", "macro_f1", "micro_f1":
				fmt.Fprintf(tw, "%s\t%.4f\t%.4f\n", spaced(name), *value, *after[name])
			}
		}
	}
	tw.Flush()
	if d := r.Comparison; d != nil {
		fmt.Fprintf(w, "\n%s of %s documents get another label (%.2f %%); scores change by at most %.2g\n",
			display.Count(int64(d.Changed)), display.Count(int64(d.Before.N)), 100*float64(d.Changed)/float64(d.Before.N), d.Largest)
	}
	if len(r.Roundings) == 0 {
		return nil
	}
	fmt.Fprint(tw, "\nsection\tholds\tnumbers\tlargest\trounding error\ton average\n")
	for _, s := range r.Roundings {
		holds := "weights"
		if strings.HasPrefix(s.Section, "R") {
			holds = "log-count ratios"
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%.3g\t%.2g at most\t%.2g %%\n", s.Section, holds, display.Count(int64(s.Numbers)), s.Largest, s.Worst, 100*s.RMS)
	}
	return tw.Flush()
}
