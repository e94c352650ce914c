package tests

import (
	"bytes"
	"context"
	"io"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
)

// TestProfilesNameStages looks at the goroutines while documents are scored: the one
// that scores must carry the stage's label, as it would in a CPU profile.
func TestProfilesNameStages(t *testing.T) {
	data := tsv(shape{docs: 50, classes: 2, vocabulary: 50, words: 10, signal: 0.2, seed: 1}.records())
	c, _ := mustTrain(t, input(data, corpus.TSV), nbsvm.DefaultOptions())
	var once sync.Once
	var goroutines bytes.Buffer
	look := func(dst []byte, _ *corpus.Document, _ *nbsvm.Prediction) []byte {
		once.Do(func() {
			if err := pprof.Lookup("goroutine").WriteTo(&goroutines, 1); err != nil {
				t.Error(err)
			}
		})
		return dst
	}
	if _, err := c.Score(context.Background(), input(data, corpus.TSV), nbsvm.ScoreOptions{}, look, io.Discard); err != nil {
		t.Fatal(err)
	}
	if want := `"stage":"score"`; !strings.Contains(goroutines.String(), want) {
		t.Errorf("no goroutine has the label %s:\n%s", want, goroutines.String())
	}
}
