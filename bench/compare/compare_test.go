//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/bench"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

func TestFlags(t *testing.T) {
	c, err := parseFlags([]string{"--data", "d", "--parts", "solve,score", "--runs", "9"}, nil, io.Discard)
	if err != nil || c.runs != 9 || !slices.Equal(c.parts, []string{"solve", "score"}) {
		t.Errorf("%+v, %v", c, err)
	}
	for _, args := range [][]string{{}, {"--data", "d", "--parts", "train,"}, {"--data", "d", "--runs", "0"}, {"--data", "d", "more"}} {
		if _, err := parseFlags(args, nil, io.Discard); err == nil {
			t.Errorf("%v was accepted", args)
		}
	}
}

// with is a comparison on a folder of sets with some files.
func with(t *testing.T, files map[string]string) *comparison {
	t.Helper()
	c := &comparison{data: t.TempDir(), folder: t.TempDir(), nbsvm: "nbsvm", python: "python3", out: io.Discard, log: io.Discard}
	for name, content := range files {
		path := filepath.Join(c.data, name)
		must.OK(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)))
	}
	return c
}

func TestMissingProgramsAreSkipped(t *testing.T) {
	c := with(t, nil)
	s := &split{set: sets[0]}
	if fast, all := c.fast(s), c.accurate(s); len(fast) != 7 || len(all) != 7 {
		t.Errorf("with all of them, %d programs are timed, %d compared", len(fast), len(all))
	}
	if fast := c.fast(&split{set: bible}); len(fast) != 2 || fast[0].options != "--preset language" {
		t.Errorf("of many classes, %d programs are timed: %+v", len(fast), fast)
	}
	c.missing = map[string]bool{sklearn: true, fastText: true, liblinear: true}
	if fast, all := c.fast(s), c.accurate(s); len(fast) != 4 || len(all) != 1 {
		t.Errorf("%d programs are timed, %d compared", len(fast), len(all))
	}
	must.OK(t, c.compareSolvers(t.Context()))
	if err := c.compareTraining(t.Context()); err == nil || !strings.Contains(err.Error(), c.data) {
		t.Errorf("error %v", err)
	}
}

func TestRightShare(t *testing.T) {
	labels := []string{"dog", "big cat", "dog", "big cat"}
	plain := &program{}
	for predictions, p := range map[string]*program{
		"dog\t1.5\nbig cat\t-1\nbig cat\t-2\nbig cat\t-3\n":                 plain,
		"__label__dog\n__label__big-cat\n__label__fish\n__label__big-cat\n": {writes: fastTextLabel},
	} {
		if got, err := p.rightShare(predictions, labels); err != nil || got != 0.75 {
			t.Errorf("%q: share %v, %v", predictions, got, err)
		}
	}
	for _, wrong := range []string{"", "dog\ndog\ndog\n", "dog\ndog\ndog\ndog\ndog\n"} {
		if _, err := plain.rightShare(wrong, labels); err == nil {
			t.Errorf("%q was accepted for 4 documents", wrong)
		}
	}
}

// TestForms checks that all forms of a text hold the same documents in the same order, and that they are all there.
func TestForms(t *testing.T) {
	var given []string
	for i := range 100 {
		given = append(given, []string{"neg", "pos"}[i/50]+"\tDocument, "+strings.Repeat("x", i))
	}
	all := strings.Join(given, "\n") + "\n"
	c := with(t, map[string]string{"imdb/train.tsv": all, "imdb/test.tsv": all})
	must.OK(t, c.timed(func(s *split) error {
		read := func(name string) []string {
			content, err := os.ReadFile(s.path(name))
			must.OK(t, err)
			return strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
		}
		labelled, words := read("train.tsv"), read("train.tokens")
		for i, line := range labelled {
			label, body, _ := strings.Cut(line, "\t")
			want := "__label__" + label + " " + strings.TrimSpace(strings.ReplaceAll(strings.ToLower(body), ",", " ,"))
			if words[i] != want {
				t.Fatalf("document %d: %q, %q", i, line, words[i])
			}
		}
		if slices.Equal(labelled, given) {
			t.Error("the corpus was not shuffled")
		}
		documents, err := s.enlarge(float64(3 * len(all)))
		if large := read("large.tsv"); err != nil || documents != 400 || !slices.Equal(large[:100], labelled) || len(large) != 400 {
			t.Errorf("%d lines of %d documents, %v", len(large), documents, err)
		}
		slices.Sort(labelled)
		if !slices.Equal(labelled, slices.Sorted(slices.Values(given))) {
			t.Error("documents were lost or changed")
		}
		return nil
	}))
}

