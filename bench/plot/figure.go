package main

import (
	"bytes"
	"cmp"
	"fmt"
	"image/color"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/seed-167f963f/nbsvm/bench"
	"github.com/seed-167f963f/nbsvm/internal/file/atomicfile"
)

// Figures are 800 points wide, of two pixels each.
const (
	figureWidth = 800
	dpi         = 144
	margin      = 20
)

func init() {
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	// The colours of Okabe and Ito, which the colour-blind can tell apart, without yellow,
	// which is too faint on white, and black, which is for limits.
	plotutil.DefaultColors = []color.Color{
		color.NRGBA{0x00, 0x72, 0xb2, 0xff},
		color.NRGBA{0xd5, 0x5e, 0x00, 0xff},
		color.NRGBA{0x00, 0x9e, 0x73, 0xff},
		color.NRGBA{0xcc, 0x79, 0xa7, 0xff},
		color.NRGBA{0xe6, 0x9f, 0x00, 0xff},
		color.NRGBA{0x56, 0xb4, 0xe9, 0xff},
	}
}

// figure is a picture: a title, a legend of all its plots, the plots, and what a
// reader should know.
type figure struct {
	name    string // of its files, without extension
	title   string
	machine bench.Machine
	entries []string // of the legend
	legend  plot.Legend
	panels  []*plot.Plot // in reading order; nil leaves a gap
	columns int
	note    string
}

func newFigure(name, title string, m bench.Machine) *figure {
	return &figure{name: name, title: title, machine: m, columns: 1, legend: plot.NewLegend()}
}

// panel adds an empty plot with a grid.
func (f *figure) panel(heading, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = heading, x, y
	p.Add(plotter.NewGrid())
	f.panels = append(f.panels, p)
	return p
}

// addSeries draws points in order of x with a line through them, in the i-th look.
func (f *figure) addSeries(p *plot.Plot, name string, points plotter.XYs, i int) {
	marks := &plotter.Scatter{XYs: points, GlyphStyle: draw.GlyphStyle{
		Color: plotutil.Color(i), Radius: 4, Shape: plotutil.Shape(i),
	}}
	line := draw.LineStyle{Color: plotutil.Color(i), Width: 2, Dashes: plotutil.Dashes(i)}
	f.addLine(p, name, points, line, marks)
}

// addLine draws a line through points in order of x, and names it in the legend.
func (f *figure) addLine(p *plot.Plot, name string, points plotter.XYs, style draw.LineStyle, marks ...*plotter.Scatter) {
	slices.SortStableFunc(points, func(a, b plotter.XY) int { return cmp.Compare(a.X, b.X) })
	line := &plotter.Line{XYs: points, LineStyle: style}
	p.Add(line)
	thumbs := []plot.Thumbnailer{line}
	for _, m := range marks {
		p.Add(m)
		thumbs = append(thumbs, m)
	}
	if name != "" && !slices.Contains(f.entries, name) {
		f.entries = append(f.entries, name)
		f.legend.Add(name, thumbs...)
	}
}

// describe is the small line that says what the figures belong to.
func describe(m bench.Machine) string {
	line := m.CPU
	if m.Cores > 0 {
		line += fmt.Sprintf(", %d cores", m.Cores)
	}
	line += ", nbsvm " + m.Version
	if m.Revision != "" {
		line += " (" + m.Revision + ")"
	}
	return line
}

// draw lays the figure out and draws it on the canvas that newCanvas makes of a
// height.
func (f *figure) draw(newCanvas func(height vg.Length) vg.CanvasSizer) {
	style := func(size vg.Length) text.Style {
		return text.Style{
			Color: color.Black, Font: font.From(plot.DefaultFont, size), YAlign: draw.YTop, Handler: plot.DefaultTextHandler,
		}
	}
	const titleLine, smallLine = 26, 16
	title, small := style(18), style(12)
	subtitle, note := wrap(small, describe(f.machine)), wrap(small, f.note)
	f.legend.Top, f.legend.Left = true, true
	f.legend.ThumbnailWidth, f.legend.Padding = 40, 3
	rows := (len(f.panels) + f.columns - 1) / f.columns
	panelHeight := vg.Length(330)
	if rows > 1 {
		panelHeight = 220
	}
	legend := vg.Length(titleLine + smallLine*len(subtitle) + 8)
	room := draw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: figureWidth, Y: figureWidth}}}
	top := legend + f.legend.Rectangle(room).Size().Y + 12
	bottom := vg.Length(smallLine*len(note) + 8)

	c := draw.New(newCanvas(2*margin + top + bottom + vg.Length(rows)*panelHeight))
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, margin, -margin, margin, -margin)
	c.FillText(title, vg.Point{X: c.Min.X, Y: c.Max.Y}, f.title)
	for i, line := range subtitle {
		c.FillText(small, vg.Point{X: c.Min.X, Y: c.Max.Y - titleLine - vg.Length(smallLine*i)}, line)
	}
	f.legend.Draw(draw.Crop(c, 0, 0, 0, -legend))
	for i, line := range note {
		c.FillText(small, vg.Point{X: c.Min.X, Y: c.Min.Y + bottom - 8 - vg.Length(smallLine*i)}, line)
	}
	grid := make([][]*plot.Plot, rows)
	for row := range grid {
		grid[row] = make([]*plot.Plot, f.columns)
		copy(grid[row], f.panels[row*f.columns:])
	}
	tiles := plot.Align(grid, draw.Tiles{Rows: rows, Cols: f.columns, PadX: 14, PadY: 14}, draw.Crop(c, 0, 0, bottom, -top))
	for i, p := range f.panels {
		if p != nil {
			p.Draw(tiles[i/f.columns][i%f.columns])
		}
	}
}

