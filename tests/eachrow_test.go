package tests

import (
	"bytes"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
)

// writes remembers what was written in one go.
type writes [][]byte

func (w *writes) Write(p []byte) (int, error) {
	*w = append(*w, bytes.Clone(p))
	return len(p), nil
}

// TestEachRow writes rows one by one, in order, the same as otherwise.
func TestEachRow(t *testing.T) {
	c, _ := mustTrain(t, small.input(), options())
	text := strings.Repeat("good\nbad\n\nfine film\n", 500)
	render := func(dst []byte, d *corpus.Document, _ *nbsvm.Prediction) []byte {
		return append(append(dst, d.Record...), '\n')
	}
	for _, threads := range []int{1, 3} {
		var together, one writes
		for _, run := range []struct {
			to   *writes
			each bool
		}{{&together, false}, {&one, true}} {
			in := corpus.Input{Stdin: strings.NewReader(text), Format: corpus.Lines, Unlabelled: true}
			if _, err := c.Score(t.Context(), in, nbsvm.ScoreOptions{Threads: threads, EachRow: run.each}, render, run.to); err != nil {
				t.Fatal(err)
			}
		}
		if got := string(bytes.Join(one, nil)); got != text || string(bytes.Join(together, nil)) != text {
			t.Errorf("%d threads: the rows are not the input", threads)
		}
		if len(one) != 2000 || len(together) > 10 {
			t.Errorf("%d threads: %d writes row by row, %d together", threads, len(one), len(together))
		}
	}
}
