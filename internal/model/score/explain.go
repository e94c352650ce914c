package score

import "github.com/seed-167f963f/nbsvm/internal/model"

// Feature is a feature of a model and what it says for an output.
type Feature struct {
	ID     uint32  `json:"id"`
	Name   string  `json:"name"`   // empty where the dictionary lacks it
	Shared bool    `json:"shared"` // several n-grams of the training set share its bucket
	Weight float64 `json:"weight"`
	// Of a model of trees: what splits on the feature gain, and the sum of second derivatives that come to them. The
	// weight is the gain, less that of splits that speak for others.
	Gain   float64 `json:"gain,omitempty"`
	Cover  float64 `json:"cover,omitempty"`
	Splits int     `json:"splits,omitempty"`
}

// Explanation lists the strongest features that speak for a class.
type Explanation struct {
	Label    string    `json:"label"`
	Features []Feature `json:"features"`
}

// Explain lists, for every class, the n features with names that speak most
// strongly for it.
func (c *Classifier) Explain(n int) (explanations []Explanation, err error) {
	err = c.guard(func() error {
		explanations = c.explain(n)
		return nil
	})
	return explanations, err
}

func (c *Classifier) explain(n int) []Explanation {
	names := make(map[uint32]model.Name, len(c.m.Names))
	for _, name := range c.m.Names {
		names[name.ID] = name
	}
	lists := c.strongest(n, func(id uint32) bool {
		_, named := names[id]
		return named || len(names) == 0
	})
	explanations := make([]Explanation, len(lists))
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
		explanations[k] = Explanation{c.Labels()[k], features}
	}
	return explanations
}

// Strongest lists for every class the n features that speak most strongly for it, among the ids that include accepts.
func (c *Classifier) Strongest(n int, include func(id uint32) bool) ([][]Feature, error) {
	if u, ok := c.kind.(unreadable); ok {
		return nil, u.err
	}
	return c.strongest(n, include), nil
}

// Contribution is what one feature of a text adds to a margin.
type Contribution struct {
	Name   string  `json:"name"`
	Shared bool    `json:"shared"`           // with other n-grams of the text or of the training set
	Absent bool    `json:"absent,omitempty"` // the text lacks it, which some models take into account
	Value  float64 `json:"value"`            // of the feature, after all scaling but the ratio's
	Weight float64 `json:"weight"`
	Margin float64 `json:"margin"` // what it adds
}

// TextExplanation takes a prediction apart: Margin = Bias + Σ Contributions + OthersMargin.
type TextExplanation struct {
	Label         string         `json:"label"`
	Score         float64        `json:"score"`
	Margin        float64        `json:"margin"`
	Bias          float64        `json:"bias"`
	Unknown       int            `json:"unknown"` // n-grams that the model does not know
	Contributions []Contribution `json:"contributions"`
	// Others is how many more features contribute, and OthersMargin what they add together; see ExplainTop.
	Others       int     `json:"-"`
	OthersMargin float64 `json:"-"`
	// Neighbours are the documents that have voted, where those do that are most similar, the nearest first.
	Neighbours []Neighbour `json:"neighbours,omitempty"`
}

// Neighbour is a training document that has voted on a text.
type Neighbour struct {
	Document   int      `json:"document"` // its number among the documents of training, from 1
	Labels     []string `json:"labels"`
	Similarity float64  `json:"similarity"`
	Vote       float64  `json:"vote"` // its share of all votes
}
