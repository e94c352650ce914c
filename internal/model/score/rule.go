package score

import (
	"fmt"

	"github.com/seed-167f963f/nbsvm/internal/model"
)

// rule is how a model that is not linear decides. Goroutines share it.
type rule interface {
	// scorer is for one goroutine.
	scorer() ruleScorer
	// strongest lists for every class the n features that matter most for it, the most important first, ties by id,
	// among the ids that include accepts.
	strongest(n int, include func(id uint32) bool) [][]Feature
}

// ruleScorer decides on one document after the other.
type ruleScorer interface {
	// margins sets the margin of every output, to which the model's bias is added, for a document of distinct rows of
	// the model with these values, in any order.
	margins(dst []float64, rows []uint32, values []float64)
	// contributions sets dst[k] to what the k-th row of a document adds to the margin of an output, and returns what
	// the margin is beside their sum.
	contributions(dst []float64, output int, rows []uint32, values []float64) (bias float64)
}

// absentees is a rule's scorer for which features matter that a document lacks.
type absentees interface {
	// absent visits them, with what they add to the margin whose contributions were asked for last.
	absent(visit func(row uint32, added float64))
}

// rules read the rules of models, by the section that has them. Their errors are about damaged data.
var rules = map[string]func(m *model.Model) (rule, error){
	model.Trees:      newTrees,
	model.Neighbours: newNeighbours,
}

// newRule reads the rule of a model; nil of a linear one.
func newRule(m *model.Model) (rule, error) {
	if m.Rule == nil {
		return nil, nil
	}
	read := rules[m.Rule.Section]
	if read == nil {
		return nil, fmt.Errorf("nbsvm: the model decides by section %s, which this version does not know: %w", m.Rule.Section, model.ErrNewerVersion)
	}
	r, err := read(m)
	if err != nil {
		return nil, fmt.Errorf("nbsvm: section %s: %w: %w", m.Rule.Section, model.ErrCorrupt, err)
	}
	return r, nil
}

// refuseRule is the error of what needs weights.
func (c *Classifier) refuseRule(what string) error {
	if c.m.Rule == nil {
		return nil
	}
	return fmt.Errorf("nbsvm: a model %s has no weights and can't be %s; that is for linear models, such as svm", c.made().Options.Kind, what)
}