// TestFolds checks that each document is tested once, and that classes keep their proportions.
func TestFolds(t *testing.T) {
	var all strings.Builder
	for i := range 200 {
		fmt.Fprintf(&all, "%s\tdocument %d\n", []string{"rare", "common", "common", "common"}[i%4], i)
	}
	c := with(t, map[string]string{"some/all.tsv": all.String()})
	tested := map[string]int{}
	all10, err := c.splits(set{name: "some", folder: "some"})
	must.OK(t, err)
	for _, s := range all10 {
		rare := 0
		for _, d := range s.test {
			tested[string(d.Text)]++
			if string(d.Labels[0]) == "rare" {
				rare++
			}
		}
		if len(s.train) != 180 || rare != 5 {
			t.Errorf("%d documents trained on, %d rare ones tested", len(s.train), rare)
		}
	}
	for text, times := range tested {
		if times != 1 {
			t.Errorf("%q was tested %d times", text, times)
		}
	}
	if len(tested) != 200 {
		t.Errorf("%d documents were tested, want 200", len(tested))
	}
}

// TestReadyMadeFeatures checks that features keep SVMlight's form.
func TestReadyMadeFeatures(t *testing.T) {
	c := with(t, map[string]string{"libsvm/a9a": "+1 1:1 3:0.5\n-1 2:1\n", "libsvm/a9a.t": "-1 1:1\n"})
	must.OK(t, c.timed(func(s *split) error {
		text, err := os.ReadFile(s.path("train.svm"))
		if got := string(text); got != "1 1:1 3:0.5\n-1 2:1\n" && got != "-1 2:1\n1 1:1 3:0.5\n" {
			t.Errorf("%q", got)
		}
		return err
	}))
}

func TestProcess(t *testing.T) {
	var out bytes.Buffer
	took, err := runProcess(t.Context(), t.TempDir(), &out, "sh", "-c", "echo hello")
	if err != nil || out.String() != "hello\n" || took[0].Value <= 0 || took[2].Value <= 0 {
		t.Errorf("%+v, %q, %v", took, out.String(), err)
	}
	_, err = runProcess(t.Context(), "", nil, "sh", "-c", "seq 1000 >&2; exit 3")
	if err == nil || !strings.Contains(err.Error(), "1000\n") || strings.Contains(err.Error(), "\n1\n") || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := runProcess(ctx, "", nil, "sh", "-c", "sleep 10"); err == nil {
		t.Error("ran after cancellation")
	}
}

func TestAgree(t *testing.T) {
	if agree(solution{Rows: 1}, solution{Rows: 2}) == nil {
		t.Error("different matrices were accepted")
	}
	if err := agree(solution{Primal: 10.5, Dual: 9.9}, solution{Primal: 10.1, Dual: 9.8}); err != nil {
		t.Error(err)
	}
	if agree(solution{Primal: 10.5, Dual: 10.4}, solution{Primal: 10.1, Dual: 10}) == nil {
		t.Error("objectives that can't both be right were accepted")
	}
	if agree(solution{Primal: 10, Dual: 11}, solution{Primal: 10, Dual: 11}) == nil {
		t.Error("a dual objective above the primal was accepted")
	}
}

