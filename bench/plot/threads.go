package main

import (
	"fmt"
	"image/color"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/seed-167f963f/nbsvm/bench"
)

// drawThreads draws the throughput of scoring by the number of threads.
func drawThreads(reports []*bench.Report, _ options) (figures []*figure, remarks []string) {
	reports = ofWorkload(reports, workloadScore, workloadCompareScore)
	if len(reports) == 0 {
		return nil, []string{"threads: skipped: no report of " + workloadScore + " or " + workloadCompareScore}
	}
	for _, r := range reports {
		results := slices.DeleteFunc(having(r.Results, metricThroughput), func(c bench.Result) bool {
			_, err := strconv.Atoi(c.Label(labelThreads))
			return err != nil
		})
		if len(results) == 0 {
			remarks = append(remarks, fmt.Sprintf("threads: skipped: the report of %s has no case with %q and a number of %s", r.Workload, metricThroughput, labelThreads))
			continue
		}
		figures = append(figures, threadsFigure(r, results))
	}
	return figures, remarks
}

func threadsFigure(r *bench.Report, results []bench.Result) *figure {
	f := &figure{name: "throughput-" + r.Workload, title: "Throughput of scoring by threads", machine: r.Machine, columns: 1}
	threads := groupBy(results, byLabel(labelThreads))
	slices.SortFunc(threads, func(a, b group) int {
		x, _ := strconv.Atoi(a.name)
		y, _ := strconv.Atoi(b.name)
		return x - y
	})
	series := groupBy(results, byLabelsBut(labelThreads))
	putThisEngineFirst(series)
	p := levelPlot()
	p.Add(&plotter.Grid{Horizontal: gridLine})
	var labels []plot.Tick
	for k, t := range threads {
		labels = append(labels, plot.Tick{Value: float64(k), Label: t.name})
	}
	for i, s := range series {
		bars := &bars{color: lookOf(i).color, index: i, of: len(series), groups: len(threads)}
		for k, t := range threads {
			for _, c := range where(s.results, labelThreads, t.name) {
				values := samples(&c, metricThroughput)
				bars.bars = append(bars.bars, bar{group: k, low: slices.Min(values), median: bench.Median(values), high: slices.Max(values)})
			}
		}
		p.Add(bars)
		if s.name != "" {
			f.legend = append(f.legend, legendEntry{text: s.name, thumbs: []plot.Thumbnailer{bars}, small: true})
		}
	}
	p.X.Tick.Marker = plot.ConstantTicks(labels)
	p.X.Min, p.X.Max = -0.5, float64(len(threads))-0.5
	p.Y.Min, p.Y.Max = 0, p.Y.Max*1.1 // room for the value on the highest bar
	p.Y.Tick.Marker = evenly{6, threeDigits}
	f.panels = []panel{{Plot: p, xLabel: "threads", yLabel: "text scored, MB/s"}}
	f.note = "Higher is better. Bars and numbers are medians, whiskers the range of all runs."
	return f
}

// bars are those of one series in all groups, side by side with other series'.
// Their axis begins at 0, so that lengths compare; what is too short to read has
// its value on it.
type bars struct {
	color     color.Color
	index, of int // of the series
	groups    int
	bars      []bar
}

type bar struct {
	group             int
	low, median, high float64
}

// Plot implements plot.Plotter.
func (b *bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	slot := (x(1) - x(0)) * 0.84 / vg.Length(b.of)
	slot = min(slot, 90)
	values := textStyle(max(8, min(12, slot/3)), ink)
	values.XAlign, values.YAlign = draw.XCenter, draw.YBottom
	for _, one := range b.bars {
		middle := x(float64(one.group)) + slot*(vg.Length(b.index)-vg.Length(b.of-1)/2)
		left, right := middle-slot*0.44, middle+slot*0.44
		c.FillPolygon(b.color, []vg.Point{{X: left, Y: y(0)}, {X: left, Y: y(one.median)}, {X: right, Y: y(one.median)}, {X: right, Y: y(0)}})
		if one.high > one.low {
			whisker := draw.LineStyle{Color: ink, Width: 1.25}
			c.StrokeLine2(whisker, middle, y(one.low), middle, y(one.high))
			c.StrokeLine2(whisker, middle-4, y(one.low), middle+4, y(one.low))
			c.StrokeLine2(whisker, middle-4, y(one.high), middle+4, y(one.high))
		}
		c.FillText(values, vg.Point{X: middle, Y: y(one.high) + 5}, threeDigits(one.median))
	}
}

// DataRange implements plot.DataRanger.
func (b *bars) DataRange() (xmin, xmax, ymin, ymax float64) {
	for _, one := range b.bars {
		ymax = max(ymax, one.high)
	}
	return -0.5, float64(b.groups) - 0.5, 0, ymax
}

// Thumbnail implements plot.Thumbnailer.
func (b *bars) Thumbnail(c *draw.Canvas) {
	c.SetColor(b.color)
	c.Fill(c.Rectangle.Path())
}
