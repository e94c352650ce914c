package main

import (
	"fmt"
	"slices"

	"github.com/seed-167f963f/nbsvm/bench"
)

// The metrics of compared programs are times and sizes, or rates.
const (
	lower  = "lower"
	higher = "higher"
)

// find is the first case with all the labels, of which names and values are given in turn; nil if there is none.
func find(results []bench.Result, namesAndValues ...any) *bench.Result {
	for i := range results {
		all := true
		for _, l := range bench.Labels(namesAndValues...) {
			all = all && results[i].Label(l.Name) == l.Value
		}
		if all {
			return &results[i]
		}
	}
	return nil
}

// figure is the median of a metric and, in brackets, the range of its samples.
func figure(r *bench.Result, metric string) string {
	all := r.Samples(metric)
	if len(all) == 0 {
		return ""
	}
	text := bench.Number(r.Median(metric))
	if least, most := bench.Number(slices.Min(all)), bench.Number(slices.Max(all)); least != most {
		text += fmt.Sprintf(" (%s–%s)", least, most)
	}
	return text
}
