package main

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/seed-167f963f/nbsvm/bench"
	"github.com/seed-167f963f/nbsvm/internal/atomicfile"
)

// Figures are 800 points wide, of two pixels each.
const (
	figureWidth = 800
	dpi         = 144
	margin      = 20
)

// figure is a picture: a title, a legend of all its plots, the plots, and what a
// reader should know.
type figure struct {
	name    string // of its files, without extension
	title   string
	machine bench.Machine
	legend  []legendEntry
	panels  []panel // in reading order
	columns int
	note    string
}

// panel is one of the plots of a figure. It names the axes itself, for the
// library puts names off the middle of logarithmic axes.
type panel struct {
	*plot.Plot
	heading        string
	xLabel, yLabel string
}

type legendEntry struct {
	text   string
	thumbs []plot.Thumbnailer
	small  bool // room for a patch of colour is enough
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
	title, small, entry := boldStyle(19, ink), textStyle(12, faint), textStyle(13, ink)
	const inner = figureWidth - 2*margin
	titleLines := wrap(title, f.title, inner)
	subtitleLines := wrap(small, describe(f.machine), inner)
	noteLines := wrap(small, f.note, inner)
	legendLines := layLegend(entry, f.legend, inner)
	rows := (len(f.panels) + f.columns - 1) / f.columns

	const titleLine, smallLine, legendLine = 25, 17, 22
	top := margin + vg.Length(titleLine*len(titleLines)+smallLine*len(subtitleLines)+8+legendLine*len(legendLines)+6)
	bottom := margin + vg.Length(smallLine*len(noteLines)+8)
	rowHeight := vg.Length(390)
	switch {
	case rows > 1:
		rowHeight = 230
	case f.columns > 1:
		rowHeight = 310
	}
	height := top + bottom + vg.Length(rows)*rowHeight

	c := draw.New(newCanvas(height))
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	y := c.Max.Y - margin
	write := func(style text.Style, lines []string, lineHeight vg.Length) {
		for _, line := range lines {
			c.FillText(style, vg.Point{X: margin, Y: y}, line)
			y -= lineHeight
		}
	}
	write(title, titleLines, titleLine)
	write(small, subtitleLines, smallLine)
	y -= 8
	for _, line := range legendLines {
		line.draw(c, entry, y)
		y -= legendLine
	}
	f.drawPanels(draw.Crop(c, margin, -margin, bottom, -top), rows)
	y = bottom - 8
	write(small, noteLines, smallLine)
}

// drawPanels draws the plots on a grid, and names axes where the next panel does
// not name them alike.
func (f *figure) drawPanels(c draw.Canvas, rows int) {
	const labelSpace = 24
	tiles := draw.Tiles{Rows: rows, Cols: f.columns, PadX: 14, PadY: 14, PadLeft: labelSpace, PadBottom: labelSpace}
	if f.panels[0].heading != "" {
		tiles.PadTop, tiles.PadY = 22, 34
	}
	grid := make([][]*plot.Plot, rows)
	for row := range grid {
		grid[row] = make([]*plot.Plot, f.columns)
	}
	panels := slices.Clone(f.panels)
	for i := range panels {
		p := &panels[i]
		grid[i/f.columns][i%f.columns] = p.Plot
		if below := i + f.columns; below < len(panels) && p.xLabel == panels[below].xLabel {
			p.xLabel = ""
		}
		if i%f.columns > 0 {
			if p.yLabel == f.panels[i-1].yLabel {
				p.yLabel = ""
			} else {
				tiles.PadX = 14 + labelSpace
			}
		}
	}
	heading, xLabel, yLabel := boldStyle(13, ink), textStyle(13, ink), textStyle(13, ink)
	heading.YAlign, xLabel.XAlign, yLabel.XAlign = draw.YBottom, draw.XCenter, draw.XCenter
	yLabel.Rotation = math.Pi / 2
	canvases := plot.Align(grid, tiles, c)
	for i, p := range panels {
		tile := canvases[i/f.columns][i%f.columns]
		p.Draw(tile)
		data := p.DataCanvas(tile)
		c.FillText(heading, vg.Point{X: data.Min.X, Y: data.Max.Y + 7}, p.heading)
		c.FillText(xLabel, vg.Point{X: data.Center().X, Y: tile.Min.Y - 6}, p.xLabel)
		c.FillText(yLabel, vg.Point{X: tile.Min.X - labelSpace + 2, Y: data.Center().Y}, p.yLabel)
	}
}

const (
	thumbHeight = 13
	legendSpace = 7  // after the thumbnail
	legendGap   = 24 // between entries
)

func (e legendEntry) thumbWidth() vg.Length {
	if e.small {
		return thumbHeight
	}
	return 38
}

func (e legendEntry) width(style text.Style) vg.Length {
	return e.thumbWidth() + legendSpace + style.Width(e.text)
}

// layLegend makes lines of a legend: one if it fits, else columns.
func layLegend(style text.Style, entries []legendEntry, width vg.Length) (lines []legendLine) {
	var all legendLine
	var x, widest vg.Length
	for _, e := range entries {
		w := e.width(style) + legendGap
		all = append(all, placedEntry{e, x})
		x += w
		widest = max(widest, w)
	}
	if len(entries) == 0 || x-legendGap <= width {
		return slices.Collect(slices.Chunk(all, max(1, len(all))))
	}
	columns := max(1, int((width+legendGap)/widest))
	rows := (len(all) + columns - 1) / columns
	columns = (len(all) + rows - 1) / rows // as full a last line as can be
	for i := range all {
		all[i].x = vg.Length(i%columns) * widest
	}
	return slices.Collect(slices.Chunk(all, columns))
}

// legendLine is a line of a legend, with places to the right of the margin.
type legendLine []placedEntry

type placedEntry struct {
	legendEntry
	x vg.Length
}

func (l legendLine) draw(c draw.Canvas, style text.Style, y vg.Length) {
	for _, e := range l {
		x := margin + e.x
		thumb := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: x, Y: y - thumbHeight}, Max: vg.Point{X: x + e.thumbWidth(), Y: y},
		}}
		for _, t := range e.thumbs {
			t.Thumbnail(&thumb)
		}
		c.FillText(style, vg.Point{X: x + e.thumbWidth() + legendSpace, Y: y + 1}, e.text)
	}
}

// wrap breaks a text into lines of at most a width.
func wrap(style text.Style, text string, width vg.Length) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if longer := strings.TrimSpace(line + " " + word); line == "" || style.Width(longer) <= width {
			line = longer
			continue
		}
		lines = append(lines, line)
		line = word
	}
	if line == "" {
		return lines
	}
	return append(lines, line)
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

// fileName keeps of a text what is safe in the name of a file.
func fileName(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_')
	})
	return strings.Join(words, "-")
}
