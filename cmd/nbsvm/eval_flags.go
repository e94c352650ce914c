package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/cli/flags"
	"github.com/seed-167f963f/nbsvm/internal/cli/labels"
	"github.com/seed-167f963f/nbsvm/internal/job/judge"
	"github.com/seed-167f963f/nbsvm/packed"
)

// judgeFlags ask of an evaluation more than its report: what thresholds keep, what is among the best labels, and which
// documents are classified most wrongly.
type judgeFlags struct {
	Thresholds  bool     `group:"output" help:"Print a table of precision, recall and share of documents kept, by threshold."`
	Threshold   *float64 `group:"output" placeholder:"SCORE" help:"Print these of what has a score of at least SCORE."`
	AtPrecision *float64 `group:"output" placeholder:"P" help:"Print the lowest threshold that reaches the precision P, and its recall."`
	Label       *string  `group:"output" placeholder:"LABEL" help:"Thresholds are for the score of this class (default: for that of the predicted one; of every class where documents have any number of labels)."`
	AtK         []int    `name:"at-k" sep:"," group:"output" placeholder:"K,..." help:"Print precision and recall of the K best labels."`
	MostWrong   *int     `group:"output" placeholder:"N" help:"Print the N documents that are classified most wrongly (default with --wrong: 1,000, of which none are printed)."`
	Wrong       string   `file:"out" group:"output" placeholder:"FILE" help:"Write them there, JSON lines or .tsv: label, predicted, probability, loss, text."`
}

// mostWritten is how many documents --wrong writes where no number is given.
const mostWritten = 1000

// check refuses values that make no sense, and texts of inputs that have none.
func (f *judgeFlags) check(inputs []string) error {
	switch {
	case f.Threshold != nil && (math.IsNaN(*f.Threshold) || math.IsInf(*f.Threshold, 0)):
		return usageError{fmt.Errorf("--threshold is %v, want a number", *f.Threshold)}
	case f.AtPrecision != nil && !(*f.AtPrecision > 0 && *f.AtPrecision <= 1):
		return usageError{fmt.Errorf("--at-precision is %v, want a share above 0, up to 1", *f.AtPrecision)}
	case slices.ContainsFunc(f.AtK, func(k int) bool { return k < 1 }):
		return usageError{fmt.Errorf("--at-k is %d, want numbers from 1", slices.Min(f.AtK))}
	case f.MostWrong != nil && *f.MostWrong < 1:
		return usageError{fmt.Errorf("--most-wrong is %d, want 1 or more", *f.MostWrong)}
	case f.Wrong == "-":
		return usageError{errors.New("--wrong can't be standard output, which has the report: name a file")}
	case f.Label != nil && !f.curves():
		return usageError{errors.New("--label is for thresholds: give --thresholds, --threshold or --at-precision as well")}
	}
	if f.Wrong != "" || f.MostWrong != nil {
		if i := slices.IndexFunc(inputs, packed.Is); i >= 0 {
			return usageError{fmt.Errorf("%s is a packed corpus, which has no texts to show: give eval the documents that it was made of", inputs[i])}
		}
	}
	return nil
}

// curves says whether thresholds are asked for.
func (f *judgeFlags) curves() bool {
	return f.Thresholds || f.Threshold != nil || f.AtPrecision != nil
}

// any says whether anything is asked for.
func (f *judgeFlags) any() bool {
	return f.curves() || f.AtK != nil || f.MostWrong != nil || f.Wrong != ""
}

// options are what is asked for of a model.
func (f *judgeFlags) options(c *nbsvm.Classifier) (o judge.Options, err error) {
	o = judge.Options{Thresholds: f.Thresholds, Threshold: f.Threshold, AtPrecision: f.AtPrecision, Class: -1, AtK: f.AtK}
	switch {
	case f.MostWrong != nil:
		o.MostWrong = *f.MostWrong
	case f.Wrong != "":
		o.MostWrong = mostWritten
	}
	if o.MostWrong > 0 && c.TakesFeatures() {
		return o, usageError{errors.New("the model takes ready-made features: there are no texts for --wrong and --most-wrong to show")}
	}
	if f.Label != nil {
		if o.Class, err = labels.Find(c.Labels(), *f.Label); err != nil {
			return o, usageError{err}
		}
	}
	return o, nil
}

// writeWrong writes documents to the file of --wrong.
func (f *judgeFlags) writeWrong(c *call, documents []judge.Document, score string) error {
	return c.writeText(f.Wrong, compressFlag{flags.Compress{How: "auto"}}, func(w io.Writer) error {
		name := strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(f.Wrong), ".gz"), ".zst")
		if strings.HasSuffix(name, ".tsv") {
			return judge.WriteTSV(w, documents, score)
		}
		return judge.WriteJSON(w, documents)
	})
}

// scoreName is what the scores of a model are.
func scoreName(c *nbsvm.Classifier) string {
	if c.Probabilities() {
		return "probability"
	}
	return "margin"
}
