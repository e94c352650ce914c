package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/inside"
	"github.com/seed-167f963f/nbsvm/internal/job/scoring"
	"github.com/seed-167f963f/nbsvm/packed"
)

type exportCmd struct {
	Model  string   `file:"in" arg:"" help:"Model file, or packed corpus."`
	Input  []string `file:"in" arg:"" optional:"" help:"For svmlight: labelled documents; - or nothing is standard input."`
	Output string   `file:"out" short:"o" group:"output" placeholder:"FILE" help:"Output file (default: standard output)."`
	Class  string   `group:"output" placeholder:"LABEL" help:"For svmlight: the only class to export, against all others (default: all)."`

	OutputFormat string `choices:"tsv,jsonl,svmlight" group:"output" placeholder:"FORMAT" help:"Of a model: tsv or jsonl (weights), or svmlight (documents as the solver sees them). Of a packed corpus: svmlight (default: tsv, or jsonl with --json; svmlight for a packed corpus)."`
	compressFlag
	inputFlags
}

func (e *exportCmd) Help() string {
	return `tsv has a header, and a row for each n-gram: its text, its key (the top bits of its hash), and its weight for each
class. The first row is the bias. jsonl has one object per n-gram. The text is empty for n-grams that the model does
not name; train --names keeps more.

    nbsvm export reviews.nbm > weights.tsv
    nbsvm export --json reviews.nbm | jq -r 'select(.weights.pos > 1).ngram'

svmlight has the rows of documents as the solver sees them, with ratios and unit length, for other programs that
learn. Classes are numbered from 1 in byte order; two classes, or --class and all others, are 1 and -1.

    nbsvm export --output-format svmlight -o train.svm reviews.nbm train.tsv

A packed corpus keeps its numbers of n-grams. Labels that are not all whole numbers are numbered, and listed in
FILE.labels.

    nbsvm export -o reviews.svm reviews.nbc`
}

// labelsSuffix is appended to the name of an exported file to get the name of the file with its labels.
const labelsSuffix = ".labels"

// moreFiles returns the file of labels.
func (e *exportCmd) moreFiles() (files []usedFile) {
	if e.Output != "" && packed.Is(e.Model) {
		files = append(files, usedFile{role: "the labels beside -o,", path: e.Output + labelsSuffix, written: true})
	}
	return files
}

func (e *exportCmd) Run(c *call) error {
	fromPacked := packed.Is(e.Model)
	if err := e.check(c, fromPacked); err != nil {
		return err
	}
	if fromPacked {
		return e.packed(c)
	}
	classifier, err := nbsvm.Open(e.Model)
	if err != nil {
		return err
	}
	defer classifier.Close()
	switch e.OutputFormat {
	case "tsv":
		return e.write(c, func(w io.Writer) error { return scoring.Weights(w, classifier) })
	case "jsonl":
		return e.write(c, func(w io.Writer) error { return scoring.WeightsJSON(w, classifier) })
	}
	return e.withInput(c, e.Input, false, func(in corpus.Input) error {
		in.Like = classifier.Reading()
		return e.write(c, func(w io.Writer) error {
			return inside.ExportMatrix(c.ctx, classifier, in, c.Threads, c.progress.Show, e.Class, w)
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

// check completes the output's format and finds what contradicts it.
func (e *exportCmd) check(c *call, packed bool) error {
	formats, kind := []string{"tsv", "jsonl", "svmlight"}, "a model"
	if packed {
		formats, kind = []string{"svmlight"}, "a packed corpus"
	}
	switch {
	case !packed && e.Format != corpus.Auto && e.OutputFormat != "svmlight":
		return usageError{fmt.Errorf("--format %s is the format of documents to read; use --output-format tsv, jsonl or svmlight for the output", e.Format)}
	case e.OutputFormat != "":
	case packed:
		e.OutputFormat = "svmlight"
	case c.JSON:
		e.OutputFormat = "jsonl"
	default:
		e.OutputFormat = "tsv"
	}
	switch {
	case !slices.Contains(formats, e.OutputFormat):
		return usageError{fmt.Errorf("%s: --output-format %s is not for %s: use %s",
			e.Model, e.OutputFormat, kind, strings.Join(formats, ", "))}
	case c.JSON && e.OutputFormat != "jsonl":
		return usageError{fmt.Errorf("--json and --output-format %s contradict each other: leave one out",
			e.OutputFormat)}
	case packed && (len(e.Input) > 0 || e.Class != ""):
		return usageError{errors.New("a packed corpus is exported without other documents and with all its classes: leave them and --class out")}
	case !packed && e.OutputFormat != "svmlight" && len(e.Input) > 0:
		return usageError{fmt.Errorf("--output-format %s takes a model and no documents; export documents with --output-format svmlight", e.OutputFormat)}
	case e.Class != "" && slices.Contains([]string{"tsv", "jsonl"}, e.OutputFormat):
		return usageError{fmt.Errorf("--output-format %s has the weights of all classes: leave --class out",
			e.OutputFormat)}
	}
	return nil
}

// packed writes the rows of a packed corpus. LIBLINEAR, and others that read the format, refuse labels that are
// not numbers: where these get one, it stands beside the rows.
func (e *exportCmd) packed(c *call) error {
	var labels []string
	err := e.write(c, func(w io.Writer) (err error) {
		labels, err = packed.Export(c.ctx, e.Model, w)
		return err
	})
	switch {
	case err != nil || len(labels) == 0:
		return err
	case !standardOutput(e.Output):
		return c.writeOutput(e.Output+labelsSuffix, func(w io.Writer) error {
			for k, label := range labels {
				if _, err := fmt.Fprintf(w, "%d\t%s\n", k+1, scoring.TSVLabel(label)); err != nil {
					return err
				}
			}
			return nil
		})
	case !c.Quiet:
		fmt.Fprintln(c.err, "nbsvm: labels that are not all whole numbers are numbered from 1 in byte order; with -o FILE, FILE.labels lists them")
	}
	return nil
}
