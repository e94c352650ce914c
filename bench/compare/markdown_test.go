package main

import (
	"strings"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm/bench"
)

func process(peer, options string, threads int, wall []float64, peak, right float64) bench.Result {
	r := bench.Result{Case: bench.Labels("peer", peer, "options", options, "threads", threads), Metrics: []bench.Metric{
		{Name: "wall s", Samples: wall},
		{Name: "CPU s", Samples: wall},
		{Name: "peak MiB", Samples: []float64{peak}},
		{Name: "accuracy %", Samples: []float64{right}},
	}}
	r.Metrics = append(r.Metrics, bench.Metric{Name: "documents/s", Samples: []float64{100 / r.Median("wall s")}})
	return r
}

// TestMarkdown checks the tables and their ratios.
func TestMarkdown(t *testing.T) {
	started := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	easy, hard, never := problem{"1-2", "hinge", 1, 0.1}, problem{"1-3", "hinge", 1, 0.1}, problem{"1-3", "hinge", 1, 0.01}
	processes := []bench.Result{
		process(nbsvmPeer, defaults, 1, []float64{4}, 100, 92),
		process(nbsvmPeer, bigrams, 1, []float64{1, 2, 3}, 100, 91.5),
		process(sklearnPeer, "NBSVM", 1, []float64{20}, 400, 91.6),
		process(fastTextPeer, "bigrams", 2, []float64{8}, 50, 89),
		process(fastTextPeer, "bigrams", 1, []float64{1}, 50, 89),
	}
	text := markdown([]version{{"fasttext", "0.9.2"}}, []*bench.Report{
		{Workload: "compare-train", Started: started, Machine: bench.Machine{CPU: "fast one"}, Settings: map[string]any{"runs": 3}, Results: processes, Notes: []string{"a note"}},
		{Workload: "compare-solve", Results: []bench.Result{
			solved(easy, nbsvmPeer, 10, 9, 1), solved(easy, liblinearPeer, 10, 9, 3),
			solved(hard, nbsvmPeer, 10, 9, 1), solved(hard, liblinearPeer, 10, 9, 0.5),
			solved(never, nbsvmPeer, 10, 9, 1),
		}},
		{Workload: "compare-score", Results: processes[1:3]},
	})
	for _, want := range []string{
		"21 November 2026", "- fast one", "- fasttext 0.9.2", "- a note",
		"| nbsvm | `--ngrams 1-2` | 1 | 2 (1–3) |",
		"| 91.6 | 10.00× | 5.00× |",
		"| fastText | bigrams | 2 | 8 | 8 | 50 | 89 |  |  |",
		"| 3.00× | 1.50× |",
		"| 100 | 10.00× |  |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the document lacks %q", want)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
	for line := range strings.Lines(text) {
		if strings.Contains(line, "NaN") {
			t.Errorf("line %q", line)
		}
	}
}
