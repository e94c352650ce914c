// Package chart draws charts of the reports of nbsvm bench and of the comparison with other programs. The table charts
// lists what it draws.
package chart

import (
	"cmp"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	_ "gonum.org/v1/plot/vg/vgimg" // the format png
	_ "gonum.org/v1/plot/vg/vgsvg" // the format svg

	"github.com/seed-167f963f/nbsvm/bench"
)

// chart says what is drawn of the cases of a workload: medians of metrics, by a label or by another metric.
type chart struct {
	name      string
	workloads []string
	title     string
	x         string // a label of the cases, or else a metric
	xTitle    string
	y         []string // metrics, each with lines of its own
	yTitle    string
	apart     []string // labels of which every combination of values has a picture of its own
	within    []string // labels whose values share lines
	xScale    scale
	yScale    scale
	// Values of x are names, which stand side by side in their order. Points are not joined, and their values are those
	// above the first line's.
	names bool
}

// scale is that of an axis.
type scale int

const (
	fromZero    scale = iota
	fitted            // to what is drawn
	logarithmic       // between powers of ten
)

// charts are all that can be drawn.
var charts = []*chart{
	{
		name: "accuracy", workloads: []string{"compare-accuracy"}, title: "Accuracy on test sets beside nbsvm's; higher is better",
		x: "corpus", y: []string{"accuracy %"}, yTitle: "points above or below nbsvm", xScale: fitted, yScale: fitted, names: true,
	},
	{
		name: "training", workloads: []string{"compare-train"}, title: "Accuracy over training time, text to model; upper left is better",
		x: "wall s", xTitle: "seconds to train", y: []string{"accuracy %"}, yTitle: "accuracy, per cent",
		apart: []string{"corpus"}, within: []string{"threads"}, xScale: logarithmic, yScale: fitted,
	},
	{
		name: "gap", workloads: []string{"compare-solve"}, title: "Relative duality gap over time; lower left is better",
		x: "s", xTitle: "seconds to solve", y: []string{"gap"}, yTitle: "relative duality gap",
		apart: []string{"ngrams", "loss", "C"}, within: []string{"tol", "threads"}, xScale: logarithmic, yScale: logarithmic,
	},
	{
		name: "gap-solve", workloads: []string{"solve"}, title: "Relative duality gap over time; lower left is better",
		x: "s", xTitle: "seconds to solve", y: []string{"gap"}, yTitle: "relative duality gap",
		within: []string{"stage", "tol"}, xScale: logarithmic, yScale: logarithmic,
	},
	{
		name: "throughput", workloads: []string{"score", "compare-score"}, title: "Throughput of scoring; higher is better",
		x: "threads", xTitle: "threads", y: []string{"MB/s", "text MB/s"}, yTitle: "MB/s",
	},
	{
		name: "roofline", workloads: []string{"kernels"}, title: "Kernels and the limits of memory; lower is better",
		x: "table", xTitle: "size of the table", y: []string{"ns/nnz"}, yTitle: "nanoseconds per non-zero",
		apart: []string{"row", "impl"}, xScale: logarithmic, yScale: logarithmic,
	},
}

// pictures draws the cases of a report that have the chart's values. A case that lacks a value of a label by which
// pictures differ, such as the limit of all kernels, is in each of them.
func (c *chart) pictures(r *bench.Report) (all []picture) {
	for i := range r.Results {
		one := &r.Results[i]
		if c.shown(one) && !slices.ContainsFunc(c.apart, func(l string) bool { return one.Label(l) == "" && hasLabel(r, l) }) {
			name := strings.Join(append([]string{c.name}, valuesOf(one, c.apart)...), " ")
			if !slices.ContainsFunc(all, func(p picture) bool { return p.name == name }) {
				all = append(all, picture{c, name, r.Machine, c.lines(r, one)})
			}
		}
	}
	return all
}

// lines are those of the cases that share a picture with one.
func (c *chart) lines(r *bench.Report, with *bench.Result) (lines []line) {
	for i := range r.Results {
		one := &r.Results[i]
		if slices.ContainsFunc(c.apart, func(l string) bool { return one.Label(l) != "" && one.Label(l) != with.Label(l) }) {
			continue
		}
		for _, metric := range c.y {
			p, ok := c.point(one, metric)
			if !ok {
				continue
			}
			name := c.lineName(one, metric)
			at := slices.IndexFunc(lines, func(l line) bool { return l.name == name })
			if at < 0 {
				at, lines = len(lines), append(lines, line{name: name})
			}
			lines[at].points = append(lines[at].points, p)
		}
	}
	if c.names {
		var names []string
		for _, l := range lines {
			for i := range l.points {
				p := &l.points[i]
				if !slices.Contains(names, p.label) {
					names = append(names, p.label)
				}
				p.x = float64(slices.Index(names, p.label))
			}
		}
		first := map[float64]float64{}
		for _, l := range lines {
			for i := range l.points {
				p := &l.points[i]
				if _, known := first[p.x]; !known {
					first[p.x] = p.y // of nbsvm, which is measured first
				}
				p.y -= first[p.x]
			}
		}
	}
	for _, l := range lines {
		slices.SortStableFunc(l.points, func(a, b point) int { return cmp.Compare(a.x, b.x) })
	}
	return lines
}

func (c *chart) lineName(one *bench.Result, metric string) string {
	var parts []string
	for _, l := range one.Case {
		if l.Name != c.x && !slices.Contains(c.apart, l.Name) && !slices.Contains(c.within, l.Name) && l.Value != "" {
			parts = append(parts, l.Value)
		}
	}
	if len(c.y) > 1 || parts == nil {
		parts = append(parts, metric)
	}
	return strings.Join(parts, ", ")
}

