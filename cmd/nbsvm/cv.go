package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/base/wording"
	"github.com/seed-167f963f/nbsvm/metrics"
)

type cvCmd struct {
	Input []string   `file:"in" arg:"" optional:"" help:"Files of labelled documents; - or nothing is standard input."`
	Folds int        `default:"10" group:"cv" placeholder:"K" help:"Number of folds (default: 10)."`
	Grid  []gridAxis `sep:"none" group:"cv" placeholder:"FLAG=V,V,…" help:"Values of a flag to compare; several such flags make all combinations."`
	inputFlags
	classFlags
	trainFlags
}

func (v *cvCmd) Help() string {
	return `Folds are stratified by class and drawn by --seed. Text is read and hashed once; what is learned
from documents is learned without the held-out fold. Weights of documents are for training: a fold's metrics
count every document once. Printed are the mean and the standard
deviation of the folds' metrics; --json gives those of each fold as well.

    nbsvm cv --folds 5 --ngrams 1-3 reviews.tsv
    nbsvm cv --model nbsvm,svm,mnb reviews.tsv
    nbsvm cv --grid C=0.1,1,10 --grid alpha=0.5,1 reviews.nbc

Several models, and the settings of a grid, are compared on the same folds, in a table of a line each. Behind ± is
the standard error of the mean, the folds' standard deviation over the square root of their number. "to best" is how
much lower the metric is than the best setting's, with the standard error of the folds' differences: what is less than
two of them may be chance. Folds share the documents they train on, so that these errors are too small.
A flag that some of the models do without has an effect on the others; values of a grid that a model does without are
left out of its line, which is shown once.

"train s" is how long a fold's model took, and "docs/s" how many documents are scored a second once they are hashed,
both on --threads. Text is hashed once for all that take the same n-grams, and a fold's matrix laid out once for
those that share it; the time of that counts for each of them.

Families of n-grams are joined by a plus sign in a grid:

    nbsvm cv --grid features=word:1-2,word:1-2+char-wb:2-5 reviews.tsv

Flags are those of train, see nbsvm train --help for the presets.`
}

func (v *cvCmd) Run(c *call) error {
	points, settings, err := v.settings(c)
	if err != nil {
		return err
	}
	if v.Folds < 2 {
		return usageError{fmt.Errorf("--folds is %d, want 2 or more", v.Folds)}
	}
	return v.withInput(c, v.Input, false, func(in corpus.Input) error {
		in.ManyClasses = v.AllowManyClasses
		return v.run(c, in, points, settings)
	})
}

func (v *cvCmd) run(c *call, in corpus.Input, points []gridPoint, settings []nbsvm.Options) error {
	progress := newProgress(c)
	defer progress.Clear()
	for i := range settings {
		settings[i].Progress = progress.Show
	}
	all, err := nbsvm.CrossValidateAll(c.ctx, in, settings, v.Folds)
	if err != nil {
		return err
	}
	progress.Clear()
	for i, cv := range all {
		points[i].foldSummary = summariseFolds(cv)
	}
	by := metrics.Main(all[0].MultiLabel)
	head := fmt.Sprintf("%s of %s, %s", wording.Some(v.Folds, "fold"), wording.Some(all[0].Documents, "document"), wording.Some(len(all[0].Labels), "class"))
	if compared := comparePoints(v.axes(), points, by); len(compared.axes) > 0 {
		if c.JSON {
			return printJSON(c.out, compared)
		}
		fmt.Fprintf(c.out, "%s, %s\n\n", head, wording.Some(len(points), "setting"))
		return compared.write(c.out)
	}
	summary := points[0].foldSummary
	if c.JSON {
		return printJSON(c.out, summary)
	}
	tw := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "%s\n\nmetric\tmean\tsd\tse\n", head)
	for _, name := range summary.names {
		mean, sd, se := summary.Mean[name], summary.SD[name], summary.SE[name]
		fmt.Fprintf(tw, "%s\t%.4f\t%.4f\t%.4f\n", name, float64(mean), float64(sd), float64(se))
	}
	tw.Flush()
	_, err = fmt.Fprintf(c.out, "\ntraining without a fold takes %s s, and scoring %s documents takes a second\n",
		seconds(summary.trainSeconds()), perSecond(summary.Times.DocumentsPerSecond))
	return err
}
