package main

import (
	"errors"
	"fmt"
	"image/color"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/seed-167f963f/nbsvm/bench"
)

// drawRoofline draws what a non-zero costs the kernels by the size of the table
// that they look up, against what a look-up costs this CPU at best.
func drawRoofline(r *bench.Report, o options) (figures []*figure, remarks []string) {
	f, err := rooflineFigure(r, strconv.Itoa(o.row))
	if err != nil {
		return nil, skipped("%v", err)
	}
	return []*figure{f}, nil
}

func rooflineFigure(r *bench.Report, row string) (*figure, error) {
	measured := having(r.Results, "ns/nnz")
	results := where(measured, "row", row)
	if len(results) == 0 {
		var rows []string
		for _, g := range groupBy(measured, byLabel("row")) {
			rows = append(rows, g.name)
		}
		return nil, fmt.Errorf("the report of kernels has no \"ns/nnz\" of rows of %s non-zeros; choose another with -row (has %s)", row, strings.Join(rows, ", "))
	}
	limit := map[string]plotter.XYs{}
	for _, name := range []string{"read limit", "modify limit"} {
		points, err := timesByTable(where(results, "kernel", name))
		if err != nil {
			return nil, err
		}
		limit[name] = points
	}
	if len(limit["read limit"]) == 0 {
		return nil, errors.New("the report of kernels has no \"ns/nnz\" of the read limit")
	}
	results = slices.DeleteFunc(results, func(c bench.Result) bool { return limit[c.Label("kernel")] != nil })
	kernelOf := byLabelsBut("impl", "row", "table")
	impls, kernels := groupBy(results, byLabel("impl")), groupBy(results, kernelOf)
	f := newFigure("roofline", fmt.Sprintf("Kernels against the limit of memory, rows of %s non-zeros", row), r.Machine)
	f.columns = min(len(impls), 3)
	f.note = "Lower is better. The limits are what the best probe takes to access the same entries in the same order."
	for _, impl := range impls {
		p := f.panel(strings.TrimSpace(impl.name+" kernels"), "size of the table that is looked up", "time per non-zero")
		p.Add(caches(r.Machine))
		for i, kernel := range kernels {
			points, err := timesByTable(where(kernel.results, "impl", impl.name))
			if err != nil {
				return nil, err
			}
			if len(points) > 0 {
				f.addSeries(p, kernel.name, points, i)
			}
		}
	}
	if len(f.entries) == 0 {
		return nil, errors.New("the report of kernels has no \"ns/nnz\" above 0")
	}
	for _, p := range f.panels {
		black := draw.LineStyle{Color: color.Black, Width: 3.5, Dashes: []vg.Length{12, 5}}
		f.addLine(p, "limit: random reads", limit["read limit"], black)
		if modify := limit["modify limit"]; len(modify) > 0 {
			black.Width, black.Dashes = 2, []vg.Length{2, 3}
			f.addLine(p, "limit: random reads and writes", modify, black)
		}
	}
	f.logAxes(plot.TickerFunc(sizes), powersOfTen(6, nanosecondsLabel))
	return f, nil
}

// timesByTable are a kernel's medians.
func timesByTable(results []bench.Result) (plotter.XYs, error) {
	var points plotter.XYs
	for _, c := range results {
		bytes, err := parseBytes(c.Label("table"))
		if err != nil {
			return nil, fmt.Errorf("the label table: %w", err)
		}
		points = append(points, plotter.XY{X: bytes, Y: c.Median("ns/nnz")})
	}
	points, _ = positive(points)
	return points, nil
}

// caches marks the sizes of a machine's caches.
type caches bench.Machine

// Plot implements plot.Plotter.
func (m caches) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	name := p.X.Tick.Label
	name.XAlign, name.YAlign = draw.XRight, draw.YTop
	for _, cache := range []struct {
		name string
		size int
	}{{"L1d", m.L1D}, {"L2", m.L2}, {"L3", m.L3}} {
		if size := float64(cache.size); size >= p.X.Min && size <= p.X.Max {
			at := x(size)
			c.StrokeLine2(draw.LineStyle{Color: color.Gray{0x90}, Width: 1}, at, c.Min.Y, at, c.Max.Y)
			c.FillText(name, vg.Point{X: at - 4, Y: c.Max.Y - 3}, cache.name)
		}
	}
}
