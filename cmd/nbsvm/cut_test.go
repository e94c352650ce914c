package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestCutAtWrittenScore takes thresholds from rows of scores: each keeps what the row says, also where probabilities
// are near 1.
func TestCutAtWrittenScore(t *testing.T) {
	t.Chdir(t.TempDir())
	var train, test strings.Builder
	for i := range 40 {
		fmt.Fprintf(&train, "neg\tbad dull w%d\npos\tgood fine w%d\n", i, i)
		// The more often a word stands there, the surer the model; some of the least sure are wrong.
		label := "pos"
		if i < 10 && i%2 == 0 {
			label = "neg"
		}
		fmt.Fprintf(&test, "%s\t%s\n", label, strings.Repeat("good ", 1+i))
	}
	for name, text := range map[string]string{"train.tsv": train.String(), "test.tsv": test.String()} {
		must.OK(t, os.WriteFile(name, []byte(text), 0o666))
	}
	for _, model := range []string{"mnb", "logistic --no-normalize"} {
		output(t, slices.Concat([]string{"train", "-q", "--values", "count", "train.tsv", "-o", "m.nbm", "--model"}, strings.Fields(model))...)
		column := func(text string) (scores []float64) {
			for line := range strings.Lines(text) {
				if fields := strings.Split(strings.TrimSpace(line), "\t"); len(fields) == 2 {
					score, err := strconv.ParseFloat(fields[1], 64)
					must.OK(t, err)
					scores = append(scores, score)
				}
			}
			return scores
		}
		scores := column(output(t, "score", "-q", "--label", "pos", "m.nbm", "test.tsv"))
		slices.Sort(scores)
		for k, score := range scores {
			if k > 0 && scores[k-1] == score {
				continue // of a probability that is rounded to 1
			}
			threshold := strconv.FormatFloat(score, 'g', -1, 64)
			kept := column(output(t, "score", "-q", "--label", "pos", "--threshold", threshold, "m.nbm", "test.tsv"))
			among := strings.Count(output(t, "score", "-q", "--top", "2", "--threshold", threshold, "m.nbm", "test.tsv"), "pos\t")
			if want := len(scores) - k; len(kept) != want || among != want {
				t.Errorf("%s: the threshold %v keeps %d rows, and the label in %d, want %d", model, score, len(kept), among, want)
			}
		}
	}
}
