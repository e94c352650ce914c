package score

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/learn/boost"
	"github.com/seed-167f963f/nbsvm/internal/model"
)

// trees decide by boosted decision trees.
type trees struct {
	m *model.Model
	p *boost.Predictor
}

func newTrees(m *model.Model) (rule, error) {
	f, err := boost.Decode(m.Rule.Data, m.Outputs, m.IDs.Size)
	if err != nil {
		return nil, err
	}
	return &trees{m, boost.NewPredictor(f, m.IDs.Size)}, nil
}

func (t *trees) scorer() ruleScorer { return &treesScorer{s: t.p.NewScorer(), rows: t.m.IDs.Size} }

// strongest lists for every class the features whose splits gain most, less the gain of splits that speak against the
// class: those whose upper side has the lower mean value.
func (t *trees) strongest(n int, include func(id uint32) bool) [][]Feature {
	uses := make([][]boost.Use, t.m.Outputs)
	for output := range uses {
		uses[output] = t.p.Forest().Uses(output, t.m.IDs.Size)
	}
	lists := make([][]Feature, len(t.m.Meta.Labels))
	for class := range lists {
		output, sign := class, 1.0
		if t.m.Meta.Task == "binary" {
			if output = 0; class == 0 {
				sign = -1
			}
		}
		var list []Feature
		for row, id := range t.m.IDs.All() {
			if u := uses[output][row]; u.Splits > 0 && sign*u.Net > 0 && include(id) {
				list = append(list, Feature{ID: id, Weight: sign * u.Net, Gain: u.Gain, Cover: u.Cover, Splits: u.Splits})
			}
		}
		slices.SortFunc(list, func(a, b Feature) int {
			return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.ID, b.ID))
		})
		lists[class] = list[:min(n, len(list))]
	}
	return lists
}

// treesScorer decides on documents.
type treesScorer struct {
	s      *boost.Scorer
	rows   int
	shares []float64 // of every row of the model, in the margin of the document that is explained
}

func (t *treesScorer) margins(dst []float64, rows []uint32, values []float64) {
	t.s.Margins(dst, rows, values)
}

// contributions are SHAP values. Those of features that the document lacks are in absent.
func (t *treesScorer) contributions(dst []float64, output int, rows []uint32, values []float64) (bias float64) {
	if t.shares == nil {
		t.shares = make([]float64, t.rows)
	}
	bias = t.s.Contributions(t.shares, output, rows, values)
	for k, row := range rows {
		dst[k], t.shares[row] = t.shares[row], 0
	}
	return bias
}

// absent visits what features add to the margin that the document lacks whose contributions were asked for last.
func (t *treesScorer) absent(visit func(row uint32, added float64)) {
	for row, added := range t.shares {
		if added != 0 {
			visit(uint32(row), added)
		}
	}
}

// Trees describes the trees of a model that decides by them, in words; empty for others.
func (c *Classifier) Trees() string {
	t, ok := c.rule.(*trees)
	if !ok {
		return ""
	}
	f := t.p.Forest()
	leaves, depth := 0, 0
	for i := range f.Trees {
		leaves += f.Trees[i].Leaves()
		depth = max(depth, f.Trees[i].Depth())
	}
	return fmt.Sprintf("%d with %d leaves, at most %d deep; they split on %d features", len(f.Trees), leaves, depth, f.Columns())
}
