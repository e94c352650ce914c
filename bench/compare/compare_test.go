package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/bench"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

func TestOptions(t *testing.T) {
	o, err := parseOptions([]string{"--data", "d", "--out", "o", "--parts", "solve,score", "--quick", "--runs", "9"}, io.Discard)
	if err != nil || o.Runs != 1 || !slices.Equal(o.Parts, []string{"solve", "score"}) {
		t.Errorf("%+v, %v", o, err)
	}
	for _, args := range [][]string{
		{"--out", "o"},
		{"--data", "d"},
		{"--publish", "."},
		{"--data", "d", "--out", "o", "--parts", "train,"},
		{"--data", "d", "--out", "o", "--runs", "0"},
		{"--data", "d", "--out", "o", "more"},
	} {
		if _, err := parseOptions(args, io.Discard); err == nil {
			t.Errorf("%v was accepted", args)
		}
	}
}

// without is a comparison on a machine that has none of the other programs.
func without(t *testing.T) *comparison {
	c := &comparison{options: options{Nbsvm: "nbsvm", Python: "python3"}, folder: t.TempDir(), log: io.Discard, missing: map[string]string{}}
	c.machine.Cores = 2
	for _, name := range []string{sklearnPeer, fastTextPeer, vwPeer, liblinearPeer, liblinearTools} {
		c.missing[name] = "it is not here"
	}
	return c
}

func TestMissingPeersAreSkipped(t *testing.T) {
	c := without(t)
	s := &split{set: imdb, temp: c.folder, classes: []string{"neg", "pos"}}
	if timed, all := c.timed(s), c.contenders(s); len(timed) != 4 || len(all) != 1 {
		t.Errorf("%d programs are timed, %d compared", len(timed), len(all))
	}
	report, err := c.compareSolvers(t.Context())
	if err != nil || len(report.Results) != 0 || !strings.Contains(report.Notes[0], "IMDB, which is not in") {
		t.Errorf("%+v, %v", report, err)
	}
	c.missing = nil
	if timed, all := c.timed(s), c.contenders(s); len(timed) != 8 || len(all) != 6 || len(all[4].programs) != 3 {
		t.Errorf("with all of them, %d programs are timed, %d compared", len(timed), len(all))
	}
	many := &split{set: bible, temp: c.folder, classes: []string{"deu", "eng"}}
	if timed := c.timed(many); len(timed) != 2 || timed[0].options != "--preset language" {
		t.Errorf("of many classes, %d programs are timed: %+v", len(timed), timed)
	}
}

func TestLargestEps(t *testing.T) {
	gaps := map[float64]float64{10: 0.5, 1: 0.09, 0.1: 0.2, 0.01: 0.009}
	asked := 0
	reached := func(eps float64) (float64, error) {
		asked++
		return gaps[eps], nil
	}
	grid := []float64{10, 1, 0.1, 0.01}
	found, err := largestEps(grid, []float64{0.1, 0.01, 0.001}, reached)
	if err != nil || !slices.Equal(found, []float64{1, 0.01, 0}) || asked != 4 {
		t.Errorf("found %v after %d questions, %v", found, asked, err)
	}
	asked = 0
	if found, _ = largestEps(grid, []float64{0.1}, reached); !slices.Equal(found, []float64{1}) || asked != 2 {
		t.Errorf("found %v after %d questions, want no more than needed", found, asked)
	}
	broken := errors.New("broken")
	if _, err := largestEps(grid, []float64{0.1}, func(float64) (float64, error) { return 0, broken }); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	full := epsGrid(4)
	if len(full) != 33 || full[0] != 1000 || full[12] != 1 || !slices.IsSortedFunc(full, func(a, b float64) int {
		if a > b {
			return -1
		}
		return 1
	}) {
		t.Errorf("grid %v", full)
	}
}

