package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"text/tabwriter"
	"time"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// seconds returns written with three digits or so.
func seconds(s float64) string {
	switch {
	case s < 1:
		return fmt.Sprintf("%.3f", s)
	case s < 100:
		return fmt.Sprintf("%.1f", s)
	}
	return fmt.Sprintf("%.0f", s)
}

// perSecond returns a rate of three digits.
func perSecond(rate float64) string {
	unit := 1.0
	for rate/unit >= 1000 {
		unit *= 10
	}
	return display.Count(int64(math.Round(rate/unit) * unit))
}

// write writes a line for each setting, and which is best.
func (c *comparison) write(w io.Writer) error {
	withError := func(mean, se number) string { return fmt.Sprintf("%.4f ±%.4f", float64(mean), float64(se)) }
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, axis := range c.axes {
		fmt.Fprintf(tw, "%s\t", axis.name)
	}
	second := "macro_f1"
	if c.BestBy == metrics.Main("regression") {
		second = "spearman"
	}
	fmt.Fprintf(tw, "%s\tto best\t%s\ttrain s\tdocs/s\n", c.BestBy, second)
	for i := range c.Settings {
		p := &c.Settings[i]
		for _, axis := range c.axes {
			fmt.Fprintf(tw, "%s\t", cmp.Or(p.Values[axis.name], "-"))
		}
		toBest := withError(p.ToBest.Mean, p.ToBest.SE)
		if i == c.Best {
			toBest = "best"
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\n", withError(p.Mean[c.BestBy], p.SE[c.BestBy]), toBest,
			withError(p.Mean[second], p.SE[second]), seconds(p.trainSeconds()),
			perSecond(p.Times.DocumentsPerSecond))
	}
	tw.Flush()
	fmt.Fprintf(w, "\n±: standard error over the folds, which is too small because they share training documents.\n")
	best := &c.Settings[c.Best]
	_, err := fmt.Fprintf(w, "best %s, %.4f: %s\n\nThis command trains the best model:\n\n    %s\n",
		c.BestBy, float64(best.Mean[c.BestBy]), best, display.Text(c.Command))
	return err
}

// foldSummary is what cv prints of one setting. The keys of mean, sd and se are names of metrics.
type foldSummary struct {
	Folds []*metrics.Report `json:"folds"`
	Mean  map[string]number `json:"mean"`
	SD    map[string]number `json:"sd"`
	SE    map[string]number `json:"se"`    // standard errors of the means
	Times foldTimes         `json:"times"` // all that differs from run to run
	names []string          // of metrics, in the order of the report

	PlainFolds bool `json:"plain_folds"` // near-duplicates may be in several folds
	Grouped    int  `json:"grouped"`     // documents with near-duplicates, all in the same fold
	Divided    int  `json:"divided"`     // documents with near-duplicates in other folds, too

	Bad     int64          `json:"bad"` // records that were skipped
	Reasons corpus.Reasons `json:"bad_reasons,omitempty"`
}

// foldTimes are seconds that the folds took, and how fast documents were scored in all of them.
type foldTimes struct {
	Train              []float64 `json:"train_seconds"`
	Score              []float64 `json:"score_seconds"`
	DocumentsPerSecond float64   `json:"documents_per_second"`
}

// number is null in JSON where it is not a number.
type number float64

func (n number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// summariseFolds takes mean, standard deviation and standard error of the metrics that all folds have.
func summariseFolds(cv *nbsvm.CrossValidation) foldSummary {
	s := foldSummary{Folds: cv.Folds, Mean: map[string]number{}, SD: map[string]number{}, SE: map[string]number{}}
	s.PlainFolds, s.Grouped, s.Divided = cv.Plain, cv.Grouped, cv.Divided
	s.Bad, s.Reasons = cv.Bad, cv.Reasons
	for name := range cv.Folds[0].Values() {
		if values := s.values(name); len(values) == len(cv.Folds) {
			s.names = append(s.names, name)
			mean, sd := xmath.MeanSD(values)
			s.Mean[name], s.SD[name], s.SE[name] = number(mean), number(sd), number(xmath.StandardError(values))
		}
	}
	documents, scoring := 0, time.Duration(0)
	for k, took := range cv.Times {
		documents += cv.Folds[k].N
		scoring += took.Score
		s.Times.Train = append(s.Times.Train, took.Train.Seconds())
		s.Times.Score = append(s.Times.Score, took.Score.Seconds())
	}
	s.Times.DocumentsPerSecond = float64(documents) / max(scoring.Seconds(), 1e-9)
	return s
}

// values returns a metric of the folds that have it.
func (s *foldSummary) values(metric string) (values []float64) {
	for _, fold := range s.Folds {
		if value := maps.Collect(fold.Values())[metric]; value != nil {
			values = append(values, *value)
		}
	}
	return values
}

// lead returns how much higher a metric of the folds is than another's, fold by fold.
func (s *foldSummary) lead(over *foldSummary, metric string) (mean, se float64) {
	own, others := s.values(metric), over.values(metric)
	differences := make([]float64, len(own))
	for k := range own {
		differences[k] = own[k] - others[k]
	}
	mean, _ = xmath.MeanSD(differences)
	return mean, xmath.StandardError(differences)
}

// trainSeconds returns how long the model of a fold took on average.
func (s *foldSummary) trainSeconds() float64 {
	mean, _ := xmath.MeanSD(s.Times.Train)
	return mean
}

// standing is how far a setting is behind the best one.
type standing struct {
	Mean number `json:"mean"` // of the differences, fold by fold, at most 0
	SE   number `json:"se"`   // standard error of that
}

// comparison is what cv prints of several settings.
type comparison struct {
	Settings []gridPoint `json:"settings"`
	Best     int         `json:"best"`
	BestBy   string      `json:"best_by"` // metric
	Command  string      `json:"command"` // that trains the best
	axes     []gridAxis
}

// comparePoints compares settings by the mean of a metric. Of equals, the first is the best.
func comparePoints(axes []gridAxis, points []gridPoint, by string) comparison {
	c := comparison{Settings: points, BestBy: by, axes: axes}
	for i, p := range points {
		if p.Mean[by] > points[c.Best].Mean[by] {
			c.Best = i
		}
	}
	for i := range points {
		mean, se := points[i].lead(&points[c.Best].foldSummary, by)
		points[i].ToBest = standing{number(mean), number(se)}
	}
	return c
}
