package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/scoring"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// groupFlag is whether near-duplicates are in one fold.
type groupFlag struct {
	NoGroup bool `help:"Divide documents as most publications do: near-duplicates may be in several folds."`
}

type cvCmd struct {
	Input     []string `file:"in" arg:"" optional:"" help:"Files of labelled documents; - or nothing is standard input."`
	Folds     int      `min:"2" default:"10" group:"cv" placeholder:"K" help:"Number of folds (default: 10)."`
	groupFlag `group:"cv"`
	Grid      []gridAxis `sep:"none" group:"cv" placeholder:"FLAG=V,V,…" help:"Values of a flag to compare. Several --grid flags give all combinations."`
	Wrong     string     `file:"out" group:"cv" placeholder:"FILE" help:"Write the 1,000 most wrong documents to this file, each classified by the model that was trained without it, as JSON lines: label, predicted, probability, loss, text."`
	labelledFlags
	classFlags
	trainFlags
}

func (v *cvCmd) Help() string {
	return `Trains on all folds but one and evaluates on that one, for each fold in turn. Prints the mean and the standard
deviation of the metrics; --json has those of each fold as well. Folds are stratified by class and depend on --seed.
Texts that have nearly all words in common are in one fold; of packed corpora, ready-made features and documents that
take more than --memory, equal rows are. For the plain folds of most publications, give --no-group. The summary says
which were used. Weights of documents affect training, not metrics.

    nbsvm cv --folds 5 --ngrams 1-3 reviews.tsv
    nbsvm cv --grid model=nbsvm,svm,mnb reviews.tsv
    nbsvm cv --grid C=0.1,1,10 --grid alpha=0.5,1 reviews.nbc
    nbsvm cv --grid ngrams=word:1-2,word:1-2+char-wb:2-5 reviews.tsv
    nbsvm cv --wrong wrong.jsonl reviews.tsv

The settings of a grid are compared on the same folds in a table with one line each. The number after ± is the standard
error of the mean. "to best" is the difference to the best setting, with the standard error of the difference; less than
two standard errors may be chance. Because the folds share training documents, standard errors are too small. A flag that
one model does not take still applies to the others.

"train s" is the time to train the model of a fold, and "docs/s" the number of hashed documents scored per second, both
with --threads. Settings with the same n-grams share the hashed text, whose time counts for each of them.

--wrong finds labels that are likely to be wrong: the documents at the top of the file contradict what all others teach
most clearly. It takes one setting.

The other flags are those of train.`
}

func (v *cvCmd) Run(c *call) error {
	if err := scoring.CheckWrong(v.Wrong); err != nil {
		return usageError{err}
	}
	if !slices.ContainsFunc(v.Grid, func(a gridAxis) bool { return a.name == "model" }) {
		v.predict(v.Target)
	}
	points, settings, err := v.settings(c)
	switch {
	case err != nil:
		return err
	case v.Wrong != "" && len(points) > 1:
		return usageError{fmt.Errorf("--wrong takes one setting, and there are %d: leave --grid out", len(points))}
	}
	return v.withInput(c, v.labelled(v.Input), func(in corpus.Input) error {
		in.ManyClasses = v.AllowManyClasses
		return v.run(c, in, points, settings)
	})
}

func (v *cvCmd) run(c *call, in corpus.Input, points []gridPoint, settings []nbsvm.Options) error {
	for i := range settings {
		settings[i].Progress, settings[i].PlainFolds = c.progress.Show, v.NoGroup
	}
	var wrong *scoring.Judge
	var add func(*nbsvm.Classifier, nbsvm.Judgement)
	if v.Wrong != "" {
		wrong = scoring.NewWrong()
		add = wrong.AddOf
	}
	all, err := nbsvm.CrossValidateAll(c.ctx, in, settings, v.Folds, add)
	if err != nil {
		return err
	}
	c.progress.Clear()
	if wrong != nil {
		write := func(w io.Writer) error { return wrong.WriteWrong(w) }
		if err := c.writeText(v.Wrong, compressFlag{scoring.Compress{How: "auto"}}, write); err != nil {
			return err
		}
		if !c.Quiet {
			fmt.Fprintf(c.err, "nbsvm: %s: %s\n", v.Wrong, wrong.Written())
		}
	}
	for i, cv := range all {
		points[i].foldSummary = summariseFolds(cv)
	}
	by := metrics.Main(all[0].Task)
	head := fmt.Sprintf("%s in %s", display.Some(all[0].Documents, "document"), display.Some(v.Folds, "fold"))
	if all[0].Task != "regression" {
		head += ", " + display.Some(len(all[0].Labels), "class")
	}
	grouping := groupingOf(all[0].Plain, all[0].Grouped, all[0].Divided)
	if cv := all[0]; cv.Bad > 0 {
		head += fmt.Sprintf("; %s skipped: %s", display.Some(cv.Bad, "bad record"), cv.Reasons)
	}
	if compared := comparePoints(v.Grid, points, by); len(compared.axes) > 0 {
		compared.Command = trainAgain(c, &settings[compared.Best], "model.nbm", v.Input)
		if c.JSON {
			return printJSON(c.out, compared)
		}
		fmt.Fprintf(c.out, "%s, %s\n%s\n\n", head, display.Some(len(points), "setting"), grouping)
		return compared.write(c.out)
	}
	summary := points[0].foldSummary
	if c.JSON {
		return printJSON(c.out, summary)
	}
	tw := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "%s\n%s\n\nmetric\tmean\tsd\tse\n", head, grouping)
	for _, name := range summary.names {
		mean, sd, se := summary.Mean[name], summary.SD[name], summary.SE[name]
		fmt.Fprintf(tw, "%s\t%.4f\t%.4f\t%.4f\n", name, float64(mean), float64(sd), float64(se))
	}
	tw.Flush()
	_, err = fmt.Fprintf(c.out, "\ntraining takes %s s per fold; scoring %s documents/s\n",
		seconds(summary.trainSeconds()), perSecond(summary.Times.DocumentsPerSecond))
	return err
}

// groupingOf returns what became of near-duplicates.
func groupingOf(plain bool, grouped, divided int) string {
	switch {
	case plain:
		return "plain folds: near-duplicates may be in several"
	case grouped+divided == 0:
		return "no near-duplicates"
	case divided == 0:
		return display.Some(grouped, "document") + " grouped: near-duplicates are in one fold"
	}
	return fmt.Sprintf("%s grouped: near-duplicates are in one fold; %s in groups too large for one",
		display.Some(grouped, "document"), display.Some(divided, "document"))
}
