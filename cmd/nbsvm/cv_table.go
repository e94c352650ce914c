package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/base/wording"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// widestTable is how many columns of a terminal a table of settings takes, unless what must be told needs more.
const widestTable = 100

// gap is how many spaces are between two columns of a table.
const gap = 2

// column is one of a table of settings.
type column struct {
	head    string
	cell    func(p *gridPoint) string
	spared  bool // is left out where the table would be too wide
	numbers bool // to the right
}

// columns are those that settings are told in.
func (c *comparison) columns() (all []column) {
	for _, axis := range c.axes {
		all = append(all, column{head: axis.name, cell: func(p *gridPoint) string {
			if value, ok := p.Values[axis.name]; ok {
				return value
			}
			return "-"
		}})
	}
	withError := func(name string) column {
		return column{head: name, cell: func(p *gridPoint) string {
			return fmt.Sprintf("%.4f ±%.4f", float64(p.Mean[name]), float64(p.SE[name]))
		}}
	}
	all = append(all, withError(c.BestBy), column{head: "to best", cell: func(p *gridPoint) string {
		if p == &c.Settings[c.Best] {
			return "best"
		}
		return fmt.Sprintf("%.4f ±%.4f", float64(p.ToBest.Mean), float64(p.ToBest.SE))
	}}, withError("macro_f1"))
	for _, name := range []string{"accuracy", "roc_auc", "log_loss"} {
		if name == c.BestBy || !c.hasMetric(name) {
			continue
		}
		all = append(all, column{head: name, spared: true, cell: func(p *gridPoint) string {
			if mean, ok := p.Mean[name]; ok {
				return fmt.Sprintf("%.4f", float64(mean))
			}
			return "-"
		}})
	}
	return append(all,
		column{head: "train s", numbers: true, cell: func(p *gridPoint) string { return seconds(p.trainSeconds()) }},
		column{head: "docs/s", numbers: true, cell: func(p *gridPoint) string {
			return perSecond(p.Times.DocumentsPerSecond)
		}})
}

// seconds are written with three digits or so.
func seconds(s float64) string {
	switch {
	case s < 1:
		return fmt.Sprintf("%.3f", s)
	case s < 100:
		return fmt.Sprintf("%.1f", s)
	}
	return fmt.Sprintf("%.0f", s)
}

// perSecond is a rate of three digits.
func perSecond(rate float64) string {
	unit := 1.0
	for rate/unit >= 1000 {
		unit *= 10
	}
	return wording.Count(int64(math.Round(rate/unit) * unit))
}

// write writes a line for every setting, and which is best.
func (c *comparison) write(w io.Writer) error {
	columns := c.columns()
	cells := make([][]string, len(columns)) // of every column, its head first
	width := -gap
	for k, column := range columns {
		cells[k] = []string{column.head}
		for i := range c.Settings {
			cells[k] = append(cells[k], column.cell(&c.Settings[i]))
		}
		widest := 0
		for _, cell := range cells[k] {
			widest = max(widest, utf8.RuneCountInString(cell))
		}
		if column.numbers {
			for i, cell := range cells[k] {
				cells[k][i] = fmt.Sprintf("%*s", widest, cell)
			}
		}
		width += widest + gap
	}
	for k := len(columns) - 1; k >= 0 && width > widestTable; k-- {
		if columns[k].spared {
			width -= utf8.RuneCountInString(cells[k][0]) + gap
			cells = slices.Delete(cells, k, k+1)
		}
	}
	tw := tabwriter.NewWriter(w, 0, 0, gap, ' ', 0)
	for i := range len(c.Settings) + 1 {
		var line []string
		for _, column := range cells {
			line = append(line, column[i])
		}
		fmt.Fprintln(tw, strings.Join(line, "\t"))
	}
	tw.Flush()
	fmt.Fprintf(w, "\n±: standard error over the folds, which is too small because they share training documents.\n")
	best := &c.Settings[c.Best]
	var flags []string
	for _, axis := range c.axes {
		if value, ok := best.Values[axis.name]; ok {
			flags = append(flags, fmt.Sprintf("--%s=%s", axis.name, value))
		}
	}
	_, err := fmt.Fprintf(w, "best %s, %.4f: %s\n", c.BestBy, float64(best.Mean[c.BestBy]), strings.Join(flags, " "))
	return err
}

// foldSummary is what cv tells of options; mean, sd and se have the keys of the folds' metrics.
type foldSummary struct {
	Folds []*metrics.Report `json:"folds"`
	Mean  map[string]number `json:"mean"`
	SD    map[string]number `json:"sd"`
	SE    map[string]number `json:"se"`    // standard errors of the means
	Times foldTimes         `json:"times"` // all that differs from run to run
	names []string          // of metrics, in the order of the report
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
	for name := range cv.Folds[0].Values() {
		if values := s.values(name); len(values) == len(cv.Folds) {
			s.names = append(s.names, name)
			mean, sd := metrics.MeanSD(values)
			s.Mean[name], s.SD[name], s.SE[name] = number(mean), number(sd), number(metrics.StandardError(values))
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

// values are those of a metric in the folds that have it.
func (s *foldSummary) values(metric string) (values []float64) {
	for _, fold := range s.Folds {
		for name, value := range fold.Values() {
			if name == metric && value != nil {
				values = append(values, *value)
			}
		}
	}
	return values
}

// lead is how much higher a metric of the folds is than another's, fold by fold.
func (s *foldSummary) lead(over *foldSummary, metric string) (mean, se float64) {
	own, others := s.values(metric), over.values(metric)
	differences := make([]float64, len(own))
	for k := range own {
		differences[k] = own[k] - others[k]
	}
	mean, _ = metrics.MeanSD(differences)
	return mean, metrics.StandardError(differences)
}

// trainSeconds is how long the model of a fold took on average.
func (s *foldSummary) trainSeconds() float64 {
	mean, _ := metrics.MeanSD(s.Times.Train)
	return mean
}

// bestPoint is the first of those whose mean of a metric is highest.
func bestPoint(points []gridPoint, metric string) int {
	best := 0
	for i, p := range points {
		if p.Mean[metric] > points[best].Mean[metric] {
			best = i
		}
	}
	return best
}

// standing is how a setting compares with the best one by the metric that tells it.
type standing struct {
	Mean number `json:"mean"` // of the differences, fold by fold, at most 0
	SE   number `json:"se"`   // standard error of that
}

// comparison is what cv prints of several settings.
type comparison struct {
	Settings []gridPoint `json:"settings"`
	Best     int         `json:"best"`
	BestBy   string      `json:"best_by"` // metric
	axes     []gridAxis
}

// comparePoints compares settings by a metric.
func comparePoints(axes []gridAxis, points []gridPoint, by string) comparison {
	c := comparison{Settings: points, Best: bestPoint(points, by), BestBy: by, axes: axes}
	for i := range points {
		mean, se := points[i].lead(&points[c.Best].foldSummary, by)
		points[i].ToBest = standing{number(mean), number(se)}
	}
	return c
}

// hasMetric says whether any setting has a metric.
func (c *comparison) hasMetric(name string) bool {
	return slices.ContainsFunc(c.Settings, func(p gridPoint) bool { _, ok := p.Mean[name]; return ok })
}
