package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/seed-167f963f/nbsvm/internal/base/wording"
)

// widestTable is how many columns of a terminal a table of settings takes, unless what must be told needs more.
const widestTable = 100

// gap is how many spaces are between two columns of a table.
const gap = 2

// column is one of a table of settings.
type column struct {
	head    string
	cell    func(p *gridPoint) string
	spared  bool // is left out where the table would be too wide
	numbers bool // to the right
}

// columns are those that settings are told in.
func (c *comparison) columns() (all []column) {
	for _, axis := range c.axes {
		all = append(all, column{head: axis.name, cell: func(p *gridPoint) string {
			if value, ok := p.Values[axis.name]; ok {
				return value
			}
			return "-"
		}})
	}
	withError := func(name string) column {
		return column{head: name, cell: func(p *gridPoint) string {
			return fmt.Sprintf("%.4f ±%.4f", float64(p.Mean[name]), float64(p.SE[name]))
		}}
	}
	all = append(all, withError(c.BestBy), column{head: "to best", cell: func(p *gridPoint) string {
		if p == &c.Settings[c.Best] {
			return "best"
		}
		return fmt.Sprintf("%.4f ±%.4f", float64(p.ToBest.Mean), float64(p.ToBest.SE))
	}}, withError("macro_f1"))
	for _, name := range []string{"accuracy", "roc_auc", "log_loss"} {
		if name == c.BestBy || !c.hasMetric(name) {
			continue
		}
		all = append(all, column{head: name, spared: true, cell: func(p *gridPoint) string {
			if mean, ok := p.Mean[name]; ok {
				return fmt.Sprintf("%.4f", float64(mean))
			}
			return "-"
		}})
	}
	return append(all,
		column{head: "train s", numbers: true, cell: func(p *gridPoint) string { return seconds(p.trainSeconds()) }},
		column{head: "docs/s", numbers: true, cell: func(p *gridPoint) string {
			return perSecond(p.Times.DocumentsPerSecond)
		}})
}

// seconds are written with three digits or so.
func seconds(s float64) string {
	switch {
	case s < 1:
		return fmt.Sprintf("%.3f", s)
	case s < 100:
		return fmt.Sprintf("%.1f", s)
	}
	return fmt.Sprintf("%.0f", s)
}

// perSecond is a rate of three digits.
func perSecond(rate float64) string {
	unit := 1.0
	for rate/unit >= 1000 {
		unit *= 10
	}
	return wording.Count(int64(math.Round(rate/unit) * unit))
}

// write writes a line for every setting, and which is best.
func (c *comparison) write(w io.Writer) error {
	columns := c.columns()
	cells := make([][]string, len(columns)) // of every column, its head first
	width := -gap
	for k, column := range columns {
		cells[k] = []string{column.head}
		for i := range c.Settings {
			cells[k] = append(cells[k], column.cell(&c.Settings[i]))
		}
		widest := 0
		for _, cell := range cells[k] {
			widest = max(widest, utf8.RuneCountInString(cell))
		}
		if column.numbers {
			for i, cell := range cells[k] {
				cells[k][i] = fmt.Sprintf("%*s", widest, cell)
			}
		}
		width += widest + gap
	}
	for k := len(columns) - 1; k >= 0 && width > widestTable; k-- {
		if columns[k].spared {
			width -= utf8.RuneCountInString(cells[k][0]) + gap
			cells = slices.Delete(cells, k, k+1)
		}
	}
	tw := tabwriter.NewWriter(w, 0, 0, gap, ' ', 0)
	for i := range len(c.Settings) + 1 {
		var line []string
		for _, column := range cells {
			line = append(line, column[i])
		}
		fmt.Fprintln(tw, strings.Join(line, "\t"))
	}
	tw.Flush()
	fmt.Fprintf(w, "\n±: standard error over the folds. They share training documents, so that it is too small.\n")
	best := &c.Settings[c.Best]
	var flags []string
	for _, axis := range c.axes {
		if value, ok := best.Values[axis.name]; ok {
			flags = append(flags, fmt.Sprintf("--%s=%s", axis.name, value))
		}
	}
	_, err := fmt.Fprintf(w, "best %s, %.4f: %s\n", c.BestBy, float64(best.Mean[c.BestBy]), strings.Join(flags, " "))
	return err
}
