package main

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

var (
	ink   = color.NRGBA{0x22, 0x22, 0x22, 0xff}
	faint = color.NRGBA{0x60, 0x60, 0x60, 0xff}
	rule  = color.NRGBA{0xdd, 0xdd, 0xdd, 0xff}
)

// look is how a series is told from the others: by colour, dashes and marker,
// each of which is enough.
type look struct {
	color  color.Color
	dashes []vg.Length
	glyph  draw.GlyphDrawer
}

// looks take the colours of Okabe and Ito, which the colour-blind can tell
// apart, without yellow, which is too faint on white, and black, which is for
// limits.
var looks = []look{
	{color.NRGBA{0x00, 0x72, 0xb2, 0xff}, nil, draw.CircleGlyph{}},
	{color.NRGBA{0xd5, 0x5e, 0x00, 0xff}, []vg.Length{8, 3}, draw.BoxGlyph{}},
	{color.NRGBA{0x00, 0x9e, 0x73, 0xff}, []vg.Length{3, 2}, draw.PyramidGlyph{}},
	{color.NRGBA{0xcc, 0x79, 0xa7, 0xff}, []vg.Length{10, 3, 2, 3}, hollow{draw.CircleGlyph{}}},
	{color.NRGBA{0xe6, 0x9f, 0x00, 0xff}, []vg.Length{5, 5}, hollow{draw.BoxGlyph{}}},
	{color.NRGBA{0x56, 0xb4, 0xe9, 0xff}, []vg.Length{1.5, 2.5}, hollow{draw.PyramidGlyph{}}},
}

// lookOf is the look of the i-th series. The seventh has the colour of the first
// with the dashes and marker of the second, and so on.
func lookOf(i int) look { return mixedLook(i, i+i/len(looks)) }

// mixedLook has the colour of one look, dashes and marker of another.
func mixedLook(colour, shape int) look {
	l := looks[shape%len(looks)]
	l.color = looks[colour%len(looks)].color
	return l
}

// hollow is a filled marker with a white inside.
type hollow struct{ draw.GlyphDrawer }

// DrawGlyph implements draw.GlyphDrawer.
func (h hollow) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	h.GlyphDrawer.DrawGlyph(c, style, at)
	c.SetColor(color.White)
	style.Radius *= 0.55
	h.GlyphDrawer.DrawGlyph(c, style, at)
}

func textStyle(size vg.Length, c color.Color) text.Style {
	return text.Style{
		Color: c, Font: font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size),
		XAlign: draw.XLeft, YAlign: draw.YTop, Handler: plot.DefaultTextHandler,
	}
}

func boldStyle(size vg.Length, c color.Color) text.Style {
	s := textStyle(size, c)
	s.Font.Weight = xfont.WeightBold
	return s
}

// restyle sets the font and colour, and keeps the alignment.
func restyle(s *text.Style, size vg.Length) {
	styled := textStyle(size, ink)
	styled.XAlign, styled.YAlign = s.XAlign, s.YAlign
	*s = styled
}

var gridLine = draw.LineStyle{Color: rule, Width: 0.75}

// newPlot is an empty plot with a grid.
func newPlot() *plot.Plot {
	p := levelPlot()
	p.Add(&plotter.Grid{Vertical: gridLine, Horizontal: gridLine})
	return p
}

// levelPlot is an empty plot without grid. Its axes have no names; those are the
// panel's.
func levelPlot() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		restyle(&a.Tick.Label, 12)
		a.Padding = 0
		a.LineStyle.Color, a.LineStyle.Width = faint, 0.75
		a.Tick.LineStyle = a.LineStyle
		a.Tick.Length = 5
	}
	return p
}

// lineThrough is a line of a look through points in their order.
func lineThrough(points plotter.XYs, l look) *plotter.Line {
	return &plotter.Line{XYs: points, LineStyle: draw.LineStyle{Color: l.color, Width: 2.25, Dashes: l.dashes}}
}

// marksAt are the markers of a look.
func marksAt(points plotter.XYs, l look) *plotter.Scatter {
	return &plotter.Scatter{XYs: points, GlyphStyle: draw.GlyphStyle{Color: l.color, Radius: 4, Shape: l.glyph}}
}

// addSeries draws points in order of x with a line through them, and returns what
// shows their look in a legend.
func addSeries(p *plot.Plot, points plotter.XYs, l look) []plot.Thumbnailer {
	slices.SortStableFunc(points, byX)
	line, marks := lineThrough(points, l), marksAt(points, l)
	p.Add(line, marks)
	return []plot.Thumbnailer{line, marks}
}

// addLimit draws a dashed line of what can't be exceeded.
func addLimit(p *plot.Plot, points plotter.XYs, width vg.Length, dashes ...vg.Length) []plot.Thumbnailer {
	slices.SortStableFunc(points, byX)
	line := lineThrough(points, look{color: color.Black, dashes: dashes})
	line.Width = width
	p.Add(line)
	return []plot.Thumbnailer{line}
}

func byX(a, b plotter.XY) int { return cmp.Compare(a.X, b.X) }

// positive drops the points that a logarithmic axis can't show, and counts them.
func positive(points plotter.XYs) (kept plotter.XYs, dropped int) {
	for _, p := range points {
		if p.X > 0 && p.Y > 0 {
			kept = append(kept, p)
		}
	}
	return kept, len(points) - len(kept)
}

// logAxis makes an axis logarithmic, with room around what is drawn, and wide
// enough to have some ticks.
func logAxis(a *plot.Axis, ticks plot.Ticker) {
	const least = 3
	span := a.Max / a.Min
	room := max(math.Pow(span, 0.07), math.Sqrt(least/span))
	a.Min, a.Max = a.Min/room, a.Max*room
	a.Scale = plot.LogScale{}
	a.Tick.Marker = ticks
}

// sameLogAxes makes the axes of several plots logarithmic, over what all of them
// draw together.
func sameLogAxes(panels []panel, xTicks, yTicks plot.Ticker) {
	x, y := &panels[0].X, &panels[0].Y
	for _, p := range panels {
		x.Min, x.Max = min(x.Min, p.X.Min), max(x.Max, p.X.Max)
		y.Min, y.Max = min(y.Min, p.Y.Min), max(y.Max, p.Y.Max)
	}
	logAxis(x, xTicks)
	logAxis(y, yTicks)
	for _, p := range panels {
		p.X, p.Y = *x, *y
	}
}
