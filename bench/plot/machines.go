package main

import (
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/plotter"

	"github.com/seed-167f963f/nbsvm/bench"
)

// drawMachines draws, by the number of machines that train together, how many rounds of messages that takes to each
// duality gap, and how many seconds with each network, by the fastest way, beside one machine. Cases that did not
// reach their gap are left out.
func drawMachines(r *bench.Report, _ options) (figures []*figure, remarks []string) {
	reached := slices.DeleteFunc(having(r.Results, "rounds", "gap"), func(c bench.Result) bool {
		tol, err := strconv.ParseFloat(c.Label("tol"), 64)
		return err != nil || c.Median("gap") > tol
	})
	for _, loss := range groupBy(reached, byLabel("loss")) {
		rounds := newFigure(fileName("rounds "+loss.name), "Rounds of messages by machines: "+loss.name, r.Machine)
		seconds := newFigure(fileName("machines "+loss.name), "Time by machines: "+loss.name, r.Machine)
		for _, tol := range groupBy(loss.results, byLabel("tol")) {
			rounds.addRounds(tol)
			seconds.addNetworks(tol)
		}
		for _, f := range []*figure{rounds, seconds} {
			if len(f.entries) == 0 {
				continue
			}
			f.columns = len(f.panels)
			label := countLabel
			if f == seconds {
				label = secondsLabel
			}
			f.logAxes(powersOfTen(4, countLabel), powersOfTen(6, label))
			figures = append(figures, f)
		}
		rounds.note = "Lower is better. One machine: epochs. Ways that did not reach the gap are left out."
		seconds.note = "Lower is better: what the slowest machine computes, and the messages. The fastest of all ways; networks are gigabits a second @ latency."
	}
	if len(figures) == 0 {
		remarks = skipped("the report of distributed has no case that reached its gap")
	}
	return figures, remarks
}

// byMachines are points of cases by the number of machines: the least value of each.
func byMachines(results []bench.Result, metric string) plotter.XYs {
	var points plotter.XYs
	for _, machines := range groupBy(results, byLabel("workers")) {
		n, err := strconv.ParseFloat(machines.name, 64)
		if err != nil {
			continue
		}
		least := machines.results[0].Median(metric)
		for _, c := range machines.results {
			least = min(least, c.Median(metric))
		}
		points = append(points, plotter.XY{X: n, Y: least})
	}
	points, _ = positive(points)
	return points
}

// addRounds adds a panel of rounds to a gap, with a line for every way.
func (f *figure) addRounds(tol group) {
	p := f.panel("gap "+tol.name, "machines", "rounds")
	byOthers := byLabelsBut("loss", "method", "workers", "tol")
	wayOf := func(c *bench.Result) string { return strings.TrimSuffix(c.Label("method")+", "+byOthers(c), ", ") }
	for i, way := range groupBy(tol.results, wayOf) {
		if points := byMachines(way.results, "rounds"); len(points) > 0 {
			f.addSeries(p, way.name, points, i)
		}
	}
}

// addNetworks adds a panel of seconds to a gap, with a line for every network.
func (f *figure) addNetworks(tol group) {
	p := f.panel("gap "+tol.name, "machines", "time")
	const metric = "s at "
	var networks []string
	for _, c := range tol.results {
		for _, m := range c.Metrics {
			if name, is := strings.CutPrefix(m.Name, metric); is && !slices.Contains(networks, name) {
				networks = append(networks, name)
			}
		}
	}
	for i, name := range networks {
		if points := byMachines(tol.results, metric+name); len(points) > 0 {
			f.addSeries(p, name, points, i)
		}
	}
}
