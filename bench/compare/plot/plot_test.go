package main

import (
	"bytes"
	"image/png"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// drawn runs the command and returns what it wrote, by the files' names.
func drawn(t *testing.T, reports ...string) map[string]string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "new", "folder")
	var stdout, stderr bytes.Buffer
	if code := run(append([]string{"-o", folder}, reports...), &stdout, &stderr); code != 0 || stderr.Len() > 0 {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	written := map[string]string{}
	for path := range strings.Lines(stdout.String()) {
		path = strings.TrimSuffix(path, "\n")
		content, err := os.ReadFile(path)
		must.OK(t, err)
		written[filepath.Base(path)] = string(content)
	}
	return written
}

// report writes a report of invented results.
func report(t *testing.T, workload, results string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.json")
	text := `{"workload":"` + workload + `","machine":{"cpu":"Invented CPU","version":"0.0.0"},"results":[` + results + `]}`
	must.OK(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

// TestInvented draws reports of every workload, and draws them again.
func TestInvented(t *testing.T) {
	files, err := filepath.Glob("testdata/invented-*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no reports to draw: %v", err)
	}
	written := drawn(t, files...)
	if again := drawn(t, files...); !maps.Equal(written, again) {
		t.Error("the charts differ when drawn again")
	}
	for file, words := range map[string]string{
		"gap-ngrams-1-2-loss-hinge-C-0.1.svg": "nbsvm|seconds to solve|relative duality gap|0.1",
		"gap-solve.svg":                       "hinge, 1|logistic, 1",
		"roofline-row-256-impl-avx2.svg":      "read limit|modify limit|32768|nanoseconds per non-zero",
		"throughput.svg":                      "threads|MB/s|1|2",
	} {
		for word := range strings.SplitSeq(words, "|") {
			if !strings.Contains(written[file], ">"+word+"</text>") {
				t.Errorf("%s lacks %q; drawn were %v", file, word, slices.Sorted(maps.Keys(written)))
			}
		}
		picture := written[strings.TrimSuffix(file, "svg")+"png"]
		if c, err := png.DecodeConfig(strings.NewReader(picture)); err != nil || c.Width != 1200 || c.Height != 640 {
			t.Errorf("%s as PNG has %d × %d pixels, %v", file, c.Width, c.Height, err)
		}
		if strings.Contains(written[file], "NaN") || strings.Contains(written[file], "Inf") {
			t.Errorf("%s has coordinates that are no numbers", file)
		}
	}
}

// TestSamples checks that one case does for a chart, that points without a place on the axes are left out, and that
// charts of one name don't overwrite each other.
func TestSamples(t *testing.T) {
	solved := `{"case":[{"name":"loss","value":"hinge"},{"name":"C","value":"1"}],"metrics":[{"name":"s","samples":[1.1]},{"name":"gap","samples":[0.001]}]}`
	path := report(t, "solve", solved+`,{"case":[{"name":"loss","value":"none"}],"metrics":[{"name":"s","samples":[1]},{"name":"gap","samples":[0]}]},
		{"case":[{"name":"stage","value":"layout"}],"metrics":[{"name":"s","samples":[1]}]}`)
	written := drawn(t, path, path)
	if got := strings.Join(slices.Sorted(maps.Keys(written)), " "); got != "gap-solve--2.png gap-solve--2.svg gap-solve.png gap-solve.svg" {
		t.Errorf("drew %s", got)
	}
	text := written["gap-solve.svg"]
	if !strings.Contains(text, ">hinge, 1<") || strings.Contains(text, ">none") || strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
		t.Errorf("drew %s", text)
	}
	if text := drawn(t, report(t, "score", `{"case":[{"name":"threads","value":"1"}],"metrics":[{"name":"text MB/s","samples":[0]}]}`))["throughput.svg"]; text == "" || strings.Contains(text, "NaN") {
		t.Errorf("drew %q", text)
	}
}

func TestRefusals(t *testing.T) {
	const good = `{"workload":"score","results":[{"case":[],"metrics":[]}]}`
	for text, want := range map[string]string{
		"":                               "not a report",
		"not JSON":                       "not a report",
		"[" + good:                       "not reports in JSON",
		"{}":                             "names no workload",
		`{"workload":1}`:                 "not a report",
		"[]":                             "the array has no reports",
		`[` + good + `,{}]`:              "report 2: bench: not a report",
		`{"workload":"score"}`:           "nothing to draw",
		good:                             "nothing to draw",
		`[{"workload":"x","results":2}]`: "report 1: bench: not a report",
	} {
		path := filepath.Join(t.TempDir(), "report.json")
		must.OK(t, os.WriteFile(path, []byte(text), 0o666))
		folder := filepath.Join(t.TempDir(), "figures")
		var stdout, stderr bytes.Buffer
		if code := run([]string{"-o", folder, path}, &stdout, &stderr); code != 1 || !strings.Contains(stderr.String(), want) {
			t.Errorf("%q: exit code %d, %q; want 1 and %q", text, code, stderr.String(), want)
		}
		if _, err := os.Stat(folder); err == nil || stdout.Len() > 0 {
			t.Errorf("%q: a folder was made for nothing, or %q printed", text, stdout.String())
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
