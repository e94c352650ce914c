package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm/bench"
)

// summary is what README.md tells of the comparison: a table of accuracies, one of speed, and what else a reader should
// know. Everything is taken from the reports; what they lack is left out.
func summary(reports []*bench.Report) string {
	var b strings.Builder
	if len(reports) > 0 {
		fmt.Fprintf(&b, "%s\n\n", wrap(fmt.Sprintf("Accuracy on test sets, in per cent, with default options. Measured on %s on %d cores of %s. Bold marks the best of a row.",
			reports[0].Started.Format("2 January 2006"), reports[0].Machine.Cores, article(reports[0].Machine.CPU))))
	}
	if table := accuracyTable(reports, 1); table != "" {
		b.WriteString(table + "\n")
	}
	b.WriteString(speedTable(reports))
	for _, remark := range []string{bigramRemark(reports), readyRemark(reports), solverRemark(reports)} {
		if remark != "" {
			b.WriteString(item(remark))
		}
	}
	return b.String()
}

// article puts one before the name of a CPU.
func article(name string) string {
	if name != "" && strings.ContainsRune("AEIOU", rune(name[0])) {
		return "an " + name
	}
	return "a " + name
}

// wrap breaks a paragraph into lines that fit the pages.
func wrap(text string) string {
	var b strings.Builder
	width := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case width+1+len(word) > 116:
			b.WriteByte('\n')
			width = 0
		default:
			b.WriteByte(' ')
			width++
		}
		b.WriteString(word)
		width += len(word)
	}
	return b.String()
}

// item writes an item of a list.
func item(text string) string { return "- " + strings.ReplaceAll(wrap(text), "\n", "\n  ") + "\n" }

// results are those of the reports of a workload.
func results(reports []*bench.Report, workload string) (all []bench.Result) {
	for _, r := range reports {
		if r.Workload == workload {
			all = append(all, r.Results...)
		}
	}
	return all
}

