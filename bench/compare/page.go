//go:build linux

package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm/bench"
)

// writePart writes the part of whole processes, or of solvers: a table with a line for each case, and notes.
func (c *comparison) writePart(title, about string, results []bench.Result, notes ...string) {
	fmt.Fprintf(c.out, "\n### %s\n\n%s\nMedians with the range in brackets; samples of a case: %d, taken in turns.\n\n",
		title, about, c.runs)
	if len(results) > 0 {
		var labels, metrics []string
		for _, l := range results[0].Case {
			labels = append(labels, l.Name)
		}
		for _, m := range results[0].Metrics {
			metrics = append(metrics, m.Name)
		}
		writeHead(c.out, labels, metrics)
		for i := range results {
			var cells []string
			for _, name := range labels {
				cell := results[i].Label(name)
				if strings.HasPrefix(cell, "-") { // flags
					cell = "`" + cell + "`"
				}
				cells = append(cells, cell)
			}
			for _, name := range metrics {
				cells = append(cells, figure(&results[i], name))
			}
			fmt.Fprintf(c.out, "| %s |\n", strings.Join(cells, " | "))
		}
		fmt.Fprintln(c.out)
	}
	for _, note := range notes {
		fmt.Fprintf(c.out, "- %s\n", note)
	}
}

// writeHead writes the first two lines of a table, columns of text before those of numbers.
func writeHead(w io.Writer, texts, numbers []string) {
	fmt.Fprintf(w, "| %s |\n%s%s|\n", strings.Join(slices.Concat(texts, numbers), " | "),
		strings.Repeat("| --- ", len(texts)), strings.Repeat("| ---: ", len(numbers)))
}

// figure returns the median of a metric and, in brackets, the range of its samples.
func figure(r *bench.Result, metric string) string {
	text := bench.Number(r.Median(metric))
	if all := r.Samples(metric); len(all) > 0 {
		if least, most := bench.Number(slices.Min(all)), bench.Number(slices.Max(all)); least != most {
			text += fmt.Sprintf(" (%s–%s)", least, most)
		}
	}
	return text
}

// writeComparison writes a line with the accuracy of each program, the best in bold; NaN is an empty cell.
func writeComparison(w io.Writer, title string, values []float64) {
	write := func(x float64) string { return fmt.Sprintf("%.2f", x) }
	best := math.NaN()
	for _, x := range values {
		if math.IsNaN(best) || x > best {
			best = x
		}
	}
	fmt.Fprintf(w, "| %s |", title)
	for _, x := range values {
		switch {
		case math.IsNaN(x):
			fmt.Fprint(w, "  |")
		case write(x) == write(best):
			fmt.Fprintf(w, " **%s** |", write(x))
		default:
			fmt.Fprintf(w, " %s |", write(x))
		}
	}
	fmt.Fprintln(w)
}
