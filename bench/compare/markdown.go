package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm/bench"
)

// markdown writes the document: what was measured where, then a table a part.
func markdown(versions []version, reports []*bench.Report) string {
	var b strings.Builder
	b.WriteString("## Results\n\n")
	if len(reports) > 0 {
		r := reports[0]
		fmt.Fprintf(&b, "Measured on %s.\n\n", r.Started.Format("2 January 2006"))
		for line := range strings.Lines(r.Machine.String()) {
			fmt.Fprintf(&b, "- %s\n", strings.TrimSpace(line))
		}
	}
	for _, v := range versions {
		fmt.Fprintf(&b, "- %s %s\n", v.Name, v.Version)
	}
	b.WriteString("\nFigures are medians, with the range in brackets. Ratios are for nbsvm where they are above 1×.\n")
	for _, r := range reports {
		switch r.Workload {
		case "compare-train":
			trainTable(&b, r)
		case "compare-solve":
			solveTable(&b, r)
		case "compare-score":
			scoreTable(&b, r)
		}
	}
	return b.String()
}

func heading(b *strings.Builder, title string, r *bench.Report) {
	fmt.Fprintf(b, "\n### %s\n\nSamples of a case: %v, taken in turns.\n\n", title, r.Settings["runs"])
}

func row(b *strings.Builder, cells ...string) {
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

// head writes the names of columns, of which all but the first few are numbers.
func head(b *strings.Builder, texts int, names ...string) {
	row(b, names...)
	rules := make([]string, len(names))
	for i := range rules {
		if rules[i] = "---:"; i < texts {
			rules[i] = "---"
		}
	}
	row(b, rules...)
}

func notes(b *strings.Builder, list []string) {
	b.WriteByte('\n')
	for _, note := range list {
		fmt.Fprintf(b, "- %s\n", note)
	}
}

// verdicts collects where nbsvm is ahead and where it is behind.
type verdicts struct{ ahead, behind []verdict }

// verdict is a text and, if it is of a ratio, the ratio.
type verdict struct {
	text  string
	ratio float64
}

// add judges a ratio, which is above 1 where nbsvm is ahead; it returns it.
func (v *verdicts) add(what string, ratio float64) float64 {
	one := verdict{what + " " + times(ratio), ratio}
	switch {
	case math.IsNaN(ratio), ratio == 1:
	case ratio > 1:
		v.ahead = append(v.ahead, one)
	default:
		v.behind = append(v.behind, one)
	}
	return ratio
}

// write names the cases of both sides.
func (v *verdicts) write(b *strings.Builder) {
	all := len(v.ahead) + len(v.behind)
	fmt.Fprintf(b, "\nnbsvm is ahead: %s.\n\nnbsvm is behind: %s.\n", listed(v.ahead, all), listed(v.behind, all))
}

// listed names cases, but only sums up a long list: the table has them.
func listed(cases []verdict, all int) string {
	if len(cases) == 0 {
		return "nowhere"
	}
	var texts []string
	var ratios []float64
	for _, c := range cases {
		texts, ratios = append(texts, c.text), append(ratios, c.ratio)
	}
	if n := len(cases); n > 12 {
		slices.Sort(ratios)
		median := (ratios[(n-1)/2] + ratios[n/2]) / 2
		return fmt.Sprintf("in %d cases of %d, %s to %s, median %s", n, all, times(ratios[0]), times(ratios[n-1]), times(median))
	}
	return strings.Join(texts, "; ")
}

// own is nbsvm's case with the given options and the threads of another case.
func own(r *bench.Report, other *bench.Result, options string) *bench.Result {
	return find(r.Results, "peer", nbsvmPeer, "options", options, "threads", other.Label("threads"))
}

// ratio is what a metric of one case is to that of another, NaN where either is
// missing.
func ratio(of, to *bench.Result, metric string) float64 {
	if of == nil || to == nil {
		return math.NaN()
	}
	return of.Median(metric) / to.Median(metric)
}

func caseName(r *bench.Result) string {
	if r.Label("threads") == "1" {
		return r.Label("peer")
	}
	return r.Label("peer") + " on " + r.Label("threads") + " threads"
}

func trainTable(b *strings.Builder, r *bench.Report) {
	heading(b, "Raw text to model", r)
	b.WriteString("Whole processes, IMDB's 25,000 training reviews; accuracy on its test part. The last two columns are the peer's wall time over nbsvm's with as many threads.\n\n")
	head(b, 2, "program", "options", "threads", "wall s", "CPU s", "peak MiB", "accuracy %", "to nbsvm "+bigrams, "to nbsvm's defaults")
	var v verdicts
	for i := range r.Results {
		one := &r.Results[i]
		cells := []string{one.Label("peer"), code(one.Label("options")), one.Label("threads"), figure(one, "wall s"), figure(one, "CPU s"), figure(one, "peak MiB"), fmt.Sprintf("%.2f", one.Median("accuracy %"))}
		if one.Label("peer") == nbsvmPeer {
			row(b, append(cells, "", "")...)
			continue
		}
		same, usual := own(r, one, bigrams), own(r, one, defaults)
		cells = append(cells, times(v.add("time against "+caseName(one), ratio(one, same, "wall s"))), times(ratio(one, usual, "wall s")))
		v.add("memory against "+caseName(one), ratio(one, same, "peak MiB"))
		if same != nil {
			v.accuracy(one, same)
		}
		row(b, cells...)
	}
	fmt.Fprintf(b, "\nWith uni- and bigrams on both sides:\n")
	v.write(b)
	notes(b, r.Notes)
}

// accuracy judges by percentage points, as a ratio of accuracies says little.
func (v *verdicts) accuracy(theirs, ours *bench.Result) {
	points := ours.Median("accuracy %") - theirs.Median("accuracy %")
	text := fmt.Sprintf("accuracy against %s %+.2f points", caseName(theirs), points)
	switch {
	case points > 0:
		v.ahead = append(v.ahead, verdict{text: text})
	case points < 0:
		v.behind = append(v.behind, verdict{text: text})
	}
}

// code sets flags as code.
func code(options string) string {
	if strings.HasPrefix(options, "-") {
		return "`" + options + "`"
	}
	return options
}

func solveTable(b *strings.Builder, r *bench.Report) {
	heading(b, "The solver alone", r)
	b.WriteString("One thread, the same matrix, no bias feature. LIBLINEAR's time is that of its `train()`, with the largest eps of a grid that reaches the gap; loading its matrix is not counted. nbsvm's layout turns hashed n-grams into the solver's matrix; together is layout, ratio and solve. Ratios are LIBLINEAR's time over nbsvm's.\n\n")
	head(b, 2, "n-grams", "loss", "C", "gap", "layout s", "solve s", "together s", "epochs", "gap reached", "LIBLINEAR s", "eps", "passes", "gap reached", "solve", "together")
	var alone, together verdicts
	for i := range r.Results {
		ours := &r.Results[i]
		if ours.Label("peer") != nbsvmPeer {
			continue
		}
		ngrams, loss, C, tol := ours.Label("ngrams"), ours.Label("loss"), ours.Label("C"), ours.Label("tol")
		cells := []string{ngrams, loss, C, tol, figure(ours, "layout s"), figure(ours, "s"), figure(ours, "together s"), figure(ours, "epochs"), figure(ours, "gap")}
		theirs := find(r.Results, "peer", liblinearPeer, "ngrams", ngrams, "loss", loss, "C", C, "tol", tol)
		if theirs == nil {
			row(b, append(cells, "", "", "", "", "", "")...)
			continue
		}
		solve := theirs.Median("s")
		name := fmt.Sprintf("%s %s C %s gap %s", ngrams, loss, C, tol)
		row(b, append(cells, figure(theirs, "s"), figure(theirs, "eps"), figure(theirs, "epochs"), figure(theirs, "gap"),
			times(alone.add(name, solve/ours.Median("s"))),
			times(together.add(name, solve/ours.Median("together s"))))...)
	}
	b.WriteString("\nThe solve alone:\n")
	alone.write(b)
	b.WriteString("\nLayout, ratio and solve together:\n")
	together.write(b)
	notes(b, r.Notes)
}

func scoreTable(b *strings.Builder, r *bench.Report) {
	heading(b, "Scoring", r)
	fmt.Fprintf(b, "Whole processes, loading of the model included; %v documents, %.0f MB of text. The last two columns are nbsvm's documents/s over the peer's on one thread. Peers have models of uni- and bigrams, the defaults of nbsvm trigrams, too.\n\n", r.Settings["documents"], float64(r.Settings["bytes"].(int64))/1e6)
	head(b, 2, "program", "options", "threads", "MB/s", "documents/s", "CPU s", "peak MiB", "to scikit-learn", "to fastText")
	var v verdicts
	for i := range r.Results {
		one := &r.Results[i]
		cells := []string{one.Label("peer"), code(one.Label("options")), one.Label("threads"), figure(one, "MB/s"), figure(one, "documents/s"), figure(one, "CPU s"), figure(one, "peak MiB")}
		for _, peer := range []string{sklearnPeer, fastTextPeer} {
			other := find(r.Results, "peer", peer, "threads", "1")
			if one.Label("peer") != nbsvmPeer {
				other = nil
			}
			cells = append(cells, times(ratio(one, other, "documents/s")))
		}
		row(b, cells...)
		if one.Label("peer") != nbsvmPeer {
			same := own(r, one, bigrams)
			v.add("speed against "+caseName(one), ratio(same, one, "documents/s"))
			v.add("memory against "+caseName(one), ratio(one, same, "peak MiB"))
		}
	}
	v.write(b)
	notes(b, r.Notes)
}
