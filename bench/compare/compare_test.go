package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/bench"
)

func TestOptions(t *testing.T) {
	o, err := parseOptions([]string{"--data", "d", "--out", "o", "--parts", "solve,score", "--quick", "--runs", "9"}, io.Discard)
	if err != nil || o.Runs != 1 || !slices.Equal(o.Parts, []string{"solve", "score"}) {
		t.Errorf("%+v, %v", o, err)
	}
	for _, args := range [][]string{
		{"--out", "o"},
		{"--data", "d"},
		{"--data", "d", "--out", "o", "--parts", "train,"},
		{"--data", "d", "--out", "o", "--runs", "0"},
		{"--data", "d", "--out", "o", "more"},
	} {
		if _, err := parseOptions(args, io.Discard); err == nil {
			t.Errorf("%v was accepted", args)
		}
	}
}

func TestInstalled(t *testing.T) {
	got := installedOf("installed liblinear-dev 2.3.0+dfsg-5\nnot-installed fasttext \nconfig-files gcc 2.3\ninstalled python3-sklearn 1:2\n\n")
	if want := []version{{"liblinear-dev", "2.3.0+dfsg-5"}, {"python3-sklearn", "1:2"}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestMissingPeersAreSkipped(t *testing.T) {
	c := &comparison{folder: t.TempDir()}
	list, notes, err := c.programs()
	if err != nil || len(list) != 4 || len(notes) != 2 || !strings.Contains(notes[1], "fasttext is not installed") {
		t.Errorf("%d programs, notes %q, %v", len(list), notes, err)
	}
	report, err := c.compareSolvers(t.Context())
	if err != nil || len(report.Results) != 0 || !strings.Contains(report.Notes[0], "liblinear-dev is not installed") {
		t.Errorf("%+v, %v", report, err)
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

func TestTokenize(t *testing.T) {
	if got, want := string(tokenize([]byte("It's Ünder<br />OK."))), "it ' s Ünder<br  / >ok . "; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestAccuracy(t *testing.T) {
	labels := []string{"pos", "neg", "pos", "neg"}
	for _, predictions := range []string{"pos\t1.5\nneg\t-1\nneg\t-2\nneg\t-3\n", "__label__pos\n__label__neg\n__label__neg\n__label__neg\n"} {
		if got, err := accuracy(predictions, labels); err != nil || got != 0.75 {
			t.Errorf("accuracy %v, %v", got, err)
		}
	}
	for _, wrong := range []string{"", "pos\nneg\nneg\n", "pos\nneg\nneg\nneg\nneg\n"} {
		if _, err := accuracy(wrong, labels); err == nil {
			t.Errorf("%q was accepted for 4 documents", wrong)
		}
	}
}

// TestForms checks that all forms of a text hold the same documents in the same
// order, and that they are all there.
func TestForms(t *testing.T) {
	data := t.TempDir()
	if err := os.Mkdir(filepath.Join(data, "imdb"), 0o755); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for i := range 100 {
		lines = append(lines, []string{"neg", "pos"}[i/50]+"\tDocument "+strings.Repeat("x", i))
	}
	for _, part := range []string{"train", "test"} {
		if err := os.WriteFile(filepath.Join(data, "imdb", part+".tsv"), []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c := &comparison{options: options{Data: data}, folder: t.TempDir(), log: io.Discard}
	if err := c.prepareTexts(); err != nil {
		t.Fatal(err)
	}
	read := func(path string, size int64) []string {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if size >= 0 && int64(len(content)) != size {
			t.Errorf("%s has %d bytes, not %d", path, len(content), size)
		}
		return strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
	}
	tsv, plain, tokens := read(c.train.tsv, -1), read(c.train.lines, c.train.lineSize), read(c.train.tokens, c.train.tokenSize)
	for i, line := range tsv {
		label, body, _ := strings.Cut(line, "\t")
		if c.train.labels[i] != label || plain[i] != body || tokens[i] != "__label__"+label+" "+strings.ToLower(body) {
			t.Fatalf("document %d: %q, %q, %q, %q", i, line, c.train.labels[i], plain[i], tokens[i])
		}
	}
	if slices.Equal(tsv, lines) {
		t.Error("the corpus was not shuffled")
	}
	slices.Sort(tsv)
	slices.Sort(lines)
	if !slices.Equal(tsv, lines) {
		t.Error("documents were lost or changed")
	}
	large := c.temporary("large")
	size, err := repeat(large, 3, c.train.lines, c.test.lines)
	if err != nil || size != 3*(c.train.lineSize+c.test.lineSize) {
		t.Errorf("%d bytes, %v", size, err)
	}
	if got := read(large, size); len(got) != 600 || !slices.Equal(got[500:], got[100:200]) {
		t.Errorf("%d lines", len(got))
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
	if err != nil {
		t.Fatal(err)
	}
	values, err := ownValues(report, matrixSize{4, 9, 20})
	if err != nil {
		t.Fatal(err)
	}
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
	if _, err := exec.LookPath("gcc"); err != nil || len(installed(t.Context(), liblinearPackage)) == 0 {
		t.Skip("needs gcc and " + liblinearPackage)
	}
	driver, err := c.buildDriver(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	matrix := c.temporary("m.svm")
	if err := os.WriteFile(matrix, []byte("-1 3:-1\n1 3:1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := openDriver(t.Context(), driver, matrix)
	if err != nil {
		t.Fatal(err)
	}
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
