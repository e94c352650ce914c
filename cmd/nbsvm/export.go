package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
)

type exportCmd struct {
	Model  string   `file:"in" arg:"" help:"Model file, or packed corpus."`
	Input  []string `file:"in" arg:"" optional:"" help:"Labelled documents (for --format svmlight); - or nothing is standard input."`
	Output string   `file:"out" short:"o" group:"output" placeholder:"FILE" help:"Where to write (default: standard output)."`
	Class  string   `group:"output" placeholder:"LABEL" help:"The class to set against the rest, where each has a ratio of its own."`
	compressFlag
	exportInput
}

// exportInput are the input flags but for --format, which names the output here.
type exportInput struct {
	Format      string        `group:"output" required:"" enum:"svmlight,liblinear,roaring" placeholder:"FORMAT" help:"svmlight: documents as the solver sees them, without the bias feature; liblinear: a model for its predict, on that matrix; roaring: documents of a packed corpus as bitmaps."`
	InputFormat corpus.Format `group:"input" default:"auto" placeholder:"FORMAT" help:"Format of the documents: ${labelled_formats} (default: auto)."`
	TextField   string        `group:"input" placeholder:"NAME" help:"Field of the text."`
	LabelField  string        `group:"input" placeholder:"NAME" help:"Field of the label."`
	WeightField string        `group:"input" placeholder:"NAME" help:"Field of the weight; it is not exported."`
	LabelSep    string        `group:"input" placeholder:"SEP" help:"Documents have any number of labels, joined by SEP."`
	OnBad       corpus.OnBad  `file:"out" group:"input" placeholder:"WHAT" default:"fail" help:"What becomes of a bad record: fail, skip, or quarantine=FILE (default: fail)."`
	MaxRecord   int           `group:"input" placeholder:"BYTES" help:"Longest record; a longer one is bad (default: ${max_record})."`
}

func (e *exportCmd) Help() string {
	return `The matrix and the model fit together: what liblinear-predict gives for them is what score gives.
Models without unit-length rows must be trained with --keep-ratio.

    nbsvm train --keep-ratio -o reviews.nbm train.tsv
    nbsvm export --format svmlight -o test.svm reviews.nbm test.tsv
    nbsvm export --format liblinear -o reviews.model reviews.nbm
    liblinear-predict test.svm reviews.model test.out

A packed corpus comes out as it is, its n-grams numbered as in the corpus:

    nbsvm export --format svmlight -o reviews.svm reviews.nbc

or as bitmaps in roaring's portable format, one a document, the length of each in 8 bytes before it:

    nbsvm export --format roaring -o reviews.bitmaps reviews.nbc`
}

func (e *exportCmd) Run(c *call) error {
	if c.JSON {
		return usageError{errors.New("--json: export has no results to print as JSON")}
	}
	if nbsvm.IsPacked(e.Model) {
		return e.packed(c)
	}
	if e.Format == "roaring" {
		return usageError{fmt.Errorf("--format roaring is for packed corpora, and %s is none", e.Model)}
	}
	classifier, err := nbsvm.Open(e.Model)
	if err != nil {
		return err
	}
	defer classifier.Close()
	if e.Format == "liblinear" {
		if len(e.Input) > 0 {
			return usageError{errors.New("--format liblinear takes a model and no documents")}
		}
		return c.writeText(e.Output, e.compressFlag, func(w io.Writer) error { return classifier.ExportLiblinear(e.Class, w) })
	}
	flags := &inputFlags{
		Format: e.InputFormat, TextField: e.TextField, LabelField: e.LabelField, WeightField: e.WeightField,
		LabelSep: e.LabelSep, OnBad: e.OnBad, MaxRecord: e.MaxRecord,
	}
	return flags.withInput(c, e.Input, false, func(in nbsvm.Input) error {
		in.Like = classifier.Model().Meta.Input
		progress := newProgress(c)
		defer progress.clear()
		return c.writeText(e.Output, e.compressFlag, func(w io.Writer) error {
			out := bufio.NewWriterSize(w, 1<<18)
			o := nbsvm.ScoreOptions{Threads: c.Threads, Progress: progress.show}
			if err := classifier.ExportMatrix(c.ctx, in, o, e.Class, out); err != nil {
				return err
			}
			return out.Flush()
		})
	})
}

// packed exports a packed corpus.
func (e *exportCmd) packed(c *call) error {
	export := nbsvm.ExportPacked
	if e.Format == "roaring" {
		export = nbsvm.ExportPackedBitmaps
	}
	switch {
	case e.Format == "liblinear":
		return usageError{fmt.Errorf("%s is a packed corpus, which comes out as --format svmlight or roaring", e.Model)}
	case len(e.Input) > 0 || e.Class != "":
		return usageError{errors.New("a packed corpus is exported alone, with all its classes")}
	}
	return c.writeText(e.Output, e.compressFlag, func(w io.Writer) error { return export(c.ctx, e.Model, w) })
}
