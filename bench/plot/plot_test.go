package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/bench"
)

// invented is a report of no real measurement.
func invented(workload string, results ...bench.Result) *bench.Report {
	return &bench.Report{
		Workload: workload,
		Machine:  bench.Machine{CPU: "Invented CPU", Cores: 4, L1D: 32 << 10, Version: "0.0.0"},
		Results:  results,
	}
}

func result(labels []any, metrics ...bench.Metric) bench.Result {
	return bench.Result{Case: bench.Labels(labels...), Metrics: metrics}
}

func metric(name string, samples ...float64) bench.Metric {
	return bench.Metric{Name: name, Samples: samples}
}

func gapCase(seconds, gap float64, labels ...any) bench.Result {
	return result(labels, metric("s", seconds), metric("gap", gap))
}

func kernelCase(kernel, row, table string, ns float64) bench.Result {
	return result([]any{"kernel", kernel, "impl", "go", "row", row, "table", table}, metric("ns/nnz", ns))
}

// svg is a figure's text, with all of its words.
func svg(t *testing.T, f *figure) string {
	t.Helper()
	var b bytes.Buffer
	if err := f.writeSVG(&b); err != nil {
		t.Fatal(err)
	}
	for d := xml.NewDecoder(bytes.NewReader(b.Bytes())); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return b.String()
		} else if err != nil {
			t.Fatalf("%s.svg is not well-formed: %v", f.name, err)
		}
	}
}

// drawTexts draws reports and returns the SVG texts of the figures by name.
func drawTexts(t *testing.T, reports ...*bench.Report) (texts map[string]string, remarks string) {
	t.Helper()
	figures, lines := drawAll(reports, options{row: 256})
	texts = map[string]string{}
	for _, f := range figures {
		if texts[f.name] != "" {
			t.Errorf("two figures are named %s", f.name)
		}
		texts[f.name] = svg(t, f)
	}
	return texts, strings.Join(lines, "\n")
}

func names(texts map[string]string) string {
	return strings.Join(slices.Sorted(maps.Keys(texts)), " ")
}

// hasWords checks for text elements, each of exactly one of the given words.
func hasWords(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, ">"+w+"</text>") {
			t.Errorf("the figure lacks %q", w)
		}
	}
}

func TestGapsOfPeers(t *testing.T) {
	r := invented("compare-solve")
	for _, peer := range []string{"liblinear", "nbsvm"} {
		for _, ngrams := range []string{"1-2", "1-3"} {
			for _, c := range []string{"0.1", "1"} {
				for i, tol := range []string{"1e-1", "1e-2"} {
					r.Results = append(r.Results, gapCase(0.01*float64(i+1), 0.1/float64(i*50+1),
						"peer", peer, "ngrams", ngrams, "loss", "hinge", "C", c, "tol", tol))
				}
			}
		}
	}
	texts, _ := drawTexts(t, r)
	if got, want := names(texts), "gap-ngrams-1-2 gap-ngrams-1-3"; got != want {
		t.Fatalf("drew %s, want %s", got, want)
	}
	text := texts["gap-ngrams-1-2"]
	hasWords(t, text, "hinge, C = 0.1", "hinge, C = 1", "nbsvm", "liblinear", "10 ms", "1e-02", "time to solve", "relative duality gap",
		"Invented CPU, 4 cores, nbsvm 0.0.0", "Relative duality gap over time: ngrams = 1-2")
	if strings.Index(text, ">nbsvm<") > strings.Index(text, ">liblinear<") {
		t.Error("nbsvm is not the first in the legend")
	}
}

func TestGapsOfLosses(t *testing.T) {
	r := invented("solve",
		gapCase(0.1, 1e-2, "stage", "solve", "loss", "hinge", "C", 1, "tol", "1e-1"),
		gapCase(0.2, 1e-3, "stage", "solve", "loss", "hinge", "C", 1, "tol", "1e-2"),
		gapCase(0.3, 0, "stage", "solve", "loss", "hinge", "C", 1, "tol", "1e-3"),
		gapCase(0.1, 1e-2, "stage", "solve", "loss", "logistic", "C", 1, "tol", "1e-1"),
		gapCase(0.1, 1e-2, "stage", "matrix", "loss", "none", "C", 1, "tol", "1e-1"))
	texts, remarks := drawTexts(t, r)
	hasWords(t, texts["gap-solve"], "hinge, C = 1", "logistic, C = 1", "100 ms")
	if strings.Contains(texts["gap-solve"], ">none") {
		t.Error("another stage is drawn")
	}
	if want := "hinge, C = 1: 1 of 3 points"; !strings.Contains(remarks, want) {
		t.Errorf("nothing says %q:\n%s", want, remarks)
	}
}

