package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/plotter"

	"github.com/seed-167f963f/nbsvm/bench"
)

// drawGaps draws how far from the optimum solvers are after what time.
func drawGaps(r *bench.Report, _ options) (figures []*figure, remarks []string) {
	results := slices.DeleteFunc(having(r.Results, "s", "gap"), func(c bench.Result) bool {
		stage := c.Label("stage")
		return stage != "" && stage != "solve"
	})
	if len(results) == 0 {
		return nil, skipped("the report of %s has no case with both \"s\" and \"gap\"", r.Workload)
	}
	draw := gapsOfPeers
	if r.Workload == "solve" {
		draw = gapsOfLosses
	}
	figures, remarks = draw(r.Machine, results)
	return slices.DeleteFunc(figures, func(f *figure) bool { return len(f.entries) == 0 }), remarks
}

// gapsOfPeers draws a figure for every matrix, in it a row of panels for every loss, in
// that a panel for every C, and in it a line for every peer.
func gapsOfPeers(machine bench.Machine, results []bench.Result) (figures []*figure, remarks []string) {
	for _, matrix := range groupBy(results, byLabelsBut("stage", "peer", "loss", "C", "tol")) {
		losses := groupBy(matrix.results, byLabel("loss"))
		columns := 0
		for _, loss := range losses {
			columns = max(columns, len(groupBy(loss.results, byLabel("C"))))
		}
		var panels []group
		for _, loss := range losses {
			cs := groupBy(loss.results, byLabel("C"))
			for _, c := range cs {
				panels = append(panels, group{loss.name + ", C = " + c.name, c.results})
			}
			for range columns - len(cs) {
				panels = append(panels, group{})
			}
		}
		f := newGapFigure(machine, matrix.results, matrix.name)
		f.columns = columns
		peers := groupBy(matrix.results, byLabel("peer"))
		putThisEngineFirst(peers)
		remarks = append(remarks, f.addGaps(panels, peers, byLabel("peer"))...)
		figures = append(figures, f)
	}
	return figures, remarks
}

// gapsOfLosses draws a figure with a line for every loss and C.
func gapsOfLosses(machine bench.Machine, results []bench.Result) (figures []*figure, remarks []string) {
	nameOf := byLabelsBut("stage", "tol")
	f := newGapFigure(machine, results, "solve")
	f.title = "Relative duality gap over time, by loss and C"
	return []*figure{f}, f.addGaps([]group{{"", results}}, groupBy(results, nameOf), nameOf)
}

// newGapFigure is a figure without panels.
func newGapFigure(machine bench.Machine, results []bench.Result, of string) *figure {
	f := newFigure(fileName("gap "+of), "Relative duality gap over time", machine)
	if of != "" {
		f.title += ": " + of
	}
	var tolerances []string
	for _, g := range groupBy(results, byLabel("tol")) {
		tolerances = append(tolerances, g.name)
	}
	f.note = "Lower left is better. A point for every tolerance (" + strings.Join(tolerances, ", ") + "); medians."
	return f
}

// addGaps adds panels with lines of the cases that lineOf gives their names. The
// legend has no entry if there is no line to draw.
func (f *figure) addGaps(panels, lines []group, lineOf func(*bench.Result) string) (remarks []string) {
	for _, g := range panels {
		if len(g.results) == 0 {
			f.panels = append(f.panels, nil)
			continue
		}
		p := f.panel(g.name, "time to solve", "relative duality gap")
		for i, line := range lines {
			var points plotter.XYs
			for _, r := range g.results {
				if lineOf(&r) == line.name {
					points = append(points, plotter.XY{X: r.Median("s"), Y: r.Median("gap")})
				}
			}
			points, dropped := positive(points)
			if dropped > 0 {
				name := strings.Trim(g.name+", "+line.name, ", ")
				remarks = append(remarks, fmt.Sprintf("%s: %d of %d points have no time or gap above 0 and are not drawn", name, dropped, dropped+len(points)))
			}
			if len(points) > 0 {
				f.addSeries(p, cmp.Or(line.name, "solve"), points, i)
			}
		}
	}
	if len(f.entries) > 0 {
		f.logAxes(powersOfTen(12/f.columns, secondsLabel), powersOfTen(6, gapLabel))
	}
	return remarks
}

// putThisEngineFirst gives it the first look, and keeps the order of the others.
func putThisEngineFirst(peers []group) {
	other := func(g group) int {
		if peer, _, _ := strings.Cut(g.name, ","); peer == "nbsvm" {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(peers, func(a, b group) int { return other(a) - other(b) })
}
