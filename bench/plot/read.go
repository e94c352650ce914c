package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-167f963f/nbsvm/bench"
)

// growthMetrics are microseconds a document.
var growthMetrics = []string{"pack µs", "layout µs", "epoch µs", "score µs"}

// readFiles reads all reports of the named files.
func readFiles(paths []string) ([]*bench.Report, error) {
	var all []*bench.Report
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		reports, err := readReports(f)
		f.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, reports...)
	}
	return all, nil
}

// readReports reads one report, or an array of them.
func readReports(from io.Reader) ([]*bench.Report, error) {
	text, err := io.ReadAll(from)
	if err != nil {
		return nil, err
	}
	var whole json.RawMessage
	if err := json.Unmarshal(text, &whole); err != nil {
		return nil, fmt.Errorf("not a report in JSON: %w", err)
	}
	texts := []json.RawMessage{whole}
	array := whole[0] == '['
	if array {
		if err := json.Unmarshal(whole, &texts); err != nil {
			return nil, err
		}
		if len(texts) == 0 {
			return nil, errors.New("the array has no reports")
		}
	}
	var reports []*bench.Report
	for i, text := range texts {
		r, err := bench.ReadReport(bytes.NewReader(text))
		if err == nil && len(r.Results) == 0 {
			err = fmt.Errorf("the report of %s has no results", r.Workload)
		}
		if err != nil {
			if array {
				err = fmt.Errorf("report %d: %w", i+1, err)
			}
			return nil, err
		}
		reports = append(reports, r)
	}
	return reports, nil
}

// having selects the cases with samples of all the named metrics.
func having(results []bench.Result, metrics ...string) []bench.Result {
	var selected []bench.Result
	for _, r := range results {
		if !slices.ContainsFunc(metrics, func(m string) bool { return len(r.Samples(m)) == 0 }) {
			selected = append(selected, r)
		}
	}
	return selected
}

// where selects the cases whose label has the value.
func where(results []bench.Result, label, value string) []bench.Result {
	var selected []bench.Result
	for _, r := range results {
		if r.Label(label) == value {
			selected = append(selected, r)
		}
	}
	return selected
}

// group is the cases that share a name.
type group struct {
	name    string
	results []bench.Result
}

// groupBy splits cases by a name made of each, in the order of first use.
func groupBy(results []bench.Result, name func(*bench.Result) string) []group {
	var groups []group
	for _, r := range results {
		n := name(&r)
		i := slices.IndexFunc(groups, func(g group) bool { return g.name == n })
		if i < 0 {
			i = len(groups)
			groups = append(groups, group{name: n})
		}
		groups[i].results = append(groups[i].results, r)
	}
	return groups
}

// byLabel names a case by the value of a label.
func byLabel(label string) func(*bench.Result) string {
	return func(r *bench.Result) string { return r.Label(label) }
}

// byLabelsBut names a case by all labels except some, with their names where a
// value alone says too little.
func byLabelsBut(except ...string) func(*bench.Result) string {
	return func(r *bench.Result) string {
		var parts []string
		for _, l := range r.Case {
			switch {
			case slices.Contains(except, l.Name) || l.Value == "":
			case l.Name == "peer" || l.Name == "loss" || l.Name == "kernel":
				parts = append(parts, l.Value)
			default:
				parts = append(parts, l.Name+" = "+l.Value)
			}
		}
		return strings.Join(parts, ", ")
	}
}

// parseBytes reads a number of bytes such as 32768, 32KiB or 32 KiB.
func parseBytes(text string) (float64, error) {
	number := strings.TrimRight(text, " BKMGi")
	scale, known := map[string]float64{"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}[strings.TrimSpace(text[len(number):])]
	value, err := strconv.ParseFloat(number, 64)
	if err != nil || !known || !(value > 0) || math.IsInf(value, 0) {
		return 0, fmt.Errorf("%q is not a number of bytes", text)
	}
	return value * scale, nil
}
