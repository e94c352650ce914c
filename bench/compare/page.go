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

// writeComparison writes a line with a value for each program, the best in bold; NaN is an empty cell.
func writeComparison(w io.Writer, title string, values []float64, better string, write func(float64) string) {
	best := math.NaN()
	for _, x := range values {
		if math.IsNaN(best) || better == higher && x > best || better == lower && x < best {
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

// writeSpeeds writes the table of README.md, as far as its parts were measured: a line for each figure of speed or
// memory, and a column for each program.
func writeSpeeds(w io.Writer, corpus string, trained, scored []bench.Result) {
	programs := []string{nbsvm, sklearn, fastText}
	begun := false
	for _, row := range []struct {
		title, corpus        string
		from                 []bench.Result
		threads              string
		metric, better, unit string
	}{
		{corpus + ", text to model, one thread", corpus, trained, "1", "wall s", lower, "s"},
		{corpus + ", memory of training", corpus, trained, "1", "peak MiB", lower, "MiB"},
		{corpus + ", scoring, one thread", corpus, scored, "1", "MB/s", higher, "MB/s"},
		{"72 languages, text to model, two threads", bible.name, trained, "2", "wall s", lower, "s"},
		{"72 languages, memory of training", bible.name, trained, "2", "peak MiB", lower, "MiB"},
	} {
		values := slices.Repeat([]float64{math.NaN()}, len(programs))
		for i := range row.from {
			r := &row.from[i]
			k := slices.Index(programs, r.Label("peer"))
			// Of a program's cases, the first is the one with the defaults.
			if r.Label("corpus") == row.corpus && r.Label("threads") == row.threads && math.IsNaN(values[k]) {
				values[k] = r.Median(row.metric)
			}
		}
		if !slices.ContainsFunc(values, func(x float64) bool { return !math.IsNaN(x) }) {
			continue
		}
		if !begun {
			fmt.Fprint(w, "\n### Speed and memory\n\n")
			writeHead(w, []string{""}, programs)
			begun = true
		}
		writeComparison(w, row.title, values, row.better,
			func(x float64) string { return bench.Number(x) + " " + row.unit })
	}
}
