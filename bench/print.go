package bench

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"text/tabwriter"
)

// WriteText prints the machine and a table: a line a case, a column a label, and
// for every metric the median and, where samples differ, their range.
func (r *Report) WriteText(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n\n", r.Machine)
	labels, metrics := r.columns()
	tw := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, name := range labels {
		fmt.Fprint(tw, name, "\t")
	}
	for _, name := range metrics {
		fmt.Fprint(tw, name, "\t")
		if r.varies(name) {
			fmt.Fprint(tw, "range\t")
		}
	}
	fmt.Fprintln(tw)
	for i := range r.Results {
		result := &r.Results[i]
		for _, name := range labels {
			fmt.Fprint(tw, result.Label(name), "\t")
		}
		for _, name := range metrics {
			fmt.Fprint(tw, Number(result.Median(name)), "\t")
			if samples := result.Samples(name); r.varies(name) && len(samples) > 0 {
				fmt.Fprint(tw, Number(slices.Min(samples)), "–", Number(slices.Max(samples)))
			}
			if r.varies(name) {
				fmt.Fprint(tw, "\t")
			}
		}
		fmt.Fprintln(tw)
	}
	tw.Flush() // a bytes.Buffer takes everything
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "\n%s\n", note)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("bench: writing the table: %w", err)
	}
	return nil
}

// columns returns the names of all labels and metrics, in the order of their first use.
func (r *Report) columns() (labels, metrics []string) {
	add := func(to *[]string, name string) {
		if !slices.Contains(*to, name) {
			*to = append(*to, name)
		}
	}
	for i := range r.Results {
		for _, l := range r.Results[i].Case {
			add(&labels, l.Name)
		}
		for _, m := range r.Results[i].Metrics {
			add(&metrics, m.Name)
		}
	}
	return labels, metrics
}

// varies reports whether the samples of a metric differ in any case.
func (r *Report) varies(name string) bool {
	return slices.ContainsFunc(r.Results, func(r Result) bool {
		return slices.ContainsFunc(r.Metrics, func(m Metric) bool {
			return m.Name == name && slices.Min(m.Samples) != slices.Max(m.Samples)
		})
	})
}

// Number writes three significant digits, more of large numbers; "" for NaN.
func Number(x float64) string {
	short, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64)
	switch size := math.Abs(short); {
	case math.IsNaN(x):
		return ""
	case x == math.Trunc(x) && size < 1e6, size >= 100:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case size < 1e-4:
		return strconv.FormatFloat(x, 'g', 3, 64)
	default: // trailing zeros stay: they are digits that were measured
		return strconv.FormatFloat(x, 'f', 2-int(math.Floor(math.Log10(size))), 64)
	}
}
