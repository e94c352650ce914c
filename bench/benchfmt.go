package bench

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

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

// joined is a name as the format has it, in which blanks separate fields.
func joined(name string) string { return strings.ReplaceAll(name, " ", "_") }
