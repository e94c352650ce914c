package bench

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
)

// small is a corpus that takes no time.
func small() Source {
	c := DefaultCorpus()
	c.Documents, c.Words, c.Vocabulary = 120, 20, 500
	return Source{Generated: c}
}

// wantReport checks that every case has its runs of samples, all of them above 0.
func wantReport(t *testing.T, r *Report, err error, runs, cases int) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Results) != cases {
		t.Errorf("%s: %d cases, want %d", r.Workload, len(r.Results), cases)
	}
	for _, result := range r.Results {
		for _, m := range result.Metrics {
			if len(m.Samples) != runs {
				t.Errorf("%s, %s: %d samples of %s, want %d", r.Workload, result.key(), len(m.Samples), m.Name, runs)
			}
			for _, x := range m.Samples {
				if !(x >= 0) || m.Better != Neither && x == 0 && !strings.HasSuffix(m.Name, " s") {
					t.Errorf("%s, %s: %s is %v", r.Workload, result.key(), m.Name, x)
				}
			}
		}
	}
	var table strings.Builder
	if err := r.WriteText(&table); err != nil {
		t.Fatal(err)
	}
}

func TestSolve(t *testing.T) {
	c := DefaultSolveConfig()
	c.Source, c.Runs, c.Cs = small(), 2, []float64{0.1, 1}
	r, err := c.Run(t.Context(), nil)
	wantReport(t, r, err, 2, 1+3*2*3)
	for _, result := range r.Results[1:] {
		gap, tol := result.metric("gap").Samples[0], result.Label("tol")
		if want := map[string]float64{"0.1": 0.1, "0.01": 0.01, "0.001": 0.001}[tol]; gap > want {
			t.Errorf("%s: gap %v", result.key(), gap)
		}
	}
	c.Options.Kind = nbsvm.Multinomial
	if _, err := c.Run(t.Context(), nil); err == nil {
		t.Error("naive Bayes was solved")
	}
}

func TestText(t *testing.T) {
	c := DefaultTextConfig()
	c.Source, c.Runs, c.Threads = small(), 2, []int{1, 3}
	r, err := c.Run(t.Context(), nil)
	wantReport(t, r, err, 2, 1+3*2*3)
}

func TestScore(t *testing.T) {
	c := DefaultScoreConfig()
	c.Source, c.Runs, c.Threads = small(), 2, []int{1, 2}
	r, err := c.Run(t.Context(), nil)
	wantReport(t, r, err, 2, 2)

	in, remove, err := small().open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer remove()
	classifier, _, err := nbsvm.Train(t.Context(), in, c.Options)
	if err != nil {
		t.Fatal(err)
	}
	c.Model = filepath.Join(t.TempDir(), "m.nbm")
	if err := classifier.Save(c.Model); err != nil {
		t.Fatal(err)
	}
	r, err = c.Run(t.Context(), nil)
	wantReport(t, r, err, 2, 2)
}

func TestTrain(t *testing.T) {
	c := DefaultTrainConfig()
	c.Source, c.Runs, c.Threads = small(), 2, []int{1, 2}
	r, err := c.Run(t.Context(), nil)
	wantReport(t, r, err, 2, 2)
	if r.Results[0].metric("solve s") == nil {
		t.Errorf("no seconds of the stage solve: %+v", r.Results[0])
	}
}

func TestPack(t *testing.T) {
	c := DefaultPackConfig()
	c.Source, c.Runs, c.Documents = small(), 2, []int{50, 120}
	c.Source.Temp = t.TempDir()
	r, err := c.Run(t.Context(), nil)
	wantReport(t, r, err, 2, 2)
	for _, name := range []string{"pack µs", "layout µs", "epoch µs", "score µs"} {
		if r.Results[1].metric(name) == nil {
			t.Errorf("no %s: %+v", name, r.Results[1])
		}
	}
	in, remove, err := small().open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer remove()
	c.Source.Input = in
	r, err = c.Run(t.Context(), nil)
	wantReport(t, r, err, 2, 1)
	if left, err := os.ReadDir(c.Source.Temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestPeakMemory(t *testing.T) {
	resetPeakMemory()
	before, ok := peakMemory()
	if !ok {
		t.Skip("the system doesn't tell the peak of memory")
	}
	held := make([]byte, 64<<20)
	for i := 0; i < len(held); i += 4096 {
		held[i] = 1
	}
	after, _ := peakMemory()
	if after-before < 32<<20 {
		t.Errorf("peak memory grew by %d bytes with %d bytes more, held by byte %d", after-before, len(held), held[0])
	}
}

func TestWorkloadRefusals(t *testing.T) {
	solve, text, score, train := DefaultSolveConfig(), DefaultTextConfig(), DefaultScoreConfig(), DefaultTrainConfig()
	solve.Runs, text.Threads, score.Threads, train.Runs = 0, []int{0}, nil, 0
	badOrders := DefaultTextConfig()
	badOrders.Orders = [][2]int{{3, 2}}
	badLoss := DefaultSolveConfig()
	badLoss.Losses = []string{"cubic"}
	pack, none := DefaultPackConfig(), DefaultPackConfig()
	pack.Documents[1], none.Documents = 0, nil
	for _, c := range []interface{ validate() error }{solve, text, score, train, pack, none, badOrders, badLoss} {
		if c.validate() == nil {
			t.Errorf("%+v was accepted", c)
		}
	}
	missing := Source{Input: nbsvm.Input{Paths: []string{"no such file"}}}
	text = DefaultTextConfig()
	text.Source = missing
	if _, err := text.Run(t.Context(), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v of a missing file", err)
	}
}