func TestThreads(t *testing.T) {
	scored := func(peer, threads string, samples ...float64) bench.Result {
		return result([]any{"peer", peer, "threads", threads}, metric("MB/s", samples...))
	}
	texts, _ := drawTexts(t, invented("compare-score",
		scored("slow", "1", 0.62, 0.61, 0.64), scored("nbsvm", "16", 912), scored("nbsvm", "2", 121, 131, 111)))
	text := texts["throughput-compare-score"]
	hasWords(t, text, "nbsvm", "slow", "1", "2", "16", "threads", "text scored, MB/s")
	texts, _ = drawTexts(t, invented("score", result([]any{"threads", 1}, metric("MB/s", 100, 110))))
	hasWords(t, texts["throughput-score"], "text scored, MB/s")
}

func TestRoofline(t *testing.T) {
	kernels := invented("kernels",
		kernelCase("dot", "256", "32768", 1), kernelCase("dot", "256", "1 MiB", 2), kernelCase("dot", "256", "64MiB", 9),
		kernelCase("read limit", "256", "32KiB", 0.5), kernelCase("read limit", "256", "64MiB", 5),
		kernelCase("other row", "16", "32768", 1))
	texts, _ := drawTexts(t, kernels)
	text := texts["roofline"]
	hasWords(t, text, "dot", "limit: random reads", "go kernels", "32 KiB", "256 KiB", "1 ns", "L1d", "time per non-zero")
	if strings.Contains(text, "other row") {
		t.Error("kernels of another row are drawn")
	}

	limit := kernelCase("read limit", "256", "32KiB", 0.5)
	for _, c := range []struct {
		report *bench.Report
		row    int
		want   string
	}{
		{invented("kernels", kernelCase("dot", "256", "32768", 1)), 256, "no \"ns/nnz\" of the read limit"},
		{kernels, 64, "choose another with -row (has 256, 16)"},
		{invented("kernels", limit, kernelCase("dot", "256", "big", 1)), 256, `"big" is not a number of bytes`},
		{invented("kernels", limit, kernelCase("dot", "256", "1MiB", 0)), 256, "above 0"},
	} {
		figures, remarks := drawRoofline(c.report, options{row: c.row})
		if len(figures) > 0 || !strings.Contains(strings.Join(remarks, "\n"), c.want) {
			t.Errorf("%d figures, remarks %q, want none and %q", len(figures), remarks, c.want)
		}
	}
}

func growthCase(documents string, µs ...float64) bench.Result {
	r := result([]any{"documents", documents})
	for i, x := range µs {
		r.Metrics = append(r.Metrics, metric(growthMetrics[i], x))
	}
	return r
}

func TestGrowth(t *testing.T) {
	texts, _ := drawTexts(t, invented("pack", growthCase("100000", 3, 2, 0.3, 1), growthCase("1000", 9, 2, 0.3, 5), growthCase("files", 1)))
	hasWords(t, texts["growth"], "pack", "layout", "epoch", "score", "documents", "time a document", "10 k", "1 µs")
	texts, remarks := drawTexts(t, invented("pack", growthCase("files", 1, 1), growthCase("10", 0)))
	if len(texts) > 0 || !strings.Contains(remarks, "growth: skipped: the report of pack has no numbers of documents") {
		t.Errorf("drew %s, remarks %q", names(texts), remarks)
	}
}

// One case, with all it needs and no more, must do for a figure.
func TestSinglePoints(t *testing.T) {
	texts, _ := drawTexts(t,
		invented("compare-solve", gapCase(1.1, 1.1e-3, "peer", "nbsvm")),
		invented("solve", gapCase(1.1, 1.1e-3)),
		invented("score", result([]any{"threads", 1}, metric("MB/s", 0))),
		invented("kernels", kernelCase("dot", "256", "48KiB", 1.1), kernelCase("read limit", "256", "48KiB", 1.1)),
		invented("pack", growthCase("11", 1.1)))
	if got, want := names(texts), "gap gap-solve growth roofline throughput-score"; got != want {
		t.Errorf("drew %s, want %s", got, want)
	}
	hasWords(t, texts["gap"], "1 s", "1e-03")
	for name, text := range texts {
		if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
			t.Errorf("%s has coordinates that are no numbers", name)
		}
	}
}

