package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/inside"
	"github.com/seed-167f963f/nbsvm/internal/model/fasttext"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
)

type importCmd struct {
	Kind   string `arg:"" enum:"fasttext" help:"Program that the model is from: fasttext."`
	Model  string `file:"in" arg:"" help:"Model file: .bin or .ftz."`
	Output string `file:"binary" short:"o" required:"" group:"output" placeholder:"MODEL" help:"Model to write; - is standard output."`

	MaxError *float64 `min:"0" group:"output" placeholder:"X" help:"Round numbers to 16 bits if no probability changes by more than X."`
	Valid    string   `file:"in" needs:"max-error" group:"input" placeholder:"FILE" help:"Texts to measure --max-error on; - is standard input (default: each word of the dictionary)."`
	inputFlags
}

func (i *importCmd) Help() string {
	return `Converts a classifier that fastText has trained (supervised, quantize). Labels and probabilities stay those of
fastText. score, eval and other commands also read fastText files directly, but a converted model opens faster, has
checksums, and with few labels is a hundredth of the size.

    nbsvm import fasttext lid.176.ftz -o lid.nbm
    nbsvm score lid.nbm texts.txt

--max-error X rounds numbers to half precision if that changes no probability by more than X. The change is measured on
the texts of --valid, or on each word of the dictionary. Give texts like those that you will score, because the
probabilities of single words change more than those of texts.

    nbsvm import fasttext --max-error 0.001 --valid texts.txt m.bin -o m.nbm`
}

func (i *importCmd) Run(c *call) error {
	if i.Valid == "" {
		return i.run(c, nil)
	}
	return i.withInput(c, []string{i.Valid}, true, func(in corpus.Input) error { return i.run(c, &in) })
}

// run imports the model. Its rounding is measured on an input, or on its own words.
func (i *importCmd) run(c *call, in *corpus.Input) error {
	before, err := os.Stat(i.Model)
	if err != nil {
		return err
	}
	classifier, err := score.Open(i.Model)
	if errors.Is(err, nbsvm.ErrNotModel) {
		return fmt.Errorf("%s: not a model file: give a .bin or .ftz file that fastText has written", i.Model)
	}
	if err != nil {
		return err
	}
	defer classifier.Close()
	facts := classifier.Model().Meta.FastText
	if facts == nil {
		return fmt.Errorf("%s is a model of nbsvm: there is nothing to import", i.Model)
	}
	var rejected *fasttext.Rounding
	if i.MaxError != nil {
		rounded, err := round(c, classifier, in)
		c.progress.Clear()
		if err != nil {
			return fmt.Errorf("%s: %w", i.Model, err)
		}
		if facts := rounded.Model().Meta.FastText; facts.Rounded.MaxError <= *i.MaxError {
			classifier = rounded
		} else {
			rejected = facts.Rounded
		}
	}
	after, err := c.writeModel(i.Output, classifier)
	if err != nil {
		return err
	}
	if standardOutput(i.Output) || c.Quiet {
		return nil
	}
	if c.JSON {
		return printJSON(c.out, struct {
			Before   int64              `json:"before"`
			After    int64              `json:"after"`
			FastText any                `json:"fasttext"`
			Rejected *fasttext.Rounding `json:"rejected,omitempty"` // rounding that changes too much
		}{before.Size(), after, classifier.Model().Meta.FastText, rejected})
	}
	fmt.Fprintf(c.out, "%s: %s, of %s; %s of memory: %s\n", display.Label(i.Output), display.Bytes(after),
		display.Bytes(before.Size()), display.Bytes(facts.Memory), classifier.Model().Meta.FastText.DescribeNumbers())
	if rejected != nil {
		fmt.Fprintf(c.out, "numbers keep 32 bits: with 16, %s, more than --max-error %g\n", rejected, *i.MaxError)
	}
	return nil
}

// round rounds the numbers of a model, and measures on the texts of an input, or without one on the model's words, what
// that changes.
func round(c *call, classifier *score.Classifier, in *corpus.Input) (*score.Classifier, error) {
	if in == nil {
		return classifier.RoundOnWords()
	}
	rounded, measure, err := classifier.RoundFastText()
	if err != nil {
		return nil, err
	}
	o := nbsvm.ScoreOptions{Threads: c.Threads, Progress: c.progress.Show}
	_, err = inside.Wrap(classifier).(*nbsvm.Classifier).Score(c.ctx, *in, o, func(dst []byte, d *corpus.Document, p *nbsvm.Prediction) []byte {
		if p != nil {
			d.Err = measure(d.Text, p.Scores)
		}
		return dst
	}, io.Discard)
	if err == nil && rounded.Model().Meta.FastText.Rounded.Texts == 0 {
		err = fmt.Errorf("%w in %s to measure on: is that the right input, and is it complete?", corpus.ErrNoDocuments, in.Describe())
	}
	return rounded, err
}
