package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/job/render"
	"github.com/seed-167f963f/nbsvm/packed"
)

type exportCmd struct {
	Model  string   `file:"in" arg:"" help:"Model file, or packed corpus."`
	Input  []string `file:"in" arg:"" optional:"" help:"Documents (labelled, for --output-format svmlight of a model; for fasttext those of training); - is standard input, and so is nothing for svmlight."`
	Output string   `file:"out" short:"o" group:"output" placeholder:"FILE" help:"Where to write (default: standard output)."`
	Class  string   `group:"output" placeholder:"LABEL" help:"The class to set against the rest, where each has a ratio of its own (svmlight, liblinear)."`

	OutputFormat string `choices:"tsv,jsonl,svmlight,liblinear,fasttext,roaring" group:"output" placeholder:"FORMAT" help:"Of a model: tsv or jsonl: its n-grams and their weights; svmlight: documents as the solver sees them, without the bias feature; liblinear: a model for its predict, on that matrix; fasttext: a model for fastText. Of a packed corpus: svmlight, or roaring: documents as bitmaps (default: tsv, or jsonl with --json; svmlight of a packed corpus)."`
	compressFlag
	inputFlags
}

func (e *exportCmd) Help() string {
	return `tsv has a header and a row for each n-gram of the model: its text, its bucket, whether other n-grams of
the training set are in that bucket, and its weight for each class. The first row is the bias, without a
bucket. jsonl has the same as an object a line. A model knows the texts of the n-grams that matter most;
train --names keeps more. The others have an empty text.

    nbsvm export reviews.nbm > weights.tsv
    nbsvm export --json reviews.nbm | jq -r 'select(.weights.pos > 1).ngram'

For LIBLINEAR, the matrix and the model fit together: what liblinear-predict gives for them is what score
gives. Models without unit-length rows must be trained with --keep-ratio. LIBLINEAR numbers its classes;
FILE.labels, beside the model, has the number and the label of each.

    nbsvm train --keep-ratio -o reviews.nbm train.tsv
    nbsvm export --output-format svmlight -o test.svm reviews.nbm test.tsv
    nbsvm export --output-format liblinear -o reviews.model reviews.nbm
    liblinear-predict test.svm reviews.model test.out

For fastText, models of its own come out as .bin again, however they were imported: fastText runs them with
the same labels and probabilities, faster where numbers are folded.

    nbsvm export --output-format fasttext -o small.bin imported.nbm

Other models have the same labels in fastText, not the same probabilities, if their features are single
words that count each time they are there; what else they have is refused with the flag that helps. As a
model has hashes of words, the documents that it was trained on are given again.

    nbsvm train --tokenizer space --no-lowercase --ngrams 1-1 \
        --values count --no-normalize -o words.nbm train.ft
    nbsvm export --output-format fasttext -o words.bin words.nbm train.ft

A packed corpus comes out as it is, its n-grams numbered as in the corpus. So are its labels, unless all
are whole numbers: FILE.labels has the number and the label of each.

    nbsvm export -o reviews.svm reviews.nbc

or as bitmaps in roaring's portable format, one a document, the length of each in 8 bytes before it:

    nbsvm export --output-format roaring -o reviews.bitmaps reviews.nbc`
}

// labelsSuffix makes of the name of a model for LIBLINEAR that of the file with its labels.
const labelsSuffix = ".labels"

// moreFiles is the file of labels.
func (e *exportCmd) moreFiles() (files []usedFile) {
	if e.Output != "" && (e.OutputFormat == "liblinear" || e.OutputFormat != "roaring" && packed.Is(e.Model)) {
		files = append(files, usedFile{role: "the labels beside -o,", path: e.Output + labelsSuffix, written: true})
	}
	return files
}

