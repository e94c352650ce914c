package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/printable"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// writeReport writes what is known of a model's making, a name and a tab before
// each fact, for a tabwriter. Ready-made features are not made of n-grams.
func writeReport(w io.Writer, r *nbsvm.Report, ready bool) {
	writeInput(w, int64(r.Documents), r.Bytes, r.Bad, r.Classes)
	f := r.Features
	if ready {
		fmt.Fprintf(w, "features\t%s; %s non-zeros\n", count(int64(f.Buckets)), count(f.NonZeros))
	} else {
		fmt.Fprintf(w, "features\t%s, %s of them kept; %s in use, %.1f %% of them shared; %s\n",
			some(int64(f.Distinct), "n-gram"), count(int64(f.Selected)), some(int64(f.Buckets), "bucket"), 100*f.Shared, some(f.NonZeros, "non-zero"))
	}
	if s := r.Solution; s != nil {
		each := ""
		if s.Outputs > 1 {
			each = fmt.Sprintf(" at most, over %d classifiers", s.Outputs)
		}
		fmt.Fprintf(w, "solution\t%s, C %g: relative duality gap %.2g after %s%s; objective %.6g\n", printable.Label(r.Options.Loss), r.Options.C, s.Gap, some(s.Epochs, "epoch"), each, s.Primal)
	}
}

// warnUnknown tells of labels that the model does not know although it knows others.
func warnUnknown(c *call, r *metrics.Report) {
	if r.Unknown > 0 {
		fmt.Fprintf(c.err, "nbsvm: warning: documents have labels that the model does not know, which count as errors: %s\n", r.DescribeUnknown())
	}
}

// writeInput writes what was read.
func writeInput(w io.Writer, documents, bytes, bad int64, all []nbsvm.ClassCount) {
	fmt.Fprintf(w, "documents\t%s, %s of text\n", count(documents), byteSize(bytes))
	if bad > 0 {
		fmt.Fprintf(w, "bad records\t%s left out\n", count(bad))
	}
	fmt.Fprintf(w, "classes\t%s\n", classes(all))
}

// classes lists classes with their counts, the first dozen of them.
func classes(all []nbsvm.ClassCount) string {
	const most = 12
	var parts []string
	for i, c := range all {
		if i == most {
			parts = append(parts, fmt.Sprintf("and %d more", len(all)-most))
			break
		}
		parts = append(parts, fmt.Sprintf("%s %s", printable.Label(c.Label), count(int64(c.Documents))))
	}
	return fmt.Sprintf("%d: %s", len(all), strings.Join(parts, ", "))
}

// some is a number of things, of which there may be one.
func some[N int | int64](n N, thing string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(thing, "s"):
		thing += "es"
	default:
		thing += "s"
	}
	return count(int64(n)) + " " + thing
}

// count writes a number in groups of three digits.
func count(n int64) string {
	digits := fmt.Sprint(n)
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 && digits[i-1] != '-' {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return b.String()
}

// byteSize writes a size in the unit that suits it.
func byteSize(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.2f GiB", float64(n)/(1<<30))
}