// wrap breaks a text into lines that fit into a figure.
func wrap(style text.Style, text string) (lines []string) {
	for _, word := range strings.Fields(text) {
		last := len(lines) - 1
		if last >= 0 && style.Width(lines[last]+" "+word) <= figureWidth-2*margin {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

// write writes the figure's files into a folder and returns their paths.
func (f *figure) write(folder string) ([]string, error) {
	var paths []string
	for _, form := range []struct {
		extension string
		write     func(io.Writer) error
	}{{".png", f.writePNG}, {".svg", f.writeSVG}} {
		path := filepath.Join(folder, f.name+form.extension)
		if err := atomicfile.WriteFile(path, form.write); err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

func (f *figure) writePNG(w io.Writer) error {
	var canvas *vgimg.Canvas
	f.draw(func(height vg.Length) vg.CanvasSizer {
		canvas = vgimg.NewWith(vgimg.UseWH(figureWidth, height), vgimg.UseDPI(dpi))
		return canvas
	})
	_, err := vgimg.PngCanvas{Canvas: canvas}.WriteTo(w)
	return err
}

func (f *figure) writeSVG(w io.Writer) error {
	var canvas *vgsvg.Canvas
	f.draw(func(height vg.Length) vg.CanvasSizer {
		canvas = vgsvg.New(figureWidth, height)
		return canvas
	})
	var text bytes.Buffer
	if _, err := canvas.WriteTo(&text); err != nil {
		return err
	}
	// Where Liberation Sans is missing, Arial has the same widths.
	_, err := w.Write(bytes.ReplaceAll(text.Bytes(),
		[]byte("font-family:Liberation Sans;"), []byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;")))
	return err
}

// fileName keeps of a text what is safe in the name of a file.
func fileName(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_')
	})
	return strings.Join(words, "-")
}

// positive drops the points that a logarithmic axis can't show, and counts them.
func positive(points plotter.XYs) (kept plotter.XYs, dropped int) {
	for _, p := range points {
		if p.X > 0 && p.Y > 0 {
			kept = append(kept, p)
		}
	}
	return kept, len(points) - len(kept)
}

// logAxes makes the axes of all plots logarithmic, over what all of them draw together.
func (f *figure) logAxes(xTicks, yTicks plot.Ticker) {
	for _, axis := range []struct {
		of    func(p *plot.Plot) *plot.Axis
		ticks plot.Ticker
	}{{func(p *plot.Plot) *plot.Axis { return &p.X }, xTicks}, {func(p *plot.Plot) *plot.Axis { return &p.Y }, yTicks}} {
		low, high := math.Inf(1), math.Inf(-1)
		for _, p := range f.panels {
			if p != nil {
				low, high = min(low, axis.of(p).Min), max(high, axis.of(p).Max)
			}
		}
		// From power of ten to power of ten, so that two ticks have labels.
		low, high = math.Pow10(int(math.Floor(math.Log10(low)))), math.Pow10(int(math.Ceil(math.Log10(high))))
		if low == high {
			high *= 10
		}
		for _, p := range f.panels {
			if p != nil {
				a := axis.of(p)
				a.Min, a.Max, a.Scale, a.Tick.Marker = low, high, plot.LogScale{}, axis.ticks
			}
		}
	}
}

// powersOfTen marks a logarithmic axis at the powers of ten, with at most so many labels.
func powersOfTen(most int, label func(float64) string) plot.Ticker {
	return plot.TickerFunc(func(lo, hi float64) (ticks []plot.Tick) {
		first, last := int(math.Round(math.Log10(lo))), int(math.Round(math.Log10(hi)))
		every := (last - first + most) / most
		for e := first; e <= last; e++ {
			power := math.Pow10(e)
			for digit := 1.0; digit < 10 && power*digit <= hi; digit++ {
				ticks = append(ticks, plot.Tick{Value: power * digit})
				if digit == 1 && (e-first)%every == 0 {
					ticks[len(ticks)-1].Label = label(power)
				}
			}
		}
		return ticks
	})
}

// sizes mark a logarithmic axis of bytes at the powers of two: 32 KiB, 256 KiB, 2 MiB, …
func sizes(lo, hi float64) (ticks []plot.Tick) {
	for e := math.Ceil(math.Log2(lo)); math.Exp2(e) <= hi; e++ {
		tick := plot.Tick{Value: math.Exp2(e)}
		if math.Mod(e, 3) == 0 {
			tick.Label = scaled(tick.Value, "B", 1024, "", "Ki", "Mi", "Gi")
		}
		ticks = append(ticks, tick)
	}
	return ticks
}

// scaled writes a number with the largest of the prefixes, each base times the one before,
// that leaves 1 or more, in at most three digits.
func scaled(x float64, unit string, base float64, prefixes ...string) string {
	k := 0
	for ; k < len(prefixes)-1 && x >= base*(1-1e-9); k++ {
		x /= base
	}
	return strings.TrimSpace(strconv.FormatFloat(x, 'g', 3, 64) + " " + prefixes[k] + unit)
}

func secondsLabel(s float64) string { return scaled(s*1e9, "s", 1000, "n", "µ", "m", "") }

func nanosecondsLabel(ns float64) string { return secondsLabel(ns / 1e9) }

func countLabel(n float64) string { return scaled(n, "", 1000, "", "k", "M", "G") }

func gapLabel(gap float64) string { return strconv.FormatFloat(gap, 'e', -1, 64) }
