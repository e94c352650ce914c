package main

import (
	"fmt"
	"os"
	"text/tabwriter"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/printable"
	"github.com/seed-167f963f/nbsvm/internal/wording"
)

type importCmd struct {
	Kind   string `arg:"" enum:"fasttext" help:"What the model is of: fasttext."`
	Model  string `file:"in" arg:"" help:"Model file: .bin or .ftz."`
	Output string `file:"binary" short:"o" required:"" group:"output" placeholder:"MODEL" help:"Where to write the model; - is standard output."`
}

func (i *importCmd) Help() string {
	return `Takes a classifier that fastText has trained (supervised, quantize), and writes a model that score, eval,
explain, inspect and verify take like any other. Labels and probabilities are those of fastText. These commands
take files of fastText themselves, too; an imported one is opened faster, has checksums, and is a hundredth of the size
where there are few labels.

    nbsvm import fasttext lid.176.ftz -o lid.nbm
    nbsvm score lid.nbm texts.txt`
}

func (i *importCmd) Run(c *call) error {
	if err := c.checkBinary("a model", i.Output); err != nil {
		return err
	}
	before, err := os.Stat(i.Model)
	if err != nil {
		return err
	}
	classifier, err := nbsvm.Open(i.Model)
	if err != nil {
		return err
	}
	defer classifier.Close()
	facts := classifier.Model().Meta.FastText
	if facts == nil {
		return fmt.Errorf("nbsvm: %s is a model that nbsvm has trained: there is nothing to import", i.Model)
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
			Before   int64 `json:"before"`
			After    int64 `json:"after"`
			FastText any   `json:"fasttext"`
		}{before.Size(), after, facts})
	}
	fmt.Fprintf(c.out, "%s: %s, of %s: %s\n", printable.Label(i.Output), wording.Bytes(after), wording.Bytes(before.Size()), describeNumbers(classifier))
	return nil
}

// describeNumbers says what the numbers of a model of fastText are.
func describeNumbers(c *nbsvm.Classifier) string {
	facts := c.Model().Meta.FastText
	if facts.Folded {
		return fmt.Sprintf("%s a feature: input times output", wording.Some(facts.Numbers, "number"))
	}
	return fmt.Sprintf("%s a feature: vectors", wording.Some(facts.Numbers, "number"))
}

// writeFastText tells what a model of fastText is.
func writeFastText(tw *tabwriter.Writer, c *nbsvm.Classifier) {
	f := c.Model().Meta.FastText
	fmt.Fprintf(tw, "model\tfastText, format version %d, loss %s; scores are probabilities, as fastText shows them\n", f.Version, f.LossName)
	fmt.Fprintf(tw, "text\twords of up to %s", wording.Some(max(f.WordNgrams, 1), "token"))
	if f.MaxN > 0 {
		fmt.Fprintf(tw, ", n-grams of %d to %d characters", f.MinN, f.MaxN)
	}
	fmt.Fprintf(tw, "\nlabels\t%s\n", wording.Count(int64(len(c.Labels()))))
	fmt.Fprintf(tw, "features\t%s, %s with numbers", wording.Some(f.Words, "word"), wording.Some(f.Ngrams, "n-gram"))
	if f.Pruned {
		fmt.Fprintf(tw, " of %s", wording.Some(f.Bucket, "bucket"))
	}
	fmt.Fprintf(tw, "\nnumbers\t%s; %d dimensions\n", describeNumbers(c), f.Dim)
}
