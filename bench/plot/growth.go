package main

import (
	"strconv"
	"strings"

	"gonum.org/v1/plot/plotter"

	"github.com/seed-167f963f/nbsvm/bench"
)

// drawGrowth draws what a document costs, by how many there are: level lines are work in
// proportion.
func drawGrowth(r *bench.Report, _ options) (figures []*figure, remarks []string) {
	f := newFigure("growth", "Cost of a document by their number", r.Machine)
	p := f.panel("", "documents", "time a document")
	for i, metric := range growthMetrics {
		var points plotter.XYs
		for _, c := range having(r.Results, metric) {
			if n, err := strconv.Atoi(c.Label("documents")); err == nil {
				points = append(points, plotter.XY{X: float64(n), Y: c.Median(metric) / 1e6})
			}
		}
		if points, _ = positive(points); len(points) > 0 {
			f.addSeries(p, strings.TrimSuffix(metric, " µs"), points, i)
		}
	}
	if len(f.entries) == 0 {
		return nil, skipped("the report of pack has no numbers of documents with times above 0")
	}
	f.logAxes(powersOfTen(12, countLabel), powersOfTen(6, secondsLabel))
	f.note = "Lower is better; a level line is work that grows as the documents do. Medians."
	return []*figure{f}, nil
}
