package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm/bench"
	"github.com/seed-167f963f/nbsvm/bench/compare/chart"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

func process(peer, options string, threads int, wall []float64, peak, right float64) bench.Result {
	r := bench.Result{Case: bench.Labels("corpus", "IMDB", "peer", peer, "options", options, "threads", threads), Metrics: []bench.Metric{
		{Name: "wall s", Samples: wall},
		{Name: "CPU s", Samples: wall},
		{Name: "peak MiB", Samples: []float64{peak}},
		{Name: "accuracy %", Samples: []float64{right}},
	}}
	r.Metrics = append(r.Metrics, bench.Metric{Name: "documents/s", Samples: []float64{100 / r.Median("wall s")}},
		bench.Metric{Name: "MB/s", Samples: []float64{200 / r.Median("wall s")}})
	return r
}

// accurate is a case of the comparison of accuracy.
func accurate(corpus, peer, options string, right float64) bench.Result {
	return bench.Result{Case: bench.Labels("corpus", corpus, "peer", peer, "options", options), Metrics: []bench.Metric{{Name: "accuracy %", Samples: []float64{right}}}}
}

// invented are reports of all parts.
func invented() []*bench.Report {
	easy, hard, never := problem{"1-2", "hinge", 1, 0.1}, problem{"1-3", "hinge", 1, 0.1}, problem{"1-3", "hinge", 1, 0.01}
	processes := []bench.Result{
		process(nbsvmPeer, defaults, 1, []float64{4}, 100, 92),
		process(nbsvmPeer, bigrams, 1, []float64{1, 2, 3}, 100, 91.5),
		process(sklearnPeer, "NBSVM", 1, []float64{20}, 400, 91.6),
		process(fastTextPeer, "bigrams", 2, []float64{8}, 50, 89),
		process(fastTextPeer, "bigrams", 1, []float64{1}, 50, 89),
	}
	return []*bench.Report{
		{
			Workload: accuracyWorkload, Started: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC),
			Machine:  bench.Machine{CPU: "Able one", Cores: 2},
			Settings: map[string]any{"versions": []version{{"fastText", "0.9.2"}}, "commands": []string{"nbsvm train train.tsv"}, "missing": map[string]string{"one": "how to get it"}},
			Results: []bench.Result{
				accurate("IMDB", nbsvmPeer, defaults, 92.04), accurate("IMDB", sklearnPeer, "NBSVM", 92.01), accurate("IMDB", fastTextPeer, "best", 89),
				accurate("TREC", nbsvmPeer, defaults, 90), accurate("TREC", fastTextPeer, "best", 91),
				accurate("a9a", nbsvmPeer, defaults, 84.94), accurate("a9a", liblinearPeer, defaults, 84.96),
			},
		},
		{Workload: "compare-train", Started: time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC), Settings: map[string]any{"runs": 3}, Results: processes, Notes: []string{"a note"}},
		{Workload: "compare-solve", Results: []bench.Result{
			solved(easy, nbsvmPeer, 10, 9, 1), solved(easy, liblinearPeer, 10, 9, 3),
			solved(hard, nbsvmPeer, 10, 9, 1), solved(hard, liblinearPeer, 10, 9, 0.5),
			solved(never, nbsvmPeer, 10, 9, 1),
		}},
		{Workload: "compare-score", Results: processes[:3]},
	}
}

