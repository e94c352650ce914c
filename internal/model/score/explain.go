package score

import (
	"github.com/seed-167f963f/nbsvm/explain"
	"github.com/seed-167f963f/nbsvm/internal/model"
)

// Explain lists, for every class, the n features with names that speak most
// strongly for it.
func (c *Classifier) Explain(n int) (explanations []explain.Class, err error) {
	err = c.guard(func() error {
		explanations = c.explain(n)
		return nil
	})
	return explanations, err
}

// names are the features with names, by their ids.
func (c *Classifier) names() map[uint32]model.Name {
	names := make(map[uint32]model.Name, len(c.m.Names))
	for _, name := range c.m.Names {
		names[name.ID] = name
	}
	return names
}

func (c *Classifier) explain(n int) []explain.Class {
	names := c.names()
	lists := c.Strongest(n, func(id uint32) bool {
		_, named := names[id]
		return named || len(names) == 0
	})
	explanations := make([]explain.Class, len(lists))
	for k, features := range lists {
		for i := range features {
			f := &features[i]
			if name, ok := names[f.ID]; ok {
				f.Name, f.Shared = name.Text, name.Shared
			}
			if c.TakesFeatures() {
				f.Name = featureName(f.ID)
			}
		}
		explanations[k] = explain.Class{Label: c.Labels()[k], Features: features}
	}
	return explanations
}
