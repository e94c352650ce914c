package score

import (
	"fmt"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/model"
)

// treeOf returns the tree of a model whose labels are in one; nil of others, and of a model that is not valid, which no
// file can hold.
func treeOf(m *model.Model) *model.Tree {
	if m.Meta.Paths == nil {
		return nil
	}
	tree, err := m.Meta.Tree()
	if err != nil {
		return nil
	}
	return tree
}

// parentsOf returns the parents of labels of which a document has any number, with those above them; nil of others.
func parentsOf(m *model.Model) []int32 {
	if m.Meta.Closed == "" {
		return nil
	}
	_, tree, err := model.TreeOf(m.Meta.Labels, m.Meta.Closed, len(m.Meta.Labels))
	if err != nil {
		return nil
	}
	return tree.Parents
}

// WithAbove returns the labels of a document, with those above them if a document has these, too.
func (c *Classifier) WithAbove(labels [][]byte) [][]byte {
	if c.m.Meta.Closed == "" {
		return labels
	}
	var all [][]byte
	for _, label := range labels {
		for node := range model.Above(string(label), c.m.Meta.Closed) {
			if !slices.ContainsFunc(all, func(l []byte) bool { return string(l) == node }) {
				all = append(all, []byte(node))
			}
		}
	}
	return all
}

// Paths returns the tree of labels that are paths; nil where they are not.
func (c *Classifier) Paths() *model.Tree {
	if c.tree == nil || c.tree.Grown() {
		return nil
	}
	return c.tree
}

// Tree returns the tree that labels are in, as paths or because it was grown over them; nil of others.
func (c *Classifier) Tree() *model.Tree { return c.tree }

// DescribeTree tells people how labels that are in a tree are predicted, and what it is, a tree or paths; "" where they
// are in none.
func (c *Classifier) DescribeTree() (what, text string) {
	p := c.m.Meta.Paths
	switch {
	case c.parents != nil:
		return "paths", fmt.Sprintf("parts separated by %s; %s, of which a document has any number, with those above them",
			display.Label(c.m.Meta.Closed), display.Some(len(c.Labels()), "node"))
	case c.tree == nil:
		return "", ""
	case c.tree.Grown():
		return "tree", fmt.Sprintf("grown over the classes, %s deep; searched from the best %s of each depth",
			display.Some(int(slices.Max(c.tree.Depths)), "level"), display.Some(model.Beam, "node"))
	}
	return "paths", fmt.Sprintf("parts separated by %s; %s",
		display.Label(p.Separator), display.Some(len(c.Labels()), "node"))
}

// PathScores gives a function that says what margins speak for each node at which paths may end, ascending, before the
// temperature. It is for one goroutine; what it returns is valid until its next call.
func (c *Classifier) PathScores() func(margins []float64) []float64 {
	rule := c.m.Meta.PathRule(0)
	rule.Beam = 0
	return model.NewDecoder(c.tree, rule).EndScores
}

// outputsOf returns the outputs that speak for the classes of a model that has several outputs.
func outputsOf(m *model.Model) []int {
	of, tree := make([]int, len(m.Meta.Labels)), treeOf(m)
	for k := range of {
		if of[k] = k; tree != nil {
			of[k] = max(0, tree.OutputOf(k))
		}
	}
	return of
}

// outputOf returns the output that speaks for a class, or of two for the other one.
func (c *Classifier) outputOf(class int) int {
	switch {
	case c.tree != nil:
		return max(0, c.tree.OutputOf(class))
	case c.m.Outputs == 1:
		return 0
	}
	return class
}

// best returns the class with the best score; of paths it is the predicted one, as those above it have higher scores,
// and so it is of fastText, which chooses among equal ones.
func (c *Classifier) best(p *Prediction) int {
	if c.Paths() != nil || c.fastText != nil && len(p.Labels) > 0 {
		return p.Labels[0]
	}
	return highest(c.Ranks(p))
}

// refusePaths returns the error of what has no place for a tree.
func (c *Classifier) refusePaths(what string) error {
	switch {
	case c.tree == nil:
		return nil
	case c.tree.Grown():
		return fmt.Errorf("nbsvm: the classes are in a tree, and several outputs decide on each: the model can't be %s; train one with Options.Tree never", what)
	}
	return fmt.Errorf("nbsvm: the labels are paths, and several outputs decide on each: the model can't be %s; train one without Options.Hierarchy", what)
}

// Exact returns the probabilities of the very labels of documents, given their scores, where labels are paths: the
// score of one is the probability of all that is below it, too.
func (c *Classifier) Exact(scores []float64) []float64 {
	if c.Paths() == nil {
		return scores
	}
	all, labels := make([]float64, len(scores)), len(c.Labels())
	for i := 0; i < len(scores); i += labels {
		c.tree.Exact(all[i:][:labels], scores[i:][:labels])
	}
	return all
}

// PathParts returns the numbers of parts of a wanted and of the predicted path, and of what they have in common; 0
// unless labels are paths.
func (c *Classifier) PathParts(want [][]byte, p *Prediction) (shared, wanted, predicted int) {
	if c.Paths() == nil || len(want) != 1 {
		return 0, 0, 0
	}
	return model.SharedParts(string(want[0]), c.Labels()[p.Labels[0]], c.tree.Separator)
}

// Within reports whether a class is the same as another or, if labels are paths, below it.
func (c *Classifier) Within(label, other int) bool {
	tree := c.Paths()
	return label == other || tree != nil && tree.Within(label, other)
}

// PathSeparator returns what stands between the parts of labels that are paths; "" if they are none.
func (c *Classifier) PathSeparator() string {
	if tree := c.Paths(); tree != nil {
		return tree.Separator
	}
	return ""
}
