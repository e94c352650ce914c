package main

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"text/tabwriter"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/wording"
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
    nbsvm cv --grid C=0.1,1,10 --grid alpha=0.5,1 reviews.nbc

A grid compares settings on the same folds. Text is hashed once for all that take the same n-grams, and a fold's
matrix laid out once for those that share it. Families of n-grams are joined by a plus sign there:

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
	return v.withInput(c, v.Input, false, func(in nbsvm.Input) error {
		in.ManyClasses = v.AllowManyClasses
		return v.run(c, in, points, settings)
	})
}

func (v *cvCmd) run(c *call, in nbsvm.Input, points []gridSetting, settings []nbsvm.Options) error {
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
	head := fmt.Sprintf("%s of %s, %s", wording.Some(v.Folds, "fold"), wording.Some(all[0].Documents, "document"), wording.Some(len(all[0].Labels), "class"))
	switch {
	case v.Grid != nil && c.JSON:
		return printJSON(c.out, struct {
			Settings []gridSetting `json:"settings"`
			Best     int           `json:"best"` // by accuracy
		}{points, bestSetting(points)})
	case v.Grid != nil:
		fmt.Fprintf(c.out, "%s, %s\n\n", head, wording.Some(len(points), "setting"))
		return v.writeGrid(c.out, points)
	}
	summary := points[0].foldSummary
	if c.JSON {
		return printJSON(c.out, summary)
	}
	tw := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "%s\n\nmetric\tmean\tsd\n", head)
	for _, name := range summary.names {
		fmt.Fprintf(tw, "%s\t%.4f\t%.4f\n", name, float64(summary.Mean[name]), float64(summary.SD[name]))
	}
	return tw.Flush()
}

// foldSummary is what cv prints; mean and sd have the keys of the folds' metrics.
type foldSummary struct {
	Folds []*metrics.Report `json:"folds"`
	Mean  map[string]number `json:"mean"`
	SD    map[string]number `json:"sd"`
	names []string          // in the order of the report
}

// number is null in JSON where it is not a number.
type number float64

func (n number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// summariseFolds takes mean and standard deviation of the metrics that all folds
// have.
func summariseFolds(cv *nbsvm.CrossValidation) foldSummary {
	s := foldSummary{Folds: cv.Folds, Mean: map[string]number{}, SD: map[string]number{}}
	values := map[string][]float64{}
	for _, fold := range cv.Folds {
		for name, value := range fold.Values() {
			if value == nil {
				continue
			}
			if values[name] == nil {
				s.names = append(s.names, name)
			}
			values[name] = append(values[name], *value)
		}
	}
	s.names = slices.DeleteFunc(s.names, func(name string) bool { return len(values[name]) < len(cv.Folds) })
	for _, name := range s.names {
		mean, sd := metrics.MeanSD(values[name])
		s.Mean[name], s.SD[name] = number(mean), number(sd)
	}
	return s
}