// TestTokenize checks tokens that nbsvm defines; see package hashing.
func TestTokenize(t *testing.T) {
	for text, want := range map[string]string{
		"It's Ünder<br />OK.":    "it's ünder br ok .",
		"don’t (don’ ' a'b'":     "don't ( don a'b",
		"今天很好，1号!":               "今 天 很 好 ， 1 号 !",
		"e\u0301t\u0301 \u0301x": "e\u0301t\u0301 x",
		"ก่อน1":                  "ก่ อ น 1",
		" a:b|c \t ":             "a : b c",
		"":                       "",
	} {
		if got := tokenize(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestRightShare(t *testing.T) {
	c := without(t)
	s := &split{temp: c.folder, classes: []string{"big cat", "dog"}}
	labels := []string{"dog", "big cat", "dog", "big cat"}
	plain, fast, vw := program{}, c.fastText(s, 1), c.vowpalWabbit(s)
	for predictions, p := range map[string]*program{
		"dog\t1.5\nbig cat\t-1\nbig cat\t-2\nbig cat\t-3\n":                 &plain,
		"__label__dog\n__label__big-cat\n__label__fish\n__label__big-cat\n": &fast,
		"2\n1\n1.000000\n1\n": &vw,
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

// TestVowpalWabbit puts a program in the place of Vowpal Wabbit that takes its options as its documentation has them:
// it learns the first document's class, and predicts that of every document.
func TestVowpalWabbit(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell")
	}
	bin := t.TempDir()
	script := "#!/bin/sh\nwhile [ $# -gt 0 ]; do case $1 in\n-d) data=$2; shift;; -f) made=$2; shift;; -i) model=$2; shift;; -p) out=$2; shift;;\nesac; shift; done\n" +
		"if [ -n \"$made\" ]; then head -n 1 \"$data\" | cut -d ' ' -f 1 >\"$made\"; exit; fi\n" +
		"sed \"s/.*/$(cat \"$model\")/\" \"$data\" >\"$out\"\n"
	must.OK(t, os.WriteFile(filepath.Join(bin, "vw"), []byte(script), 0o755))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	c := without(t)
	delete(c.missing, vwPeer)
	c.Data = inFolder(t, map[string]string{"imdb/train.tsv": "only one\tdocument\n", "imdb/test.tsv": "only one\ta: b|\nother\tc\n"})
	err := c.splits(imdb, func(s *split) error {
		all := c.contenders(s)
		rights, err := c.accuracies(t.Context(), s, all[1:])
		if err == nil && !slices.Equal(rights[0], []float64{0.5, 0.5, 0.5}) {
			t.Errorf("shares of right predictions are %v, want halves", rights[0])
		}
		return err
	})
	must.OK(t, err)
}

// inFolder makes a folder of sets with some files.
func inFolder(t *testing.T, files map[string]string) string {
	t.Helper()
	data := t.TempDir()
	for name, content := range files {
		path := filepath.Join(data, name)
		must.OK(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)))
	}
	return data
}

// TestForms checks that all forms of a text hold the same documents in the same
// order, and that they are all there.
func TestForms(t *testing.T) {
	var lines []string
	for i := range 100 {
		lines = append(lines, []string{"neg", "pos"}[i/50]+"\tDocument "+strings.Repeat("x", i))
	}
	all := strings.Join(lines, "\n") + "\n"
	c := without(t)
	c.Data = inFolder(t, map[string]string{"imdb/train.tsv": all, "imdb/test.tsv": all})
	read := func(path string) []string {
		content, err := os.ReadFile(path)
		must.OK(t, err)
		if size, err := fileSize(path); err != nil || int64(len(content)) != size {
			t.Errorf("%s has %d bytes, not %d, %v", path, len(content), size, err)
		}
		return strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
	}
	err := c.splits(imdb, func(s *split) error {
		tsv, plain := read(s.train.tsv), read(s.train.lines)
		tokens, vw := read(s.train.tokens), read(s.train.vw)
		for i, line := range tsv {
			label, body, _ := strings.Cut(line, "\t")
			words := strings.TrimSpace(strings.ToLower(body))
			class := map[string]string{"neg": "1", "pos": "2"}[label]
			if s.train.labels[i] != label || plain[i] != body || tokens[i] != "__label__"+label+" "+words || vw[i] != class+" | "+words {
				t.Fatalf("document %d: %q, %q, %q, %q, %q", i, line, s.train.labels[i], plain[i], tokens[i], vw[i])
			}
		}
		if slices.Equal(tsv, lines) {
			t.Error("the corpus was not shuffled")
		}
		slices.Sort(tsv)
		if !slices.Equal(tsv, slices.Sorted(slices.Values(lines))) {
			t.Error("documents were lost or changed")
		}
		large := s.path("large")
		if err := repeat(large, 3, s.train.lines, s.test.lines); err != nil {
			return err
		}
		once, err := fileSize(s.train.lines, s.test.lines)
		if size, _ := fileSize(large); err != nil || size != 3*once {
			t.Errorf("%d bytes, want three times %d, %v", size, once, err)
		}
		if got := read(large); len(got) != 600 || !slices.Equal(got[500:], got[100:200]) {
			t.Errorf("%d lines", len(got))
		}
		return nil
	})
	must.OK(t, err)
}

// TestFolds checks that each document is tested once and trained on in all other folds, and that classes keep their
// proportions.
func TestFolds(t *testing.T) {
	var all strings.Builder
	for i := range 200 {
		fmt.Fprintf(&all, "%s\tdocument %d\n", []string{"rare", "common", "common", "common"}[i%4], i)
	}
	c := without(t)
	c.Data = inFolder(t, map[string]string{"some/all.tsv": all.String()})
	tested := map[string]int{}
	n := 0
	err := c.splits(set{name: "some", folder: "some"}, func(s *split) error {
		n++
		rare := 0
		for _, label := range s.test.labels {
			if label == "rare" {
				rare++
			}
		}
		if len(s.train.labels) != 180 || rare != 5 {
			t.Errorf("fold %d: %d documents trained on, %d rare ones tested", n, len(s.train.labels), rare)
		}
		text, err := os.ReadFile(s.test.tsv)
		for line := range strings.Lines(string(text)) {
			tested[line]++
		}
		return err
	})
	if err != nil || n != folds || len(tested) != 200 {
		t.Errorf("%d folds test %d documents, %v", n, len(tested), err)
	}
}

// TestReadyMadeFeatures checks that features keep SVMlight's form.
func TestReadyMadeFeatures(t *testing.T) {
	c := without(t)
	c.Data = inFolder(t, map[string]string{"libsvm/a9a": "+1 1:1 3:0.5\n-1 2:1\n", "libsvm/a9a.t": "-1 1:1\n"})
	s := accuracySets[slices.IndexFunc(accuracySets, func(s set) bool { return s.ready })]
	err := c.splits(s, func(s *split) error {
		text, err := os.ReadFile(s.train.tsv)
		if got := string(text); got != "1 1:1 3:0.5\n-1 2:1\n" && got != "-1 2:1\n1 1:1 3:0.5\n" {
			t.Errorf("%q", got)
		}
		return err
	})
	must.OK(t, err)
	if err := c.splits(imdb, nil); err == nil || !strings.Contains(err.Error(), "imdb") {
		t.Errorf("error %v", err)
	}
}

func TestProcess(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell")
	}
	var out bytes.Buffer
	took, err := runProcess(t.Context(), &out, []string{"sh", "-c", "echo hello"})
	if err != nil || out.String() != "hello\n" || took.Wall <= 0 || took.Peak <= 0 {
		t.Errorf("%+v, %q, %v", took, out.String(), err)
	}
	_, err = runProcess(t.Context(), nil, []string{"sh", "-c", "i=0; while [ $i -lt 400 ]; do echo line $i >&2; i=$((i+1)); done; exit 3"})
	if err == nil || !strings.Contains(err.Error(), "line 399") || strings.Contains(err.Error(), "line 1\n") || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := runProcess(ctx, nil, []string{"sh", "-c", "sleep 10"}); err == nil {
		t.Error("ran after cancellation")
	}
}

// solved is a case of the solver comparison.
func solved(p problem, peer string, primal, dual, seconds float64) bench.Result {
	metrics := []bench.Metric{{Name: "s", Samples: []float64{seconds}}, {Name: "primal", Samples: []float64{primal}}, {Name: "dual", Samples: []float64{dual}}}
	if peer == nbsvmPeer {
		metrics = append(metrics, bench.Metric{Name: "together s", Samples: []float64{seconds + 1}})
	}
	return bench.Result{Case: p.solvedBy(peer, nil).Labels, Metrics: metrics}
}

func TestAgreement(t *testing.T) {
	p := problem{"1-2", "hinge", 1, 0.1}
	note, err := agreement([]bench.Result{solved(p, nbsvmPeer, 10.5, 9.9, 1), solved(p, liblinearPeer, 10.1, 9.8, 1), solved(p, nbsvmPeer, 8, 7, 1)})
	if err != nil || !strings.Contains(note, "at most 0.04 of") {
		t.Errorf("%q, %v", note, err)
	}
	if _, err := agreement([]bench.Result{solved(p, nbsvmPeer, 10.5, 10.4, 1), solved(p, liblinearPeer, 10.1, 10, 1)}); err == nil || !strings.Contains(err.Error(), "hinge") {
		t.Errorf("objectives that can't both be right gave %v", err)
	}
	if _, err := agreement([]bench.Result{solved(p, nbsvmPeer, 10, 11, 1), solved(p, liblinearPeer, 10, 11, 1)}); err == nil {
		t.Error("a dual objective above the primal was accepted")
	}
}

// ownReport is what nbsvm bench solve --json prints, as far as it is used here.
const ownReport = `{"workload": "solve", "results": [
	{"case": [{"name": "stage", "value": "layout"}], "metrics": [
		{"name": "s", "samples": [0.5]}, {"name": "rows", "samples": [4]}, {"name": "columns", "samples": [9]}, {"name": "non-zeros", "samples": [20]}]},
	{"case": [{"name": "stage", "value": "solve"}, {"name": "loss", "value": "hinge"}, {"name": "C", "value": "0.01"}, {"name": "tol", "value": "0.001"}], "metrics": [
		{"name": "s", "samples": [0.25]}, {"name": "wall s", "samples": [0.375]}, {"name": "epochs", "samples": [7]}, {"name": "gap", "samples": [0.0009]}, {"name": "primal", "samples": [10]}, {"name": "dual", "samples": [9.991]}]}]}`

func TestOwnValues(t *testing.T) {
	report, err := bench.ReadReport(strings.NewReader(ownReport))
	must.OK(t, err)
	values, err := ownValues(report, matrixSize{4, 9, 20})
	must.OK(t, err)
	got := map[string]float64{}
	for _, v := range values {
		got[v.Name] = v.Value
	}
	if got["layout s"] != 0.5 || got["s"] != 0.25 || got["together s"] != 0.875 || got["epochs"] != 7 || got["primal"] != 10 || got["dual"] != 9.991 {
		t.Errorf("%v", got)
	}
	if _, err := ownValues(report, matrixSize{4, 9, 21}); err == nil {
		t.Error("figures of another matrix were taken")
	}
}

func TestDriverAnswer(t *testing.T) {
	var s solution
	if err := json.Unmarshal([]byte(`{"s":0.591730,"passes":10,"primal":51,"dual":50.49}`), &s); err != nil || s.Passes != 10 || s.Seconds != 0.59173 {
		t.Errorf("%+v, %v", s, err)
	}
	if gap := s.gap(); gap < 0.00999 || gap > 0.01001 {
		t.Errorf("gap %v", gap)
	}
}

// TestDriver solves two documents of which the optimum is known: with x = ±1 and C 1
// it is the least w²/2 + 2(1-w)² = 0.4 and w²/2 + 2(1-w) = 0.5, for 0 ≤ w ≤ 1.
func TestDriver(t *testing.T) {
	c := &comparison{folder: t.TempDir()}
	if _, err := liblinearVersion(t.Context()); err != nil {
		t.Skip("needs gcc and liblinear-dev")
	}
	driver, err := c.buildDriver(t.Context())
	must.OK(t, err)
	matrix := c.temporary("m.svm")
	must.OK(t, os.WriteFile(matrix, []byte("-1 3:-1\n1 3:1\n"), 0o644))
	s, err := openDriver(t.Context(), driver, matrix)
	must.OK(t, err)
	if s.Matrix != (matrixSize{2, 3, 2}) {
		t.Errorf("matrix %+v", s.Matrix)
	}
	for loss, want := range map[string]float64{"squared-hinge": 0.4, "hinge": 0.5} {
		got, err := s.Solve(loss, 1, 1e-9)
		if err != nil || got.Primal < want-1e-5 || got.Primal > want+1e-5 || got.gap() > 1e-5 || got.gap() < -1e-5 {
			t.Errorf("%s: %+v, want %v; %v", loss, got, want, err)
		}
	}
	if got, err := s.Solve("logistic", 0.1, 1e-9); err != nil || got.gap() > 1e-5 || got.gap() < -1e-5 {
		t.Errorf("logistic: %+v, gap %v; %v", got, got.gap(), err)
	}
	if _, err := s.Solve("hinge", -1, 1); err == nil || !strings.Contains(err.Error(), "C <= 0") {
		t.Errorf("error %v", err)
	}
	if s.Close() == nil {
		t.Error("the driver's failure is not told")
	}
}
