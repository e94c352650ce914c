package main

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"github.com/seed-167f963f/nbsvm/bench"
)

// drawCorpora draws how generated corpora follow the laws that they are meant to.
func drawCorpora(reports []*bench.Report, _ options) (figures []*figure, remarks []string) {
	reports = ofWorkload(reports, workloadGen)
	if len(reports) == 0 {
		return nil, []string{"corpus: skipped: no report of " + workloadGen}
	}
	for _, r := range reports {
		f := &figure{name: "corpus", title: "A generated corpus against its laws", machine: r.Machine}
		results := having(r.Results, metricMeasured, metricExpected)
		vocabulary := curve(results, curveVocabulary)
		vocabulary.measured, _ = positive(vocabulary.measured)
		vocabulary.expected, _ = positive(vocabulary.expected)
		if len(vocabulary.measured)*len(vocabulary.expected) > 0 {
			f.panels = append(f.panels, f.vocabulary(vocabulary))
		} else {
			remarks = append(remarks, missingCurve(curveVocabulary))
		}
		if lengths := curve(results, curveLengths); len(lengths.measured) > 0 {
			f.panels = append(f.panels, f.lengths(lengths))
		} else {
			remarks = append(remarks, missingCurve(curveLengths))
		}
		if f.columns = len(f.panels); f.columns > 0 {
			figures = append(figures, f)
		}
	}
	return figures, remarks
}

func missingCurve(name string) string {
	return fmt.Sprintf("corpus: %s skipped: the report of %s has no curve of that name with %q and %q", name, workloadGen, metricMeasured, metricExpected)
}

// law is a curve twice.
type law struct {
	measured, expected plotter.XYs
}

// curve reads the points of a named curve whose x is a number above 0.
func curve(results []bench.Result, name string) law {
	var l law
	for _, c := range where(results, labelCurve, name) {
		x, err := strconv.ParseFloat(c.Label(labelX), 64)
		if err != nil || !(x > 0) || math.IsInf(x, 0) {
			continue
		}
		l.measured = append(l.measured, plotter.XY{X: x, Y: bench.Median(samples(&c, metricMeasured))})
		l.expected = append(l.expected, plotter.XY{X: x, Y: bench.Median(samples(&c, metricExpected))})
	}
	slices.SortFunc(l.measured, byX)
	slices.SortFunc(l.expected, byX)
	return l
}

func (f *figure) vocabulary(l law) panel {
	p := newPlot()
	expected := lineThrough(l.expected, look{color: looks[1].color})
	measured := marksAt(l.measured, look{color: looks[0].color, glyph: hollow{draw.CircleGlyph{}}})
	p.Add(expected, measured)
	f.addThumbs(expected, measured)
	logAxis(&p.X, decades{countLabel})
	logAxis(&p.Y, decades{countLabel})
	return panel{p, "growth of the vocabulary", "words", "distinct words"}
}

func (f *figure) lengths(l law) panel {
	p := newPlot()
	histogram := lineThrough(l.measured, look{color: looks[0].color})
	histogram.Width = 1
	histogram.StepStyle = plotter.MidStep
	histogram.FillColor = color.NRGBA{0x00, 0x72, 0xb2, 0x50}
	expected := lineThrough(l.expected, look{color: looks[1].color})
	p.Add(unpadded{histogram, histogram}, unpadded{expected, expected})
	f.addThumbs(expected, histogram)
	p.Y.Min, p.Y.Max = 0, p.Y.Max*1.08
	p.Y.Tick.Marker = evenly{6, percentLabel}
	p.X.Tick.Marker = evenly{6, countLabel}
	return panel{p, "lengths of documents", "words per document", "share of documents"}
}

// unpadded is drawn up to the axes, for which the library would make room.
type unpadded struct {
	plot.Plotter
	plot.DataRanger
}

// addThumbs adds to the legend how a panel shows the two sides of a law.
func (f *figure) addThumbs(expected, measured plot.Thumbnailer) {
	if f.legend == nil {
		f.legend = []legendEntry{{text: "measured"}, {text: "expected", thumbs: []plot.Thumbnailer{expected}}}
	}
	f.legend[0].thumbs = append([]plot.Thumbnailer{measured}, f.legend[0].thumbs...)
}