// TestMarkdown checks the tables, their ratios and charts.
func TestMarkdown(t *testing.T) {
	text := markdown(invented(), []string{"some/accuracy.svg", "some/throughput.svg"})
	for _, want := range []string{
		"21 November 2026", "22 November 2026", "- Able one", "- fastText 0.9.2", "- without one, which could not be run (how to get it)", "- a note", "```text\nnbsvm train train.tsv\n```",
		"| | nbsvm | scikit-learn: NBSVM | fastText | LIBLINEAR |",
		"| IMDB | **92.04** | 92.01 | 89.00 |  |",
		"| TREC | 90.00 |  | **91.00** |  |",
		"| IMDB | nbsvm | `--ngrams 1-2` | 1 | 2 (1–3) |",
		"| 91.6 | 10.00× | 5.00× |",
		"| IMDB | fastText | bigrams | 2 | 8 | 8 | 50 | 89 |  |  |",
		"| 3.00× | 1.50× |",
		"| 100 | 10.00× |\n",
		"(accuracy.svg)", "(throughput.svg)",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the document lacks %q", want)
		}
	}
	if strings.Contains(text, "to fastText") {
		t.Error("a column without figures is shown")
	}
	for line := range strings.Lines(text) {
		if strings.Contains(line, "NaN") {
			t.Errorf("line %q", line)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

func TestSummary(t *testing.T) {
	text := summary(invented())
	for _, want := range []string{
		"on 2 cores of an Able one",
		"| IMDB | **92.0** | **92.0** | 89.0 |  |",
		"| IMDB, text to model, one thread | 4 s | 20 s | **1 s** |",
		"| IMDB, memory of training | 100 MiB | 400 MiB | **50 MiB** |",
		"| IMDB, scoring, one thread | **50 MB/s** | 10 MB/s |  |",
		"nbsvm reaches 91.5 % in 2 s and scores 100 MB/s",
		"On a9a, nbsvm has 84.94 % and LIBLINEAR with its defaults 84.96 %.",
		"0.5 to 3.0 times as fast as LIBLINEAR's", "in the median of 2 cases",
	} {
		if !strings.Contains(strings.ReplaceAll(text, "\n  ", " "), want) {
			t.Errorf("the summary lacks %q:\n%s", want, text)
		}
	}
	if got := summary(nil); got != "" {
		t.Errorf("of nothing, the summary is %q", got)
	}
}

// TestPublished checks that the pages of this repository have the figures of the results that are beside them, and that
// charts are those of these results.
func TestPublished(t *testing.T) {
	const clone = "../.."
	reports, err := chart.ReadFiles([]string{filepath.Join(clone, resultsFile)})
	must.OK(t, err)
	charts, err := drawPublished(reports, t.TempDir())
	must.OK(t, err)
	for _, p := range pages {
		old, err := os.ReadFile(filepath.Join(clone, p.path))
		must.OK(t, err)
		if made, err := p.with(string(old), reports, charts); err != nil || made != string(old) {
			t.Errorf("%s does not have the figures of %s; run make compare-publish: %v", p.path, resultsFile, err)
		}
	}
	for _, path := range charts {
		want, err := os.ReadFile(path)
		must.OK(t, err)
		got, err := os.ReadFile(filepath.Join(clone, chartFolder, filepath.Base(path)))
		// Coordinates may differ in their last digits on CPUs that fuse multiplication and addition.
		if err != nil || runtime.GOARCH == "amd64" && string(got) != string(want) {
			t.Errorf("%s is not the chart of %s; run make compare-publish: %v", filepath.Base(path), resultsFile, err)
		}
	}
}

// TestPublish puts results into the pages of a clone, twice.
func TestPublish(t *testing.T) {
	clone := t.TempDir()
	old := "# Before\n\n" + beginMark + "\nold figures\n" + endMark + "\n\nafter\n"
	for _, p := range pages {
		path := filepath.Join(clone, p.path)
		must.OK(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(old), 0o644)))
	}
	must.OK(t, os.MkdirAll(filepath.Join(clone, filepath.Dir(resultsFile)), 0o755))
	out := t.TempDir()
	must.OK(t, writeResults(out, invented()))
	var first string
	for range 2 {
		must.OK(t, run(t.Context(), []string{"--out", out, "--publish", clone}, io.Discard))
		made, err := os.ReadFile(filepath.Join(clone, "README.md"))
		must.OK(t, err)
		if text := string(made); !strings.HasPrefix(text, "# Before\n") || !strings.HasSuffix(text, "\nafter\n") || strings.Contains(text, "old figures") || !strings.Contains(text, "**92.0**") {
			t.Errorf("%s", text)
		}
		if first == "" {
			first = string(made)
		}
		if string(made) != first {
			t.Error("the page differs when it is made again")
		}
	}
	must.OK(t, os.WriteFile(filepath.Join(clone, "README.md"), []byte("no marks"), 0o644))
	if err := run(t.Context(), []string{"--out", out, "--publish", clone}, io.Discard); err == nil || !strings.Contains(err.Error(), "README.md") {
		t.Errorf("error %v", err)
	}
}

// TestEarlier keeps the results of parts that are not measured now, in their places.
func TestEarlier(t *testing.T) {
	out := t.TempDir()
	none, err := earlier(options{Out: out})
	if err != nil || !slices.Equal(none, make([]*bench.Report, len(allParts))) {
		t.Errorf("%v, %v", none, err)
	}
	if err := writeResults(out, []*bench.Report{{Workload: "compare-solve", Notes: []string{"without LIBLINEAR"}}}); err != nil {
		t.Errorf("without anything to draw: %v", err)
	}
	must.OK(t, writeResults(out, invented()))
	kept, err := earlier(options{Out: out, Parts: []string{"train", "solve"}})
	if err != nil || kept[0].Workload != accuracyWorkload || kept[1] != nil || kept[2] != nil || kept[3].Workload != "compare-score" {
		t.Errorf("%v, %v", kept, err)
	}
}