func TestNamesDiffer(t *testing.T) {
	r := func(ngrams string) *bench.Report {
		return invented("compare-solve", gapCase(1, 1e-3, "peer", "nbsvm", "ngrams", ngrams))
	}
	texts, _ := drawTexts(t, r("1"), r("1"), r("1-2"))
	if got, want := names(texts), "gap-ngrams-1 gap-ngrams-1--2 gap-ngrams-1-2"; got != want {
		t.Errorf("drew %s, want %s", got, want)
	}
}

// inventedFiles are reports of figures that nobody measured.
func inventedFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/invented-*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no reports to draw: %v", err)
	}
	return files
}

func TestRun(t *testing.T) {
	var written [2]map[string][]byte
	for i := range written {
		folder := filepath.Join(t.TempDir(), "new", "folder")
		var stdout, stderr bytes.Buffer
		if code := run(append([]string{"-o", folder}, inventedFiles(t)...), &stdout, &stderr); code != 0 || stderr.Len() > 0 {
			t.Fatalf("exit code %d: %s", code, stderr.String())
		}
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		written[i] = map[string][]byte{}
		for _, e := range entries {
			path := filepath.Join(folder, e.Name())
			if !strings.Contains(stdout.String(), path+"\n") {
				t.Errorf("%s is not printed", e.Name())
			}
			if written[i][e.Name()], err = os.ReadFile(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := "gap-ngrams-1-2 gap-ngrams-1-3 gap-solve growth roofline throughput-compare-score throughput-score"
	var got []string
	for _, name := range slices.Sorted(maps.Keys(written[0])) {
		if !bytes.Equal(written[0][name], written[1][name]) {
			t.Errorf("%s differs when drawn again", name)
		}
		if base, ok := strings.CutSuffix(name, ".png"); ok {
			got = append(got, base)
			if written[0][base+".svg"] == nil {
				t.Errorf("%s has no SVG beside it", name)
			}
			if c, err := png.DecodeConfig(bytes.NewReader(written[0][name])); err != nil || c.Width != 1600 || c.Height < 700 || c.Height > 1700 {
				t.Errorf("%s is of %d × %d pixels, %v", name, c.Width, c.Height, err)
			}
		}
	}
	if strings.Join(got, " ") != want {
		t.Errorf("drew %v, want %s", got, want)
	}
}

func TestBothForms(t *testing.T) {
	one, err := json.Marshal(invented("score", result([]any{"threads", 1}, metric("MB/s", 1))))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{string(one): 1, " \n[" + string(one) + "]": 1, "[" + string(one) + "," + string(one) + "]\n": 2} {
		if got, err := readReports(strings.NewReader(text)); err != nil || len(got) != want || got[0].Workload != "score" {
			t.Errorf("read %d reports (%v) of %s", len(got), err, text)
		}
	}
}

func TestRefusals(t *testing.T) {
	const good = `{"workload":"score","results":[{"case":[],"metrics":[]}]}`
	for text, want := range map[string]string{
		"":                               "not a report in JSON",
		"not JSON":                       "not a report in JSON",
		good + good:                      "not a report in JSON",
		"[" + good:                       "not a report in JSON",
		"{}":                             "names no workload",
		`"text"`:                         "not a report",
		`{"workload":1}`:                 "not a report",
		"[]":                             "the array has no reports",
		`[` + good + `,{}]`:              "report 2: bench: not a report",
		`[[` + good + `]]`:               "report 1: bench: not a report",
		`{"workload":"score"}`:           "the report of score has no results",
		good:                             "nothing to draw",
		`[{"workload":"x","results":2}]`: "report 1: bench: not a report",
	} {
		path := filepath.Join(t.TempDir(), "report.json")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		folder := filepath.Join(t.TempDir(), "figures")
		var stdout, stderr bytes.Buffer
		if code := run([]string{"-o", folder, path}, &stdout, &stderr); code != 1 || !strings.Contains(stderr.String(), want) {
			t.Errorf("%q: exit code %d, %q; want 1 and %q", text, code, stderr.String(), want)
		}
		if _, err := os.Stat(folder); err == nil {
			t.Errorf("%q: a folder was made for nothing", text)
		}
		if stdout.Len() > 0 {
			t.Errorf("%q: printed %q", text, stdout.String())
		}
	}
}

func TestUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--help"}, 0, "Usage: plot"},
		{nil, 2, "no reports named"},
		{[]string{"-x"}, 2, "-x"},
		{[]string{"missing.json"}, 1, "missing.json"},
	} {
		var stderr bytes.Buffer
		if code := run(c.args, io.Discard, &stderr); code != c.code || !strings.Contains(stderr.String(), c.want) {
			t.Errorf("%v: exit code %d, %q; want %d and %q", c.args, code, stderr.String(), c.code, c.want)
		}
	}
}
