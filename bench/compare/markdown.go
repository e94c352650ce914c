package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm/bench"
)

// table is how the results of a workload are shown: a line for each case.
type table struct {
	workload, title, about string
	chart                  string   // its pictures have names that begin so
	labels                 []string // columns of text
	columns                []column // columns of numbers
	ours                   bool     // only nbsvm's cases have lines; those of the peer are columns
}

// column is a title and what stands below it for a case among all of the report.
type column struct {
	title string
	cell  func(all []bench.Result, r *bench.Result) string
}

// metric is a column of medians and ranges.
func metric(title, name string) column {
	return column{title, func(_ []bench.Result, r *bench.Result) string { return figure(r, name) }}
}

// theirs is a column of a peer's figures for the problem of a case.
func theirs(title, name string) column {
	return column{title, func(all []bench.Result, r *bench.Result) string {
		if peer := solvedByPeer(all, r); peer != nil {
			return figure(peer, name)
		}
		return ""
	}}
}

// solvedByPeer is LIBLINEAR's case of the same problem; nil if there is none.
func solvedByPeer(all []bench.Result, r *bench.Result) *bench.Result {
	var labels []any
	for _, name := range []string{"ngrams", "loss", "C", "tol"} {
		labels = append(labels, name, r.Label(name))
	}
	return find(all, append(labels, "peer", liblinearPeer)...)
}

// faster is how many times longer LIBLINEAR takes than nbsvm by one of its metrics.
func faster(title, name string) column {
	return column{title, func(all []bench.Result, r *bench.Result) string {
		if peer := solvedByPeer(all, r); peer != nil {
			return times(peer.Median("s") / r.Median(name))
		}
		return ""
	}}
}

// slower is how many times longer a peer takes than nbsvm does with the options and as many threads.
func slower(title, options string) column {
	return column{title, func(all []bench.Result, r *bench.Result) string {
		own := find(all, "corpus", r.Label("corpus"), "peer", nbsvmPeer, "options", options, "threads", r.Label("threads"))
		if own == nil || r.Label("peer") == nbsvmPeer {
			return ""
		}
		return times(r.Median("wall s") / own.Median("wall s"))
	}}
}

// quicker is how many times more documents a second nbsvm scores than a peer on one thread.
func quicker(title, peer string) column {
	return column{title, func(all []bench.Result, r *bench.Result) string {
		other := find(all, "peer", peer, "threads", "1")
		if other == nil || r.Label("peer") != nbsvmPeer {
			return ""
		}
		return times(r.Median("documents/s") / other.Median("documents/s"))
	}}
}

var tables = []table{
	{
		workload: "compare-train", title: "Raw text to model", chart: "training",
		about:  "Whole processes, from a file of text to a model; accuracy on the test part. The last two columns are the peer's wall time over nbsvm's with as many threads.",
		labels: []string{"corpus", "peer", "options", "threads"},
		columns: []column{
			metric("wall s", "wall s"), metric("CPU s", "CPU s"), metric("peak MiB", "peak MiB"), metric("accuracy %", "accuracy %"),
			slower("to nbsvm "+bigrams, bigrams), slower("to nbsvm's defaults", defaults),
		},
	},
	{
		workload: "compare-solve", title: "The solver alone", ours: true, chart: "gap",
		about:  "One thread, the same matrix, no bias feature. LIBLINEAR's time is that of its `train()`, with the largest eps of a grid that reaches the gap; loading its matrix is not counted. nbsvm's layout turns hashed n-grams into the solver's matrix; together is layout, ratio and solve. Ratios are LIBLINEAR's time over nbsvm's.",
		labels: []string{"ngrams", "loss", "C", "tol"},
		columns: []column{
			metric("layout s", "layout s"), metric("solve s", "s"), metric("together s", "together s"), metric("epochs", "epochs"), metric("gap reached", "gap"),
			theirs("LIBLINEAR s", "s"), theirs("eps", "eps"), theirs("passes", "epochs"), theirs("gap reached", "gap"),
			faster("solve", "s"), faster("together", "together s"),
		},
	},
	{
		workload: "compare-score", title: "Scoring", chart: "throughput",
		about:  "Whole processes, loading of the model included. The last columns are nbsvm's documents/s over the peer's on one thread. Peers have models of uni- and bigrams, the defaults of nbsvm trigrams, too.",
		labels: []string{"peer", "options", "threads"},
		columns: []column{
			metric("MB/s", "MB/s"), metric("documents/s", "documents/s"), metric("CPU s", "CPU s"), metric("peak MiB", "peak MiB"),
			quicker("to scikit-learn", sklearnPeer), quicker("to fastText", fastTextPeer), quicker("to Vowpal Wabbit", vwPeer),
		},
	},
}

