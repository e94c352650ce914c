package score

import (
	"fmt"

	"github.com/seed-167f963f/nbsvm/explain"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/boost"
)

// trees is the rule of boosted decision trees.
type trees struct {
	m *model.Model
	p *boost.Predictor
}

func newTrees(m *model.Model) (*trees, error) {
	f, err := boost.Decode(m.Rule.Data, m.Outputs, m.Keys.Size())
	if err != nil {
		return nil, err
	}
	return &trees{m, boost.NewPredictor(f, m.Keys.Size())}, nil
}

func (t *trees) scorer(*table) ruleScorer {
	return &treesScorer{m: t.m, s: t.p.NewScorer(), sums: make([]float64, t.m.Outputs)}
}

// strongest lists the features whose splits gain most, less the gain of splits that speak against the class: those
// whose upper side has the lower mean value.
func (t *trees) strongest(n int, include func(row int) bool) [][]explain.Feature {
	all := newStrongest(t.m, n)
	for output := range t.m.Outputs {
		uses := t.p.Forest.Uses(output, t.m.Keys.Size())
		for row, key := range t.m.Keys.All() {
			if u := &uses[row]; include(row) {
				f := explain.Feature{Key: key, Weight: u.Net, Gain: u.Gain, Cover: u.Cover, Splits: u.Splits}
				all.offer(t.m.OutputClass(output), f)
				if f.Weight = -f.Weight; t.m.Meta.Task == "binary" {
					all.offer(0, f)
				}
			}
		}
	}
	return all.features()
}

// treesScorer decides for one goroutine.
type treesScorer struct {
	m    *model.Model
	s    *boost.Scorer
	sums []float64
}

func (t *treesScorer) margins(b *batch) []float64 {
	t.s.Margins(t.sums, b.rows, b.rowValues)
	return t.sums
}

// explain gives SHAP values, also those of features that the document lacks.
func (t *treesScorer) explain(e *explain.Text, output int, b *batch) []part {
	shares := make([]float64, t.m.Keys.Size()) // of every row of the model
	e.Bias = t.s.Contributions(shares, output, b.rows, b.rowValues)
	margins := make([]float64, len(b.rows))
	for k, row := range b.rows {
		margins[k], shares[row] = shares[row], 0
	}
	parts := partsOf(margins, b)
	for row, margin := range shares {
		if margin != 0 {
			parts = append(parts, part{row: uint32(row), absent: true, margin: margin})
		}
	}
	return parts
}

// partsOf returns what the rows of a document add to a margin, if the model has no weights: these are said to be what a
// row adds for each unit of its value.
func partsOf(margins []float64, b *batch) []part {
	parts := make([]part, len(margins))
	for k, margin := range margins {
		parts[k] = part{row: b.rows[k], value: b.rowValues[k], margin: margin}
		if value := b.rowValues[k]; value != 0 {
			parts[k].weight = margin / value
		}
	}
	return parts
}

// Trees describes the trees of a model that decides by them, in words; it is empty for others.
func (c *Classifier) Trees() string {
	t, ok := c.rule.(*trees)
	if !ok {
		return ""
	}
	f := t.p.Forest
	leaves, depth, features := 0, 0, 0
	for i := range f.Trees {
		leaves += f.Trees[i].Leaves()
		depth = max(depth, f.Trees[i].Depth())
	}
	for _, used := range f.Columns(t.m.Keys.Size()) {
		if used {
			features++
		}
	}
	return fmt.Sprintf("%d with %d leaves, at most %d deep; they split on %d features",
		len(f.Trees), leaves, depth, features)
}
