//go:build linux

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm/bench"
)

// writePart writes a part: a table with a line for each case, and notes. All cases have the same labels.
func (c *comparison) writePart(title, about string, results []bench.Result, notes ...string) {
	fmt.Fprintf(c.out, "\n### %s\n\n%s\n", title, about)
	if len(results) > 0 {
		var labels, metrics []string
		for _, l := range results[0].Case {
			labels = append(labels, l.Name)
		}
		for _, r := range results {
			for _, m := range r.Metrics {
				if !slices.Contains(metrics, m.Name) {
					metrics = append(metrics, m.Name)
				}
			}
		}
		fmt.Fprintf(c.out, "\n| %s |\n%s%s|\n", strings.Join(slices.Concat(labels, metrics), " | "),
			strings.Repeat("| --- ", len(labels)), strings.Repeat("| ---: ", len(metrics)))
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
