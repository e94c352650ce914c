package score

import (
	"errors"
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/display"
)

// Restrict has the classifier choose among some of its labels. Probabilities of one class out of several are divided by
// their sum, as if it were known that the document is of one of these; of others, which are independent, and margins,
// they stay. Classes that are left out have the probability 0, or the margin −Inf, and are never predicted.
func (c *Classifier) Restrict(labels []string) error {
	switch {
	case len(labels) == 0:
		return errors.New("nbsvm: there are no labels to choose among: name one at least")
	case c.tree != nil:
		return errors.New("nbsvm: the labels of the model are in a tree, which is searched as a whole: it can't choose among some of them")
	}
	among := make([]bool, len(c.Labels()))
	for _, label := range labels {
		k, err := display.FindLabel(c.Labels(), label)
		if err != nil {
			return err
		}
		among[k] = true
	}
	c.among = among
	return nil
}

// restrict changes a prediction of all classes into one among those that are left.
func (c *Classifier) restrict(p *Prediction) {
	others := func(k int) bool { return !c.among[k] }
	if c.MultiLabel() {
		p.Labels = slices.DeleteFunc(p.Labels, others)
	} else if len(p.Labels) > 0 && others(p.Labels[0]) {
		ranks, best := c.ranks(p), -1
		for k, rank := range ranks {
			if c.among[k] && (best < 0 || rank > ranks[best]) {
				best = k
			}
		}
		p.Labels[0] = best
	}
	least, sum := 0.0, 0.0
	if !c.Probabilities() {
		least = math.Inf(-1)
	}
	for k, score := range p.Scores {
		if others(k) {
			p.Scores[k] = least
		} else {
			sum += score
		}
	}
	ova := c.fastText != nil && c.m.Meta.FastText.LossName == "ova"
	if sum > 0 && c.Probabilities() && !c.MultiLabel() && !ova {
		for k := range p.Scores {
			p.Scores[k] /= sum
		}
	}
}
