package fasttext

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestBestTies: among equal scores, the order is what std::push_heap and std::pop_heap of libstdc++ make of it, which
// a program in C++ has printed.
func TestBestTies(t *testing.T) {
	scores := []float64{1, 0, 1, 0.5, 0.5, 1, 0, 0.5, 1, 0}
	m := &Model{}
	for i := range scores {
		m.order, m.number = append(m.order, i), append(m.number, i)
	}
	for _, test := range []struct {
		n     int
		least float64
		want  string
	}{
		{1, -1, "8"},
		{2, -1, "8 5"},
		{3, -1, "8 0 5"},
		{4, -1, "0 5 8 2"},
		{5, -1, "0 5 8 2 4"},
		{6, -1, "0 8 5 2 4 3"},
		{7, -1, "0 8 5 2 7 4 3"},
		{8, -1, "8 0 5 2 3 7 4 9"},
		{9, -1, "0 8 5 2 7 3 4 9 6"},
		{10, -1, "0 8 5 2 7 3 4 9 6 1"},
		{20, -1, "0 8 5 2 7 3 4 9 6 1"},
		{1, 0.5, "8"},
		{2, 0.5, "8 5"},
		{3, 0.5, "8 2 5"},
		{4, 0.5, "2 5 8 0"},
		{5, 0.5, "2 5 8 0 4"},
		{6, 0.5, "2 5 8 0 4 7"},
		{7, 0.5, "2 5 8 0 4 7 3"},
		{8, 0.5, "2 5 8 0 4 7 3"},
		{9, 0.5, "2 5 8 0 4 7 3"},
		{10, 0.5, "2 5 8 0 4 7 3"},
		{20, 0.5, "2 5 8 0 4 7 3"},
	} {
		if got := strings.Trim(fmt.Sprint(m.Best(scores, test.n, test.least)), "[]"); got != test.want {
			t.Errorf("%d best from %v: %s, want %s", test.n, test.least, got, test.want)
		}
	}
}

// TestOrderOfFastText compares the labels of texts, in their order, with those that fastText lists: most have the same
// probability as others.
func TestOrderOfFastText(t *testing.T) {
	needFastText(t)
	for _, options := range []string{"-loss ova -lr 1", "-loss ns -lr 1", "-loss ova -lr 1 -minn 2 -maxn 3 -bucket 1000", "-loss softmax -lr 1", "-loss hs -lr 1"} {
		t.Run(strings.ReplaceAll(options, " ", ""), func(t *testing.T) {
			folder := t.TempDir()
			texts, model := filepath.Join(folder, "train"), filepath.Join(folder, "model")
			must.OK(t, os.WriteFile(texts, trainingTexts(40, 600), 0o600))
			runFastText(t, append(strings.Fields("supervised -thread 1 -seed 3 -dim 8 -epoch 20 -input "+texts+" -output "+model), strings.Fields(options)...)...)
			data, err := os.ReadFile(model + ".bin")
			must.OK(t, err)
			m, err := Read(data)
			must.OK(t, err)
			for _, k := range []int{1, 2, 3, 5, 17, 40, 50} {
				for _, threshold := range []float64{0, 0.00015, 0.3} {
					checkOrder(t, m, model+".bin", texts, k, threshold)
				}
			}
		})
	}
}

// checkOrder compares the best labels of texts with fastText's.
func checkOrder(t *testing.T, m *Model, model, texts string, k int, threshold float64) {
	t.Helper()
	want := bytes.Split(runFastText(t, "predict", model, texts, strconv.Itoa(k), strconv.FormatFloat(threshold, 'g', -1, 64)), []byte("\n"))
	lines, err := os.ReadFile(texts)
	must.OK(t, err)
	s, scores, i := m.NewScorer(), make([]float64, len(m.labels)), 0
	for line := range bytes.Lines(lines) {
		if _, err := s.Score(bytes.TrimSuffix(line, []byte("\n")), scores, false); err != nil {
			t.Fatal(err)
		}
		best := m.Best(scores, k, Least(threshold))
		var got []string
		for _, label := range best {
			got = append(got, labelPrefix+m.labels[label])
		}
		if wanted := strings.Fields(string(want[i])); !slices.Equal(got, wanted) && !near(m, scores, best, wanted, Least(threshold)) {
			t.Errorf("%d best labels from %v of line %d: %v, fastText has %v", k, threshold, i+1, got, wanted)
			return
		}
		i++
	}
}

// near tells whether fastText's labels have about the same scores, place by place, as ours, and the order, or which of
// them is the last above the threshold, differs by rounding alone. Losses ova and ns look probabilities up in a table,
// so that there is none.
func near(m *Model, scores []float64, best []int, wanted []string, least float64) bool {
	var theirs []int
	for _, label := range wanted {
		k, known := slices.BinarySearch(m.labels, strings.TrimPrefix(label, labelPrefix))
		if !known {
			return false
		}
		theirs = append(theirs, k)
	}
	close := func(a, b float64) bool { return math.Abs(a-b) <= 1e-7+1e-5*max(a, b) } // 1-p of single precision is wrong by 6e-8
	n := min(len(best), len(theirs))
	for _, k := range slices.Concat(best[n:], theirs[n:]) {
		if !close(scores[k], least) {
			return false
		}
	}
	for i, k := range theirs[:n] {
		if a, b := scores[best[i]], scores[k]; best[i] != k && (a == b || !close(a, b)) {
			return false
		}
	}
	return m.Loss != OneVsAll && m.Loss != Negative
}
