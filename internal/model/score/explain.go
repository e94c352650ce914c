package score

import (
	"github.com/seed-167f963f/nbsvm/explain"
)

// Explain lists, for every class, the n features with names that speak most
// strongly for it.
func (c *Classifier) Explain(n int) (explanations []explain.Class, err error) {
	err = c.Guard(func() error {
		explanations = c.explain(n)
		return nil
	})
	return explanations, err
}

// names returns the texts of features that have names, by their rows.
func (c *Classifier) names() map[int]string {
	names := make(map[int]string, len(c.m.Names))
	for _, name := range c.m.Names {
		names[int(name.Row)] = name.Text
	}
	return names
}

func (c *Classifier) explain(n int) []explain.Class {
	names := c.names()
	lists := c.Strongest(n, func(row int) bool {
		_, named := names[row]
		return named || len(names) == 0
	})
	explanations := make([]explain.Class, len(lists))
	for k, features := range lists {
		for i := range features {
			f := &features[i]
			if c.TakesFeatures() {
				f.Name = featureName(f.Key)
			} else {
				row, _ := c.m.Keys.Rank(f.Key)
				f.Name = names[row]
			}
		}
		explanations[k] = explain.Class{Label: c.Labels()[k], Features: features}
	}
	return explanations
}
