package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/inside"
	"github.com/seed-167f963f/nbsvm/internal/scoring"
)

type exportCmd struct {
	Model  string   `file:"in" arg:"" help:"Model file."`
	Input  []string `file:"in" arg:"" optional:"" help:"Labelled documents, whose rows are exported; - is standard input. Without any, the weights are."`
	Output string   `file:"out" short:"o" group:"output" placeholder:"FILE" help:"Output file (default: standard output)."`
	Label  string   `group:"output" placeholder:"LABEL" help:"With documents: the only class to export, against all others (default: all)."`
	compressFlag
	labelledFlags
}

func (e *exportCmd) Help() string {
	return `Writes a model's weights: a header, and a row for each n-gram, with its text, its key (the top bits of its hash),
and its weight for each class. The first row is the bias. --json has one object per n-gram. The text is empty for
n-grams that the model does not name; train --names keeps more.

    nbsvm export reviews.nbm > weights.tsv
    nbsvm export --json reviews.nbm | jq -r 'select(.weights.pos > 1).ngram'

With documents, it writes their rows as the solver sees them, with ratios and unit length, in the format svmlight, for
other programs that learn. Classes are numbered from 1 in byte order; two classes, or --label and all others, are 1
and -1.

    nbsvm export -o train.svm reviews.nbm train.tsv`
}

func (e *exportCmd) Run(c *call) error {
	in := e.labelled(e.Input)
	switch rows := len(in.Paths) > 0; {
	case !rows && e.Label != "":
		return usageError{errors.New("--label is for the rows of documents, and weights are those of all classes: name documents, or leave it out")}
	case !rows && len(c.parsed.again("input")) > 0:
		return usageError{fmt.Errorf("%s says how documents are read, and none are: leave it out, or name documents beside a model (- is standard input)", c.parsed.again("input")[0])}
	case rows && c.JSON:
		return usageError{errors.New("--json is for weights, and rows of documents are svmlight: leave it out")}
	}
	classifier, err := nbsvm.Open(e.Model)
	if err != nil {
		return err
	}
	defer classifier.Close()
	if len(in.Paths) == 0 {
		weights := scoring.Weights
		if c.JSON {
			weights = scoring.WeightsJSON
		}
		return e.write(c, func(w io.Writer) error { return weights(w, classifier) })
	}
	return e.withInput(c, in, func(in corpus.Input) error {
		in.Like = classifier.Reading()
		return e.write(c, func(w io.Writer) error {
			return inside.ExportMatrix(c.ctx, classifier, in, c.Threads, c.progress.Show, e.Label, w)
		})
	})
}

// write writes the output, in large pieces.
func (e *exportCmd) write(c *call, write func(w io.Writer) error) error {
	return c.writeText(e.Output, e.compressFlag, func(w io.Writer) error {
		out := bufio.NewWriterSize(w, 1<<18)
		if err := write(out); err != nil {
			return err
		}
		return out.Flush()
	})
}
