package score

import (
	"slices"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/model"
)

// TestLabelsAtThreshold: a margin has to be above the threshold of a label, not at it.
func TestLabelsAtThreshold(t *testing.T) {
	for _, c := range []struct {
		task    string
		margins []float64
		want    []int
	}{
		{"binary", []float64{0.5}, []int{0}},
		{"binary", []float64{0.75}, []int{1}},
		{"multilabel", []float64{0.5, 0.75, -1}, []int{1}},
	} {
		m := &model.Model{Meta: model.Meta{Task: c.task, Link: "margin"}, Outputs: len(c.margins), Threshold: []float64{0.5, 0.5, -1}}
		l := link{m: m}
		if got := l.labels(nil, c.margins, c.margins); !slices.Equal(got, c.want) {
			t.Errorf("%s, margins %v: labels %v, want %v", c.task, c.margins, got, c.want)
		}
	}
}