// distinct are the different values of a function of the results, in their order.
func distinct(all []bench.Result, of func(*bench.Result) string) (values []string) {
	for i := range all {
		if v := of(&all[i]); !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	return values
}

// contenderTitle is the column of a case in the table of accuracies.
func contenderTitle(r *bench.Result) string {
	switch peer, options := r.Label("peer"), r.Label("options"); {
	case peer == sklearnPeer, strings.HasPrefix(options, "tune"):
		return peer + ": " + options
	default:
		return peer
	}
}

func corpusOf(r *bench.Result) string { return r.Label("corpus") }

// accuracyTable has a line for each set, of which the one with many classes is from the comparison of training.
func accuracyTable(reports []*bench.Report, digits int) string {
	all := results(reports, accuracyWorkload)
	for _, r := range results(reports, "compare-train") {
		if r.Label("corpus") == bible.name {
			all = append(all, r)
		}
	}
	if len(all) == 0 {
		return ""
	}
	var b strings.Builder
	columns := distinct(all, contenderTitle)
	fmt.Fprintf(&b, "| | %s |\n| --- |%s\n", strings.Join(columns, " | "), strings.Repeat(" ---: |", len(columns)))
	for _, corpus := range distinct(all, corpusOf) {
		values := make([]float64, len(columns))
		for i, title := range columns {
			values[i] = math.NaN()
			for k := range all {
				if r := &all[k]; r.Label("corpus") == corpus && contenderTitle(r) == title {
					values[i] = r.Median("accuracy %")
				}
			}
		}
		write := func(x float64) string { return fmt.Sprintf("%.*f", digits, x) }
		fmt.Fprintf(&b, "| %s | %s |\n", corpus, strings.Join(cells(values, write, higher), " | "))
	}
	return b.String()
}

// cells writes the values of a row, and the best in bold; NaN is an empty cell.
func cells(values []float64, write func(float64) string, better string) []string {
	best := math.NaN()
	for _, v := range values {
		if math.IsNaN(best) || better == higher && v > best || better == lower && v < best {
			best = v
		}
	}
	written := make([]string, len(values))
	for i, v := range values {
		switch {
		case math.IsNaN(v):
		case write(v) == write(best):
			written[i] = "**" + write(v) + "**"
		default:
			written[i] = write(v)
		}
	}
	return written
}

// speedTable has a line for each figure of speed or memory, and a column for each program.
func speedTable(reports []*bench.Report) string {
	trained, scored := results(reports, "compare-train"), results(reports, "compare-score")
	all := append(slices.Clone(trained), scored...)
	if len(all) == 0 {
		return ""
	}
	seconds := func(x float64) string { return bench.Number(x) + " s" }
	speed := func(x float64) string { return bench.Number(x) + " MB/s" }
	memory := func(x float64) string { return bench.Number(x) + " MiB" }
	var b strings.Builder
	peers := distinct(all, func(r *bench.Result) string { return r.Label("peer") })
	fmt.Fprintf(&b, "| | %s |\n| --- |%s\n", strings.Join(peers, " | "), strings.Repeat(" ---: |", len(peers)))
	main := corpusOf(&all[0])
	for _, row := range []struct {
		title, corpus string
		from          []bench.Result
		threads       int
		metric        string
		better        string
		write         func(float64) string
	}{
		{main + ", text to model, one thread", main, trained, 1, "wall s", lower, seconds},
		{main + ", memory of training", main, trained, 1, "peak MiB", lower, memory},
		{main + ", scoring, one thread", main, scored, 1, "MB/s", higher, speed},
		{"72 languages, text to model, two threads", bible.name, trained, 2, "wall s", lower, seconds},
		{"72 languages, memory of training", bible.name, trained, 2, "peak MiB", lower, memory},
	} {
		values := make([]float64, len(peers))
		for i, peer := range peers {
			values[i] = math.NaN()
			// Of a program's cases, the first is the one with the defaults.
			if r := find(row.from, "corpus", row.corpus, "peer", peer, "threads", row.threads); r != nil {
				values[i] = r.Median(row.metric)
			}
		}
		if slices.ContainsFunc(values, func(x float64) bool { return !math.IsNaN(x) }) {
			fmt.Fprintf(&b, "| %s | %s |\n", row.title, strings.Join(cells(values, row.write, row.better), " | "))
		}
	}
	return b.String() + "\n"
}

// bigramRemark tells how nbsvm does with the n-grams of the others.
func bigramRemark(reports []*bench.Report) string {
	trained := find(results(reports, "compare-train"), "corpus", imdb.name, "peer", nbsvmPeer, "options", bigrams, "threads", 1)
	scored := find(results(reports, "compare-score"), "corpus", imdb.name, "peer", nbsvmPeer, "options", bigrams, "threads", 1)
	if trained == nil || scored == nil {
		return ""
	}
	return fmt.Sprintf("On %s, nbsvm's defaults use trigrams and the others bigrams. With `%s` nbsvm reaches %.1f %% in %s s and scores %s MB/s.",
		imdb.name, bigrams, trained.Median("accuracy %"), bench.Number(trained.Median("wall s")), bench.Number(scored.Median("MB/s")))
}

// readyRemark tells how LIBLINEAR's commands do on ready-made features.
func readyRemark(reports []*bench.Report) string {
	all := results(reports, accuracyWorkload)
	theirs := find(all, "peer", liblinearPeer)
	if theirs == nil {
		return ""
	}
	ours := find(all, "peer", nbsvmPeer, "corpus", theirs.Label("corpus"))
	return fmt.Sprintf("On %s, nbsvm has %.2f %% and LIBLINEAR with its defaults %.2f %%.",
		theirs.Label("corpus"), ours.Median("accuracy %"), theirs.Median("accuracy %"))
}

// solverRemark sums up the comparison of solvers.
func solverRemark(reports []*bench.Report) string {
	all := results(reports, "compare-solve")
	var alone, together []float64
	for i := range all {
		r := &all[i]
		if peer := solvedByPeer(all, r); r.Label("peer") == nbsvmPeer && peer != nil {
			alone = append(alone, peer.Median("s")/r.Median("s"))
			together = append(together, peer.Median("s")/r.Median("together s"))
		}
	}
	if len(alone) == 0 {
		return ""
	}
	ahead := func(ratios []float64) (n int) {
		for _, x := range ratios {
			if x > 1 {
				n++
			}
		}
		return n
	}
	slices.Sort(alone)
	n := len(alone)
	return fmt.Sprintf("The solver reaches the same duality gap %.1f to %.1f times as fast as LIBLINEAR's `train()`, %.1f times in the median of %d cases; "+
		"it is ahead in %d. Where LIBLINEAR gets its matrix for free and nbsvm's time to lay it out counts, nbsvm is ahead in %d.",
		alone[0], alone[n-1], (alone[(n-1)/2]+alone[n/2])/2, n, ahead(alone), ahead(together))
}