func (e *exportCmd) Run(c *call) error {
	fromPacked := packed.Is(e.Model)
	if err := e.check(c, fromPacked); err != nil {
		return err
	}
	switch {
	case fromPacked && e.OutputFormat == "roaring":
		return e.write(c, func(w io.Writer) error { return packed.ExportBitmaps(c.ctx, e.Model, w) })
	case fromPacked:
		return e.packed(c)
	}
	classifier, err := nbsvm.Open(e.Model)
	if err != nil {
		return err
	}
	defer classifier.Close()
	switch e.OutputFormat {
	case "tsv":
		return e.write(c, func(w io.Writer) error { return render.Weights(w, classifier) })
	case "jsonl":
		return e.write(c, func(w io.Writer) error { return render.WeightsJSON(w, classifier) })
	case "liblinear":
		return e.liblinear(c, classifier)
	case "fasttext":
		return e.fastText(c, classifier)
	}
	return e.withInput(c, e.Input, false, func(in corpus.Input) error {
		in.Like = classifier.Reading()
		progress := newProgress(c)
		defer progress.Clear()
		return e.write(c, func(w io.Writer) error {
			return classifier.ExportMatrix(c.ctx, in, nbsvm.ScoreOptions{Threads: c.Threads, Progress: progress.Show}, e.Class, w)
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
	formats, kind := []string{"tsv", "jsonl", "svmlight", "liblinear", "fasttext"}, "a model"
	if packed {
		formats, kind = []string{"svmlight", "roaring"}, "a packed corpus"
	}
	switch {
	case !packed && e.Format != corpus.Auto && e.OutputFormat != "svmlight" && (e.OutputFormat != "fasttext" || len(e.Input) == 0):
		return usageError{fmt.Errorf("--format %s is the format of documents to read; that of the output is --output-format svmlight, liblinear, fasttext, tsv or jsonl", e.Format)}
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
		return usageError{fmt.Errorf("%s: --output-format is %q; %s comes out as %s", e.Model, e.OutputFormat, kind, strings.Join(formats, ", "))}
	case c.JSON && e.OutputFormat != "jsonl":
		return usageError{fmt.Errorf("--json and --output-format %s contradict each other: leave one out", e.OutputFormat)}
	case packed && (len(e.Input) > 0 || e.Class != ""):
		return usageError{errors.New("a packed corpus is exported alone, with all its classes")}
	case !packed && e.OutputFormat != "svmlight" && e.OutputFormat != "fasttext" && len(e.Input) > 0:
		return usageError{fmt.Errorf("--output-format %s takes a model and no documents; documents are exported with --output-format svmlight", e.OutputFormat)}
	case e.Class != "" && slices.Contains([]string{"tsv", "jsonl", "fasttext"}, e.OutputFormat):
		return usageError{fmt.Errorf("--output-format %s has the weights of all classes; leave --class out", e.OutputFormat)}
	}
	return nil
}

// liblinear writes a model for LIBLINEAR, and beside it which label has which number.
func (e *exportCmd) liblinear(c *call, classifier *nbsvm.Classifier) error {
	labels, err := classifier.LiblinearLabels(e.Class)
	if err != nil {
		return err
	}
	if err := e.write(c, func(w io.Writer) error { return classifier.ExportLiblinear(e.Class, w) }); err != nil {
		return err
	}
	if classifier.TakesFeatures() && !c.Quiet {
		// Files with such rows are at hand, and LIBLINEAR would take them without a word.
		fmt.Fprintf(c.err, "nbsvm: the model is for rows that are exported, too: their features have other numbers and values than in your own files; nbsvm export --output-format svmlight %s DOCUMENTS writes them\n", e.Model)
	}
	if standardOutput(e.Output) {
		return nil
	}
	return e.writeLabels(c, labels)
}

// packed writes the rows of a packed corpus. LIBLINEAR, and others that read the format, refuse labels that are
// not numbers: where these get one, it stands beside the rows.
func (e *exportCmd) packed(c *call) error {
	numbered := map[int]*string{}
	err := e.write(c, func(w io.Writer) error {
		all, err := packed.Export(c.ctx, e.Model, w)
		for k := range all {
			numbered[k+1] = &all[k]
		}
		return err
	})
	switch {
	case err != nil || len(numbered) == 0:
		return err
	case !standardOutput(e.Output):
		return e.writeLabels(c, numbered)
	case !c.Quiet:
		fmt.Fprintln(c.err, "nbsvm: labels that are not all whole numbers are numbered from 1 in bytewise order; with -o FILE, FILE.labels says which is which")
	}
	return nil
}

// writeLabels writes, beside the output, which label has which number; nil is several.
func (e *exportCmd) writeLabels(c *call, labels map[int]*string) error {
	return c.writeOutput(e.Output+labelsSuffix, func(w io.Writer) error {
		for _, number := range slices.Sorted(maps.Keys(labels)) {
			label := "" // of the rest
			if labels[number] != nil {
				label = render.TSVLabel(*labels[number])
			}
			if _, err := fmt.Fprintf(w, "%d\t%s\n", number, label); err != nil {
				return err
			}
		}
		return nil
	})
}
