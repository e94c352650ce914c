package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/base/wording"
	"github.com/seed-167f963f/nbsvm/packed"
)

type quantizeCmd struct {
	Model   string   `file:"in" arg:"" help:"Model file."`
	Output  string   `file:"binary" short:"o" required:"" group:"output" placeholder:"MODEL" help:"Model to write; - is standard output."`
	Bits    int      `enum:"32,16,8" default:"32" group:"output" placeholder:"N" help:"Bits per weight: 32, 16 or 8 (default: 32)."`
	Keep    keepArg  `group:"output" placeholder:"X" help:"Keep this share of the weights, those of the largest magnitude; auto finds the smallest share within --max-loss on --valid (default: 1)."`
	Valid   string   `file:"in" group:"input" placeholder:"FILE" help:"Labelled documents to compare both models on; - is standard input."`
	MaxLoss *float64 `min:"0" needs:"valid" group:"output" placeholder:"X" help:"Write nothing if accuracy on --valid (micro F1 if documents have several labels) falls by more than X (default: 0.001)."`
	inputFlags
}

// keepArg is a share of weights, or auto; 0 if there is none.
type keepArg struct {
	share float64
	auto  bool
}

// UnmarshalText reads it.
func (k *keepArg) UnmarshalText(text []byte) (err error) {
	if k.auto = string(text) == "auto"; k.auto {
		return nil
	}
	if k.share, err = strconv.ParseFloat(string(text), 64); err != nil || !(k.share > 0) || k.share > 1 {
		return fmt.Errorf("%q is not a share: give a number above 0 and at most 1, or auto", text)
	}
	return nil
}

// defaultMaxLoss is a tenth of a point.
const defaultMaxLoss = 0.001

func (q *quantizeCmd) Help() string {
	return `Drops small weights (--keep), rounds the others (--bits), or both. Most weights of a model with several classes can
go without a change of accuracy, and so can the features that have none left; scoring becomes faster, too. 16 bits are
half-precision numbers with a scale; 8 bits choose among 256 levels that are fitted to the model. Every command takes a
quantized model.

    nbsvm quantize --keep auto --bits 8 --valid dev.tsv -o small.nbm reviews.nbm`
}

func (q *quantizeCmd) Run(c *call) error {
	switch {
	case q.Bits == 32 && q.Keep == keepArg{}:
		return usageError{errors.New("give --bits 16 or 8, --keep, or both")}
	case q.Keep.auto && (q.Valid == "" || q.Valid == "-"):
		return usageError{errors.New("--keep auto needs a file of labelled documents, which it reads several times: give --valid FILE")}
	case packed.Is(q.Valid):
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
	small, err := q.prune(c, in, classifier, &r)
	if err == nil {
		small, err = q.round(small, &r)
	}
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

// prune drops weights, if that is asked for.
func (q *quantizeCmd) prune(c *call, in corpus.Input, classifier *nbsvm.Classifier, r *quantized) (*nbsvm.Classifier, error) {
	var pruned *nbsvm.Classifier
	var p nbsvm.Pruning
	var err error
	switch {
	case q.Keep == keepArg{}:
		return classifier, nil
	case q.Keep.auto:
		pruned, p, err = classifier.PruneWithin(q.maxLoss(), func(pruned *nbsvm.Classifier) (float64, error) {
			small, err := q.round(pruned, &quantized{})
			if err != nil {
				return 0, err
			}
			d, err := classifier.Compare(c.ctx, in, c.scoreOptions(), small)
			if err != nil {
				return 0, err
			}
			return d.Loss, nil
		})
	default:
		pruned, p, err = classifier.Prune(q.Keep.share)
	}
	r.Pruning = &p
	return pruned, err
}

// round rounds weights, if that is asked for.
func (q *quantizeCmd) round(classifier *nbsvm.Classifier, r *quantized) (*nbsvm.Classifier, error) {
	if q.Bits == 32 {
		return classifier, nil
	}
	rounded, roundings, err := classifier.Quantize(q.Bits)
	r.Bits, r.Roundings = q.Bits, roundings
	return rounded, err
}

func (q *quantizeCmd) maxLoss() float64 {
	most := defaultMaxLoss
	set(&most, q.MaxLoss)
	return most
}

// compare sets both models side by side.
func (q *quantizeCmd) compare(c *call, in corpus.Input, classifier, small *nbsvm.Classifier, r *quantized) (err error) {
	r.Comparison, err = classifier.Compare(c.ctx, in, c.scoreOptions(), small)
	c.progress.Clear()
	if err != nil {
		return err
	}
	warnUnknown(c, r.Comparison.Before)
	return nil
}

// refuse is an error if too much is lost.
func (q *quantizeCmd) refuse(r *quantized) error {
	if d := r.Comparison; d != nil && d.Loss > q.maxLoss() {
		return fmt.Errorf("%s falls by %.4f, more than --max-loss %g; no model was written", spaced(d.Metric), d.Loss, q.maxLoss())
	}
	return nil
}

// spaced is a metric's key as words.
func spaced(key string) string { return strings.ReplaceAll(key, "_", " ") }

// quantized is what the command prints.
type quantized struct {
	Bits       int               `json:"bits,omitempty"`
	Before     int64             `json:"bytes_before"`
	After      int64             `json:"bytes_after"`
	Pruning    *nbsvm.Pruning    `json:"pruning,omitempty"`
	Roundings  []nbsvm.Rounding  `json:"rounding,omitempty"`
	Comparison *nbsvm.Comparison `json:"valid,omitempty"`
}

func (r *quantized) write(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(tw, "\tbefore\tafter\n")
	fmt.Fprintf(tw, "file\t%s\t%s\n", wording.Bytes(r.Before), wording.Bytes(r.After))
	if p := r.Pruning; p != nil {
		fmt.Fprintf(tw, "weights\t%s\t%s\n", wording.Count(int64(p.Weights)), wording.Count(int64(p.Kept)))
		fmt.Fprintf(tw, "features\t%s\t%s\n", wording.Count(int64(p.Features)), wording.Count(int64(p.Left)))
	}
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
			wording.Count(int64(d.Changed)), wording.Count(int64(d.Before.N)), 100*float64(d.Changed)/float64(d.Before.N), d.Largest)
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
		fmt.Fprintf(tw, "%s\t%s\t%s\t%.3g\t%.2g at most\t%.2g %%\n", s.Section, holds, wording.Count(int64(s.Numbers)), s.Largest, s.Worst, 100*s.RMS)
	}
	return tw.Flush()
}
