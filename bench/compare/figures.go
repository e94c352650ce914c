package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"

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
	text := digits(r.Median(metric))
	if least, most := digits(slices.Min(all)), digits(slices.Max(all)); least != most {
		text += fmt.Sprintf(" (%s–%s)", least, most)
	}
	return text
}

// digits writes three significant digits, and whole numbers as they are.
func digits(x float64) string {
	switch {
	case math.IsNaN(x):
		return ""
	case x == math.Trunc(x), math.Abs(x) >= 100:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case math.Abs(x) < 1e-3:
		return strconv.FormatFloat(x, 'g', 2, 64)
	}
	decimals := 2 - int(math.Floor(math.Log10(math.Abs(x))))
	return strconv.FormatFloat(x, 'f', decimals, 64)
}
