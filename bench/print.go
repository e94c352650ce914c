package bench

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// WriteText prints the machine and a table: a line a case, a column a label, and
// for every metric the median and, where it can be better and samples differ, their range.
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

// varies reports whether the metric can be better, and its samples differ in any case.
func (r *Report) varies(name string) bool {
	return slices.ContainsFunc(r.Results, func(r Result) bool {
		return slices.ContainsFunc(r.Metrics, func(m Metric) bool {
			return m.Name == name && m.Better != "" && len(m.Samples) > 1 &&
				slices.Min(m.Samples) != slices.Max(m.Samples)
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

// WriteBenchmarks writes the samples in the format of Go's benchmarks, a line for every
// sample of a case, so that benchstat can compare reports.
func (r *Report) WriteBenchmarks(w io.Writer) error {
	m, out := r.Machine, bufio.NewWriter(w)
	// benchstat does not compare where these differ, so that the revision is none of them.
	fmt.Fprintf(out, "goos: %s\ngoarch: %s\ncpu: %s\n", m.OS, m.Arch, m.CPU)
	var units []string
	for i := range r.Results {
		for _, metric := range r.Results[i].Metrics {
			if metric.Better != "" && !slices.Contains(units, metric.Name) {
				units = append(units, metric.Name)
				fmt.Fprintf(out, "Unit %s better=%s\n", joined(metric.Name), metric.Better)
			}
		}
	}
	for i := range r.Results {
		result := &r.Results[i]
		name := "Benchmark" + strings.ToUpper(r.Workload[:1]) + r.Workload[1:]
		for _, l := range result.Case {
			name += "/" + joined(l.Name+"="+l.Value)
		}
		samples := 0
		for _, metric := range result.Metrics {
			samples = max(samples, len(metric.Samples))
		}
		for k := range samples {
			out.WriteString(name + " 1")
			for _, metric := range result.Metrics {
				if k < len(metric.Samples) {
					fmt.Fprintf(out, " %s %s", strconv.FormatFloat(metric.Samples[k], 'g', -1, 64), joined(metric.Name))
				}
			}
			out.WriteByte('\n')
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("bench: writing the report: %w", err)
	}
	return nil
}

// joined returns a name as the format has it, in which blanks separate fields.
func joined(name string) string { return strings.ReplaceAll(name, " ", "_") }