// shown says whether the case has a point.
func (c *chart) shown(one *bench.Result) bool {
	return slices.ContainsFunc(c.y, func(metric string) bool { _, ok := c.point(one, metric); return ok })
}

// point is that of a case; ok is false if a value is missing, or can't be on a logarithmic axis.
func (c *chart) point(one *bench.Result, metric string) (p point, ok bool) {
	p.y = one.Median(metric)
	switch p.label = one.Label(c.x); {
	case p.label == "":
		p.x = one.Median(c.x)
	case !c.names:
		p.x = numberOf(p.label)
	}
	return p, !math.IsNaN(p.x) && !math.IsNaN(p.y) && (c.xScale != logarithmic || p.x > 0) && (c.yScale != logarithmic || p.y > 0)
}

// numberOf reads a number, or one of bytes such as 32 KiB; NaN if it is neither.
func numberOf(text string) float64 {
	number, unit, _ := strings.Cut(text, " ")
	x, err := strconv.ParseFloat(number, 64)
	scale, known := map[string]float64{"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}[unit]
	if err != nil || !known {
		return math.NaN()
	}
	return x * scale
}

func hasLabel(r *bench.Report, label string) bool {
	return slices.ContainsFunc(r.Results, func(one bench.Result) bool { return one.Label(label) != "" })
}

func valuesOf(one *bench.Result, labels []string) (values []string) {
	for _, l := range labels {
		if v := one.Label(l); v != "" {
			values = append(values, l+" "+v)
		}
	}
	return values
}

// Sizes of a picture. The legend stands to the right of the plot.
const (
	width, height = 900, 480
	legendWidth   = 270
)

// colors are those of Okabe and Ito, which the colour-blind can tell apart, without yellow, which is too faint on
// white.
var colors = []color.Color{
	color.NRGBA{0x00, 0x72, 0xb2, 0xff},
	color.NRGBA{0xd5, 0x5e, 0x00, 0xff},
	color.NRGBA{0x00, 0x9e, 0x73, 0xff},
	color.NRGBA{0xcc, 0x79, 0xa7, 0xff},
	color.NRGBA{0xe6, 0x9f, 0x00, 0xff},
	color.NRGBA{0x56, 0xb4, 0xe9, 0xff},
	color.Black,
}

// shapes are filled before they are not.
var shapes = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{},
}

// write draws the picture in a format.
func (p *picture) write(w io.Writer, format string) error {
	plot.DefaultFont.Variant = "Sans"
	drawn, legend := plot.New(), plot.NewLegend()
	cpu, _, _ := strings.Cut(p.machine.CPU, " (") // without its features
	drawn.Title.Text = fmt.Sprintf("%s\n%s, nbsvm %s: %s", p.title, cpu, p.machine.Version, p.name)
	drawn.X.Label.Text, drawn.Y.Label.Text = p.xTitle, p.yTitle
	drawn.Add(plotter.NewGrid())
	var labels plot.ConstantTicks // of x
	for i, line := range p.lines {
		xys := make(plotter.XYs, len(line.points))
		for k, at := range line.points {
			xys[k] = plotter.XY{X: at.x, Y: at.y}
			if at.label != "" && !slices.Contains(labels, plot.Tick{Value: at.x, Label: at.label}) {
				labels = append(labels, plot.Tick{Value: at.x, Label: at.label})
			}
		}
		through, points, err := plotter.NewLinePoints(xys)
		if err != nil {
			return err
		}
		through.Color, through.Width, through.Dashes = colors[i%len(colors)], 2, plotutil.Dashes(i/len(colors))
		points.Color, points.Shape, points.Radius = through.Color, shapes[i%len(shapes)], 4
		if p.names {
			drawn.Add(points)
			legend.Add(line.name, points)
			continue
		}
		drawn.Add(through, points)
		legend.Add(line.name, through, points)
	}
	p.xScale.set(&drawn.X)
	p.yScale.set(&drawn.Y)
	if labels != nil {
		drawn.X.Tick.Marker = labels
	}
	if p.names { // they are longer than their distance
		drawn.X.Tick.Label.Rotation, drawn.X.Tick.Label.XAlign, drawn.X.Tick.Label.YAlign = 0.5, draw.XRight, draw.YCenter
	}
	canvas, err := draw.NewFormattedCanvas(width, height, format)
	if err != nil {
		return err
	}
	c := draw.New(canvas)
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	drawn.Draw(draw.Crop(c, 0, -legendWidth, 0, 0))
	legend.Top, legend.Left, legend.ThumbnailWidth = true, true, vg.Length(30)
	legend.Draw(draw.Crop(c, width-legendWidth+10, 0, 0, -40))
	_, err = canvas.WriteTo(w)
	return err
}

// set lets an axis have the scale.
func (s scale) set(axis *plot.Axis) {
	switch s {
	case fromZero:
		axis.Min = 0
	case fitted: // with some room
		room := (axis.Max - axis.Min) / 20
		axis.Min, axis.Max = axis.Min-room, axis.Max+room
	case logarithmic: // to powers of ten, which have ticks
		axis.Min = math.Pow10(int(math.Floor(math.Log10(axis.Min))))
		axis.Max = math.Pow10(int(math.Floor(math.Log10(axis.Max))) + 1)
		axis.Scale, axis.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	}
}
