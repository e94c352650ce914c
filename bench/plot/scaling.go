package main

import (
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"github.com/seed-167f963f/nbsvm/bench"
)

// drawThreads draws the throughput of scoring by the number of threads.
func drawThreads(r *bench.Report, _ options) (figures []*figure, remarks []string) {
	results := slices.DeleteFunc(having(r.Results, "MB/s"), func(c bench.Result) bool {
		_, err := strconv.Atoi(c.Label("threads"))
		return err != nil
	})
	if len(results) == 0 {
		return nil, skipped("the report of %s has no case with \"MB/s\" and a number of threads", r.Workload)
	}
	f := newFigure("throughput-"+r.Workload, "Throughput of scoring by threads", r.Machine)
	p := f.panel("", "threads", "text scored, MB/s")
	series := groupBy(results, byLabelsBut("threads"))
	putThisEngineFirst(series)
	var ticks plot.ConstantTicks
	for i, s := range series {
		var points plotter.XYs
		for _, c := range s.results {
			threads, _ := strconv.Atoi(c.Label("threads"))
			points = append(points, plotter.XY{X: float64(threads), Y: c.Median("MB/s")})
			ticks = append(ticks, plot.Tick{Value: float64(threads), Label: strconv.Itoa(threads)})
		}
		f.addSeries(p, s.name, points, i)
	}
	p.X.Tick.Marker = ticks
	p.X.Min, p.Y.Min = 0, 0
	f.note = "Higher is better. Medians."
	return []*figure{f}, nil
}

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
