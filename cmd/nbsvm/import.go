package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/model/fasttext"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
)

type importCmd struct {
	Kind   string `arg:"" enum:"fasttext" help:"Program that the model is from: fasttext."`
	Model  string `file:"in" arg:"" help:"Model file: .bin or .ftz."`
	Output string `file:"binary" short:"o" required:"" group:"output" placeholder:"MODEL" help:"Model to write; - is standard output."`
}

func (i *importCmd) Help() string {
	return `Converts a classifier that fastText has trained (supervised, quantize). Labels and probabilities stay those of
fastText. score, eval and other commands also read fastText files directly, but a converted model opens faster, has
checksums, and with few labels is a hundredth of the size.

    nbsvm import fasttext lid.176.ftz -o lid.nbm
    nbsvm score lid.nbm texts.txt`
}

func (i *importCmd) Run(c *call) error {
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
	after, err := c.writeModel(i.Output, classifier)
	if err != nil {
		return err
	}
	if standardOutput(i.Output) || c.Quiet {
		return nil
	}
	if c.JSON {
		return printJSON(c.out, struct {
			Before   int64           `json:"before"`
			After    int64           `json:"after"`
			FastText *fasttext.Facts `json:"fasttext"`
		}{before.Size(), after, facts})
	}
	_, err = fmt.Fprintf(c.out, "%s: %s (from %s); %s of memory: %s\n", display.Label(i.Output), display.Bytes(after),
		display.Bytes(before.Size()), display.Bytes(facts.Memory), facts.DescribeNumbers())
	return err
}
