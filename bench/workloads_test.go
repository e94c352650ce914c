package bench

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// small are a workload's defaults, on a corpus that takes no time.
func small(workload string) Config {
	c := Defaults(workload, false)
	c.Generated = defaultCorpus()
	c.Generated.Documents, c.Generated.Words, c.Generated.Vocabulary, c.Runs = 120, 20, 500, 2
	return c
}

// generated is that corpus as a file.
func generated(t *testing.T) corpus.Input {
	c := small("score").Generated
	path := filepath.Join(t.TempDir(), "generated.tsv")
	must.OK(t, os.WriteFile(path, generate(t, c, 1), 0o644))
	return corpus.Input{Paths: []string{path}}
}

// key identifies a case within a report.
func key(r *Result) string {
	var parts []string
	for _, l := range r.Case {
		parts = append(parts, l.Name+"="+l.Value)
	}
	return strings.Join(parts, " ")
}

// wantReport checks that every case has its runs of samples, all of them above 0.
func wantReport(t *testing.T, r *Report, err error, runs, cases int) {
	t.Helper()
	must.OK(t, err)
	if len(r.Results) != cases {
		t.Errorf("%s: %d cases, want %d", r.Workload, len(r.Results), cases)
	}
	for _, result := range r.Results {
		for _, m := range result.Metrics {
			if len(m.Samples) != runs {
				t.Errorf("%s, %s: %d samples of %s, want %d", r.Workload, key(&result), len(m.Samples), m.Name, runs)
			}
			for _, x := range m.Samples {
				if !(x >= 0) || x == 0 && strings.Contains(m.Name, "/s") {
					t.Errorf("%s, %s: %s is %v", r.Workload, key(&result), m.Name, x)
				}
			}
		}
	}
	var table strings.Builder
	must.OK(t, r.WriteText(&table))
}

func TestSolve(t *testing.T) {
	c := small("solve")
	c.Cs = []float64{0.1, 1}
	r, err := Run(t.Context(), "solve", c, nil)
	wantReport(t, r, err, 2, 1+3*2*3)
	for _, result := range r.Results[1:] {
		gap, tol := result.Samples("gap")[0], result.Label("tol")
		if want := map[string]float64{"0.1": 0.1, "0.01": 0.01, "0.001": 0.001}[tol]; gap > want {
			t.Errorf("%s: gap %v", key(&result), gap)
		}
	}
	c.Options.Kind = nbsvm.Multinomial
	if _, err := Run(t.Context(), "solve", c, nil); err == nil {
		t.Error("naive Bayes was solved")
	}
}

func TestText(t *testing.T) {
	c := small("text")
	c.Threads = []int{1, 3}
	r, err := Run(t.Context(), "text", c, nil)
	wantReport(t, r, err, 2, 1+3*2*3)
}

func TestScore(t *testing.T) {
	c := small("score")
	c.Threads = []int{1, 2}
	r, err := Run(t.Context(), "score", c, nil)
	wantReport(t, r, err, 2, 2)
	wantScores(t, r)

	in := generated(t)
	classifier, _, err := nbsvm.Train(t.Context(), in, c.Options)
	must.OK(t, err)
	c.Model = filepath.Join(t.TempDir(), "m.nbm")
	must.OK(t, classifier.Save(c.Model))
	r, err = Run(t.Context(), "score", c, nil)
	wantReport(t, r, err, 2, 2)
	wantScores(t, r)
	c.Input, c.Threads = in, []int{1}
	r, err = Run(t.Context(), "score", c, nil)
	wantReport(t, r, err, 2, 1)
	wantScores(t, r)
	c.Model = ""
	r, err = Run(t.Context(), "score", c, nil)
	wantReport(t, r, err, 2, 1)
}

// wantScores checks that no two cases are the same, and that all have their rates.
func wantScores(t *testing.T, r *Report) {
	t.Helper()
	cases := map[string]bool{}
	for _, result := range r.Results {
		if cases[key(&result)] {
			t.Errorf("%s is there twice", key(&result))
		}
		cases[key(&result)] = true
		for _, name := range []string{"documents/s", "file MB/s", "text MB/s"} {
			if !(result.Median(name) > 0) {
				t.Errorf("%s: %s is %v", key(&result), name, result.Median(name))
			}
		}
	}
}

// TestScoreFeatures: ready-made features are scored as texts are.
func TestScoreFeatures(t *testing.T) {
	c := small("score")
	c.Threads, c.Runs = []int{1}, 1
	c.Input = corpus.Input{Paths: []string{filepath.Join(t.TempDir(), "features.svm")}}
	must.OK(t, os.WriteFile(c.Input.Paths[0], []byte("1 1:1 2:1\n-1 2:1 3:1\n1 1:1 2:1\n-1 2:1 3:1\n"), 0o644))
	r, err := Run(t.Context(), "score", c, nil)
	wantReport(t, r, err, 1, 1)
	wantScores(t, r)
}

func TestWorkloadRefusals(t *testing.T) {
	for _, bad := range []struct {
		workload string
		change   func(c *Config)
	}{
		{"solve", func(c *Config) { c.Runs = 0 }},
		{"text", func(c *Config) { c.Threads = []int{0} }},
		{"score", func(c *Config) { c.Threads = nil }},
		{"text", func(c *Config) { c.Orders = [][2]int{{3, 2}} }},
		{"solve", func(c *Config) { c.Losses = []string{"cubic"} }},
	} {
		c := Defaults(bad.workload, false)
		bad.change(&c)
		if _, err := Run(t.Context(), bad.workload, c, nil); !errors.As(err, new(ConfigError)) {
			t.Errorf("%s: %+v was accepted: %v", bad.workload, c, err)
		}
	}
	text := Defaults("text", false)
	text.Input = corpus.Input{Paths: []string{"no such file"}}
	if _, err := Run(t.Context(), "text", text, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v of a missing file", err)
	}
}