// TestDriver solves two documents of which the optimum is known: with x = ±1 and C 1
// it is the least w²/2 + 2(1-w)² = 0.4 and w²/2 + 2(1-w) = 0.5, for 0 ≤ w ≤ 1.
func TestDriver(t *testing.T) {
	folder := t.TempDir()
	if exec.Command("gcc", "-o", filepath.Join(folder, "driver"), "liblinear_driver.c", "-llinear", "-lm").Run() != nil {
		t.Skip("needs gcc and liblinear-dev")
	}
	must.OK(t, os.WriteFile(filepath.Join(folder, "matrix.svm"), []byte("-1 3:-1\n1 3:1\n"), 0o644))
	for solver, want := range map[int]float64{1: 0.4, 3: 0.5} {
		got, err := drive(t.Context(), folder, solver, 1, 1e-9)
		if err != nil || math.Abs(got.Primal-want) > 1e-5 || math.Abs(got.gap()) > 1e-5 || got.Rows != 2 || got.Columns != 3 || got.NonZeros != 2 {
			t.Errorf("solver %d: %+v, want %v; %v", solver, got, want, err)
		}
	}
	if got, err := drive(t.Context(), folder, 7, 0.1, 1e-9); err != nil || math.Abs(got.gap()) > 1e-5 {
		t.Errorf("logistic: %+v, gap %v; %v", got, got.gap(), err)
	}
	if _, err := drive(t.Context(), folder, 3, -1, 1); err == nil || !strings.Contains(err.Error(), "C <= 0") {
		t.Errorf("error %v", err)
	}
}

// TestPage checks the tables of invented results.
func TestPage(t *testing.T) {
	process := func(name, options string, wall ...float64) bench.Result {
		return bench.Result{
			Case:    bench.Labels("corpus", "IMDB", "peer", name, "options", options, "threads", 1),
			Metrics: []bench.Metric{{Name: "wall s", Samples: wall}, {Name: "peak MiB", Samples: []float64{100 / wall[0]}}},
		}
	}
	results := []bench.Result{process(nbsvm, "defaults", 1, 2, 3), process(nbsvm, "--ngrams 1-2", 1), process(sklearn, "NBSVM", 20)}
	var out bytes.Buffer
	c := &comparison{out: &out, runs: 3}
	c.writePart("Title", "About.", results, "a note")
	for _, want := range []string{
		"| corpus | peer | options | threads | wall s | peak MiB |\n| --- | --- | --- | --- | ---: | ---: |\n",
		"| IMDB | nbsvm | defaults | 1 | 2 (1–3) | 100 |\n| IMDB | nbsvm | `--ngrams 1-2` | 1 | 1 | 100 |\n",
		"\n- a note\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the page lacks %q:\n%s", want, out.String())
		}
	}
	solved := bench.Result{Metrics: []bench.Metric{{Name: "ratio", Samples: []float64{3}}, {Name: "ratio together", Samples: []float64{0.9}}}}
	if note := solverNote([]bench.Result{solved}); !strings.Contains(note, "3.0 to 3.0 times") || !strings.Contains(note, "ahead in 0.") {
		t.Error(note)
	}
}

// TestPlot draws points, and reads the picture as XML: a label for each figure, larger figures higher and larger models
// further to the right.
func TestPlot(t *testing.T) {
	picture := drawSizes([]sizePoint{{20e3, 88, 300}, {200e3, 92, 250}, {2e6, 91, 50}})
	var svg struct {
		Texts   []string `xml:"text"`
		Circles []struct {
			X float64 `xml:"cx,attr"`
			Y float64 `xml:"cy,attr"`
		} `xml:"circle"`
	}
	must.OK(t, xml.Unmarshal([]byte(picture), &svg))
	for _, want := range []string{"88.0", "92.0", "91.0", "300", "250", "50.0", "100 kB", "1 MB"} {
		if !slices.Contains(svg.Texts, want) && !slices.Contains(svg.Texts, strings.TrimSuffix(want, ".0")) {
			t.Errorf("the picture lacks %s: %q", want, svg.Texts)
		}
	}
	c := svg.Circles
	if len(c) != 6 || c[0].X >= c[1].X || math.Abs(c[1].X-c[0].X-c[2].X+c[1].X) > 0.11 || c[0].X != c[3].X ||
		!(c[1].Y < c[2].Y && c[2].Y < c[0].Y && c[0].Y < c[3].Y && c[3].Y < c[4].Y && c[4].Y < c[5].Y) {
		t.Errorf("points are at %v", c)
	}
}
