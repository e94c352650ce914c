package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm/bench"
	"github.com/seed-167f963f/nbsvm/bench/compare/chart"
)

// page is a file of the repository with results in it, between marks.
type page struct {
	path string
	text func(reports []*bench.Report, charts []string) string
}

// pages are those that have results.
var pages = []page{
	{"README.md", func(reports []*bench.Report, _ []string) string { return summary(reports) }},
	{"docs/explanation/benchmarks.md", markdown},
}

// Files of the repository: the results that the pages have, and the folder of charts.
const (
	resultsFile = "bench/compare/results.json"
	chartFolder = "docs/explanation"
)

// Marks are the lines that the results stand between.
const (
	beginMark = "<!-- made by make compare-publish -->"
	endMark   = "<!-- end -->"
)

// publish puts the results of a file into the pages of a clone.
func publish(from, clone string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	reports, err := chart.ReadFiles([]string{from})
	if err != nil {
		return err
	}
	charts, err := drawPublished(reports, filepath.Join(clone, chartFolder))
	if err != nil {
		return err
	}
	for _, p := range pages {
		path := filepath.Join(clone, p.path)
		old, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		made, err := p.with(string(old), reports, charts)
		if err != nil {
			return err
		}
		if err := write(path, made); err != nil {
			return err
		}
	}
	return write(filepath.Join(clone, resultsFile), string(text))
}

// drawPublished draws the charts of the pages: not those of the solver, of which there are many, nor of many classes,
// with two points.
func drawPublished(reports []*bench.Report, folder string) ([]string, error) {
	var shown []*bench.Report
	for _, r := range reports {
		if r.Workload != "compare-solve" {
			some := *r
			some.Results = slices.DeleteFunc(slices.Clone(r.Results), func(one bench.Result) bool { return one.Label("corpus") == bible.name })
			shown = append(shown, &some)
		}
	}
	return chart.Draw(shown, folder, "svg")
}

// with is the page with the results in place of those that it has.
func (p *page) with(old string, reports []*bench.Report, charts []string) (string, error) {
	before, rest, found := strings.Cut(old, beginMark+"\n")
	_, after, ended := strings.Cut(rest, endMark+"\n")
	if !found || !ended {
		return "", fmt.Errorf("%s: no lines %q and %q, between which results stand", p.path, beginMark, endMark)
	}
	return before + beginMark + "\n\n" + p.text(reports, charts) + "\n" + endMark + "\n" + after, nil
}
