package nbsvm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestChoiceDoesNotSeeTestFolds: if labels are random, cross-validation finds an accuracy of one half, because the kind
// of model is chosen without the fold that is evaluated.
func TestChoiceDoesNotSeeTestFolds(t *testing.T) {
	must.SkipUnderRace(t)
	const sets, documents = 120, 60
	r := rand.New(rand.NewPCG(5, 6))
	sum, squares := 0.0, 0.0
	for range sets {
		var in strings.Builder
		for doc := range documents {
			fmt.Fprintf(&in, "%d", doc%2)
			for k := range 8 {
				fmt.Fprintf(&in, " %d:%.3f", k+1, math.Abs(r.NormFloat64())*float64(1+k*k))
			}
			in.WriteByte('\n')
		}
		o := DefaultOptions()
		o.Threads = 1
		cv, err := CrossValidate(t.Context(), corpus.Input{Format: corpus.SVMLight, Stdin: strings.NewReader(in.String())}, o, 5)
		must.OK(t, err)
		mean := 0.0
		for _, trial := range cv.Folds {
			mean += trial.Accuracy / 5
		}
		sum += mean
		squares += mean * mean
	}
	mean := sum / sets
	se := math.Sqrt((squares/sets - mean*mean) / sets)
	if mean > 0.5+2.5*se {
		t.Errorf("random labels are predicted with an accuracy of %.3f ± %.3f", mean, se)
	}
}
