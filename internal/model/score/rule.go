package score

import (
	"fmt"

	"github.com/seed-167f963f/nbsvm/explain"
	"github.com/seed-167f963f/nbsvm/internal/model"
)

// rule turns the rows of a document's features into margins. Goroutines share it. There is a type for each way to
// decide: [linear], [trees] and [nearest].
type rule interface {
	scorer(t *table) ruleScorer
	// strongest lists for every class the n features that matter most for it, the most important first, ties by key,
	// among the rows that include accepts.
	strongest(n int, include func(row int) bool) [][]explain.Feature
}

// ruleScorer decides on one document after the other, on one goroutine.
type ruleScorer interface {
	// margins are those of every output, without the model's bias, for the document that the batch has taken. They are
	// valid until the next call.
	margins(b *batch) []float64
	// explain takes the margin of an output apart for the document whose margins were asked for last, which was looked
	// up with its rows. It sets what is beside the parts: the bias, again without the model's, and neighbours.
	explain(e *explain.Text, output int, b *batch) []part
}

// part is what a feature adds to a margin.
type part struct {
	row    uint32 // of the model
	absent bool   // the document lacks the feature
	value  float64
	weight float64
	margin float64
}

// newRule reads the rule of a model. Its errors are about damaged data.
func newRule(m *model.Model) (r rule, err error) {
	switch {
	case m.Rule == nil:
		return &linear{m}, nil
	case m.Rule.Section == model.Neighbours:
		return newNearest(m), nil
	}
	if r, err = newTrees(m); err != nil {
		return nil, fmt.Errorf("nbsvm: section %s: %w: %w", m.Rule.Section, model.ErrCorrupt, err)
	}
	return r, nil
}