// markdown writes the page: what was measured where, then a table for each part, with those of the charts that belong
// to it, which are files beside the page.
func markdown(reports []*bench.Report, charts []string) string {
	var b strings.Builder
	b.WriteString("## Results\n\n")
	if len(reports) > 0 {
		r := reports[0]
		b.WriteString(measured(r))
		for _, v := range setting[[]version](r, "versions") {
			fmt.Fprintf(&b, "- %s %s\n", v.Name, v.Version)
		}
		missing := setting[map[string]string](r, "missing")
		for _, name := range slices.Sorted(maps.Keys(missing)) {
			fmt.Fprintf(&b, "- without %s, which could not be run (%s)\n", name, missing[name])
		}
	}
	b.WriteString("\nFigures are medians, with the range in brackets. Ratios are for nbsvm where they are above 1×.\n")
	for _, r := range reports {
		where := "" // unless it is another than that of the first part
		if measured(r) != measured(reports[0]) {
			where = measured(r) + "\n"
		}
		if r.Workload == accuracyWorkload {
			writeAccuracies(&b, r, where, charts)
		}
		for _, t := range tables {
			if t.workload == r.Workload {
				t.write(&b, r, where, charts)
			}
		}
	}
	return b.String()
}

// measured says when and where a part was measured.
func measured(r *bench.Report) string {
	text := fmt.Sprintf("Measured on %s.\n\n", r.Started.Format("2 January 2006"))
	for line := range strings.Lines(r.Machine.String()) {
		text += "- " + strings.TrimSpace(line) + "\n"
	}
	return text
}

// writeAccuracies writes the part on accuracy.
func writeAccuracies(b *strings.Builder, r *bench.Report, where string, charts []string) {
	b.WriteString("\n### Accuracy\n\n" + where + "Per cent of the test part; of sets without one, the mean of ten folds. Of fastText, it is the best of three learning\n" +
		"rates and, of Vowpal Wabbit, of three numbers of passes *by the test part*. Bold marks the best of a row.\n\n")
	b.WriteString(accuracyTable([]*bench.Report{r}, 2))
	writePictures(b, "accuracy", charts)
	writeNotes(b, r)
}

func (t *table) write(b *strings.Builder, r *bench.Report, where string, charts []string) {
	fmt.Fprintf(b, "\n### %s\n\n%sSamples of a case: %v, taken in turns.\n\n%s\n\n", t.title, where, r.Settings["runs"], wrap(t.about))
	names, rules := append([]string(nil), t.labels...), strings.Repeat("| --- ", len(t.labels))
	var columns []column
	for _, c := range t.columns {
		if slices.ContainsFunc(r.Results, func(one bench.Result) bool { return c.cell(r.Results, &one) != "" }) {
			columns, names, rules = append(columns, c), append(names, c.title), rules+"| ---: "
		}
	}
	if len(columns) > 0 {
		fmt.Fprintf(b, "| %s |\n%s|\n", strings.Join(names, " | "), rules)
	}
	for i := range r.Results {
		one := &r.Results[i]
		if t.ours && one.Label("peer") != nbsvmPeer {
			continue
		}
		var cells []string
		for _, name := range t.labels {
			cell := one.Label(name)
			if strings.HasPrefix(cell, "-") { // flags
				cell = "`" + cell + "`"
			}
			cells = append(cells, cell)
		}
		for _, c := range columns {
			cells = append(cells, c.cell(r.Results, one))
		}
		fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
	}
	writePictures(b, t.chart, charts)
	writeNotes(b, r)
}

// writePictures shows the charts whose names begin with a word.
func writePictures(b *strings.Builder, name string, charts []string) {
	for _, path := range charts {
		if file := filepath.Base(path); strings.HasPrefix(file, name) {
			about := strings.ReplaceAll(strings.TrimSuffix(file, filepath.Ext(file)), "-", " ")
			fmt.Fprintf(b, "\n![Chart of the table above: %s](%s)\n", about, file)
		}
	}
}

// writeNotes lists a report's notes and the commands that were run.
func writeNotes(b *strings.Builder, r *bench.Report) {
	if len(r.Notes) > 0 {
		b.WriteByte('\n')
	}
	for _, note := range r.Notes {
		b.WriteString(item(note))
	}
	if commands := setting[[]string](r, "commands"); len(commands) > 0 {
		fmt.Fprintf(b, "\nThe commands, without the folders of files:\n\n```text\n%s\n```\n", strings.Join(commands, "\n"))
	}
}

// setting is a setting of a report, whether this program has made it or read it from a file; nothing if it lacks it.
func setting[T any](r *bench.Report, name string) (value T) {
	if text, err := json.Marshal(r.Settings[name]); err == nil {
		_ = json.Unmarshal(text, &value) // what is of another type is as good as missing
	}
	return value
}

// times writes a ratio, "" if it is of nothing.
func times(ratio float64) string {
	if math.IsNaN(ratio) || math.IsInf(ratio, 0) {
		return ""
	}
	return fmt.Sprintf("%.2f×", ratio)
}
