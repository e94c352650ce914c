package main

import (
	"fmt"
	"strconv"
	"strings"

	"gonum.org/v1/plot/plotter"

	"github.com/seed-167f963f/nbsvm/bench"
)

// drawGrowths draws what a document costs, by how many there are: level lines are work in
// proportion.
func drawGrowths(reports []*bench.Report, _ options) (figures []*figure, remarks []string) {
	reports = ofWorkload(reports, workloadPack)
	if len(reports) == 0 {
		return nil, []string{"growth: skipped: no report of " + workloadPack}
	}
	for _, r := range reports {
		if f := growthFigure(r); len(f.entries) > 0 {
			figures = append(figures, f)
		} else {
			remarks = append(remarks, fmt.Sprintf("growth: skipped: the report of %s has no numbers of %s with times above 0", workloadPack, labelDocuments))
		}
	}
	return figures, remarks
}

func growthFigure(r *bench.Report) *figure {
	f := newFigure("growth", "Cost of a document by their number", r.Machine)
	p := f.panel("", "documents", "time a document")
	for i, metric := range growthMetrics {
		var points plotter.XYs
		for _, c := range having(r.Results, metric) {
			if n, err := strconv.Atoi(c.Label(labelDocuments)); err == nil {
				points = append(points, plotter.XY{X: float64(n), Y: c.Median(metric) / 1e6})
			}
		}
		if points, _ = positive(points); len(points) > 0 {
			f.addSeries(p, strings.TrimSuffix(metric, " µs"), points, i)
		}
	}
	if len(f.entries) == 0 {
		return f
	}
	f.logAxes(powersOfTen(12, countLabel), powersOfTen(6, secondsLabel))
	f.note = "Lower is better; a level line is work that grows as the documents do. Medians."
	return f
}
