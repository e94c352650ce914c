package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/explain"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/doubt"
)

type explainCmd struct {
	Model string   `file:"in" arg:"" help:"Model file."`
	Input []string `file:"in" arg:"" optional:"" help:"Files of documents to explain; - is standard input. Without any, the strongest n-grams of the model are listed."`
	Top   int      `min:"1" default:"15" group:"output" placeholder:"N" help:"N-grams to show per class or document (default: 15)."`
	inputFlags
}

func (e *explainCmd) Help() string {
	return `Without documents: the n-grams with the largest weights for each class. With documents: how much each n-gram
adds to the margin of the predicted class (or of the best class, if documents have several labels).

    nbsvm explain --top 5 reviews.nbm
    echo "a lovely film" | nbsvm explain reviews.nbm -

--json prints one object per document.

gbdt: the n-grams of a class are those whose splits gain most. The weight is the gain of all splits, less twice that of
the splits against the class; cover is the sum of second derivatives at the splits. Missing n-grams contribute to a
prediction as well, and are marked as absent.

fastText: a word counts with its n-grams of characters. The margin is by how much the output of the label is above the
mean of all labels (softmax) or what it is (ova, ns); with hs, it is the sum of the outputs on the way to the label.

knn: the n-grams of a class are those that weigh more in its documents than in others. A prediction is explained by what
it shares with the documents that voted. They are listed with their similarity, their share of the votes, their number
(from 1, without bad records) and their label.`
}

func (e *explainCmd) Run(c *call) error {
	classifier, err := openClassifier(e.Model, "tag score")
	if err != nil {
		return err
	}
	defer classifier.Close()
	if len(e.Input) == 0 {
		return e.classes(c, classifier)
	}
	if classifier.TakesFeatures() {
		return fmt.Errorf("nbsvm: %s takes ready-made features, so there is no text to explain; nbsvm explain %[1]s lists its strongest features", e.Model)
	}
	if e.Format == corpus.Auto {
		e.Format = classifier.Format()
	}
	if e.Format == corpus.Auto && len(e.Input) == 1 && e.Input[0] == "-" {
		e.Format = corpus.Lines
	}
	return e.withInput(c, e.From(e.Input, true), func(in corpus.Input) error { return e.texts(c, classifier, in) })
}

// classes lists the strongest n-grams of every class.
func (e *explainCmd) classes(c *call, classifier *nbsvm.Classifier) error {
	explanations, err := classifier.Explain(e.Top)
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(c.out, explanations)
	}
	for i, x := range explanations {
		if i > 0 {
			fmt.Fprintln(c.out)
		}
		fmt.Fprintf(c.out, "%s\n", display.Short(x.Label, display.LabelWidth))
		tw := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', tabwriter.AlignRight)
		for _, f := range x.Features {
			splits := ""
			if f.Splits > 0 {
				splits = fmt.Sprintf(" (%s, cover %.4g)", display.Some(f.Splits, "split"), f.Cover)
			}
			fmt.Fprintf(tw, "%+.4f\t %s%s\n", f.Weight, name(f.Name, f.Key), splits)
		}
		tw.Flush()
	}
	return nil
}

// texts takes the scores of texts apart.
func (e *explainCmd) texts(c *call, classifier *nbsvm.Classifier, in corpus.Input) error {
	scorer, err := classifier.NewScorer()
	if err != nil {
		return err
	}
	in.Like = classifier.Reading()
	reader, err := corpus.Open(in)
	if err != nil {
		return err
	}
	defer reader.Close()
	defer context.AfterFunc(c.ctx, reader.Interrupt)()
	for d, err := range reader.Documents() {
		switch {
		case c.ctx.Err() != nil:
			return c.ctx.Err()
		case err != nil:
			return err
		case d.Err != nil:
			err = in.Bad.Report(d)
		default:
			var x *explain.Text
			if x, err = scorer.ExplainTop(d.Text, e.Top); err == nil {
				err = e.text(c, x, classifier.Probabilities())
			}
		}
		if err != nil {
			return err
		}
	}
	if n := scorer.InvalidBytes(); n > 0 && in.Note != nil {
		in.Note(in.Describe(), doubt.InvalidNote(n))
	}
	return nil
}

func (e *explainCmd) text(c *call, x *explain.Text, probable bool) error {
	if c.JSON {
		return printJSONLine(c.out, x)
	}
	probability := ""
	if probable {
		probability = fmt.Sprintf("  probability %.4f", x.Score)
	}
	fmt.Fprintf(c.out, "%s%s  margin %+.4f = bias %+.4f and %s (%s unknown)\n",
		display.Short(x.Label, display.LabelWidth), probability, x.Margin, x.Bias,
		display.Some(len(x.Contributions)+x.Others, "n-gram"), more(x.Unknown))
	writeContributions(c.out, x.Contributions, x.Others, x.OthersMargin)
	if len(x.Neighbours) > 0 {
		e.neighbours(c, x)
	}
	_, err := fmt.Fprintln(c.out)
	return err
}

// writeContributions lists what features add to a margin, and how much those do that are left out.
func writeContributions(w io.Writer, listed []explain.Contribution, others int, othersMargin float64) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, f := range listed {
		absent := ""
		if f.Absent {
			absent = " (absent)"
		}
		fmt.Fprintf(tw, "%+.4f\t %s%s\n", f.Margin, name(f.Name, 0), absent)
	}
	if others > 0 {
		fmt.Fprintf(tw, "%+.4f\t (%s)\n", othersMargin, display.Some(others, "other"))
	}
	tw.Flush()
}

// neighbours lists the documents that have voted.
func (e *explainCmd) neighbours(c *call, x *explain.Text) {
	fmt.Fprintf(c.out, "%s voted:\n", display.Some(len(x.Neighbours), "training document"))
	tw := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	listed := x.Neighbours[:min(e.Top, len(x.Neighbours))]
	for _, n := range listed {
		labels := make([]string, len(n.Labels))
		for k, label := range n.Labels {
			labels[k] = display.Short(label, display.LabelWidth)
		}
		fmt.Fprintf(tw, "%.4f\t %.1f %%\t number %d\t %s\n", n.Similarity, 100*n.Vote, n.Document,
			cmp.Or(strings.Join(labels, ", "), "no label"))
	}
	tw.Flush()
	if more := len(x.Neighbours) - len(listed); more > 0 {
		fmt.Fprintf(c.out, "  and %s\n", display.Some(more, "other"))
	}
}

// more says that there are so many beside others.
func more(n int) string {
	if n == 1 {
		return "1 more is"
	}
	return fmt.Sprintf("%d more are", n)
}

// name returns an n-gram as it can be shown in a line.
func name(text string, key uint64) string {
	if text == "" {
		return fmt.Sprintf("(key %d)", key)
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '␣'
		}
		return r
	}, text)
}
