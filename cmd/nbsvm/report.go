package main

import (
	"fmt"
	"io"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/inside"
	"github.com/seed-167f963f/nbsvm/internal/page"
)

type reportCmd struct {
	Model     string   `file:"in" arg:"" help:"Model file."`
	Input     []string `file:"in" arg:"" optional:"" help:"Files of labelled documents to evaluate the model on; - is standard input. Without any, the page describes only the model."`
	Output    string   `file:"binary" short:"o" required:"" group:"output" placeholder:"FILE" help:"HTML page to write; - is standard output."`
	Documents int      `min:"0" max:"100" default:"25" group:"output" placeholder:"N" help:"Number of most wrong and of least sure documents to show (default: 25)."`
	Top       int      `min:"1" max:"400" default:"20" group:"output" placeholder:"N" help:"Number of n-grams to show per class (default: 20)."`
	labelledFlags
}

func (r *reportCmd) Help() string {
	return `Writes a self-contained page that loads nothing from the network. Without documents it shows how the model was
made and the strongest n-grams of its classes. With documents it adds metrics, confusions, a threshold to move,
calibration, and the most wrong and least sure documents with the contributions of their n-grams. The same model,
documents and flags give the same bytes.

    nbsvm report reviews.nbm test.tsv -o report.html
    nbsvm report reviews.nbm -o model.html`
}

func (r *reportCmd) Run(c *call) error {
	in := r.labelled(r.Input)
	if len(in.Paths) == 0 {
		return r.run(c, nil)
	}
	return r.withInput(c, in, func(in corpus.Input) error { return r.run(c, &in) })
}

func (r *reportCmd) run(c *call, in *corpus.Input) error {
	classifier, err := openClassifier(r.Model, "tag eval")
	if err != nil {
		return err
	}
	defer classifier.Close()
	made, err := classifier.Report()
	if err != nil {
		return fmt.Errorf("%s: %w", r.Model, err)
	}
	o := page.Options{Path: r.Model, Documents: r.Documents, Features: r.Top, Threads: c.Threads, Progress: c.progress.Show}
	if inside.Classifier(classifier).FastText() == nil {
		o.Train = trainCommand(&made.Options, classifier.Reading(), r.Model)
	}
	words := append([]string{"nbsvm", "report", r.Model}, r.Input...)
	o.Command = display.Shell(append(append(words, c.parsed.again("output", "input")...), "-o", r.Output))
	if in != nil {
		in.Like = classifier.Reading()
	}
	return c.writeOutput(r.Output, func(w io.Writer) error { return page.Write(c.ctx, classifier, in, o, w) })
}
