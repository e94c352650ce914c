package score

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/model"
)

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
	if c.fastText != nil {
		return c.explainFastText(n)
	}
	names := make(map[uint32]model.Name, len(c.m.Names))
	for _, name := range c.m.Names {
		names[name.ID] = name
	}
	var explanations []Explanation
	for k, features := range c.strongest(n, func(id uint32) bool {
		_, named := names[id]
		return named || len(names) == 0
	}) {
		for i := range features {
			name := names[features[i].ID]
			features[i].Name, features[i].Shared = name.Text, name.Shared
			if c.TakesFeatures() {
				features[i].Name = fmt.Sprintf("feature %d", features[i].ID)
			}
		}
		explanations = append(explanations, Explanation{c.Labels()[k], features})
	}
	return explanations
}

// Strongest lists for every class the n features that speak most strongly for it, among the ids that include accepts.
func (c *Classifier) Strongest(n int, include func(id uint32) bool) ([][]Feature, error) {
	if c.badRule != nil {
		return nil, c.badRule
	}
	return c.strongest(n, include), nil
}

func (c *Classifier) strongest(n int, include func(id uint32) bool) [][]Feature {
	if c.rule != nil {
		return c.rule.strongest(n, include)
	}
	return strongestWeights(c.m, n, include)
}

// strongestWeights lists for every class the n features with the largest weights for it, among the ids
// that include accepts. Weights are compared with their mean over outputs where only
// differences matter (softmax).
func strongestWeights(m *model.Model, n int, include func(uint32) bool) [][]Feature {
	tops := make([]top, len(m.Meta.Labels))
	for k := range tops {
		tops[k].n = n
	}
	weights, of := make([]float64, m.Outputs), outputsOf(m)
	for row, id := range m.IDs.All() {
		if !include(id) {
			continue
		}
		m.RowWeights(row, weights)
		if m.Meta.Task == "binary" {
			tops[0].offer(id, -weights[0])
			tops[1].offer(id, weights[0])
			continue
		}
		mean := 0.0
		if m.Meta.Link == "softmax" {
			for _, w := range weights {
				mean += w / float64(len(weights))
			}
		}
		for k := range tops {
			tops[k].offer(id, weights[of[k]]-mean)
		}
	}
	return listed(tops)
}

// strongestNumbers lists for every class the n features with the largest numbers for it, among the ids that include
// accepts. There is a number for each row of the model and class, row-major.
func strongestNumbers(m *model.Model, n int, include func(uint32) bool, numbers []float64) [][]Feature {
	tops := make([]top, len(m.Meta.Labels))
	for k := range tops {
		tops[k].n = n
	}
	for row, id := range m.IDs.All() {
		if include(id) {
			for k := range tops {
				tops[k].offer(id, numbers[row*len(tops)+k])
			}
		}
	}
	return listed(tops)
}

// listed are the features that were kept for each class.
func listed(tops []top) [][]Feature {
	lists := make([][]Feature, len(tops))
	for k := range tops {
		tops[k].sort()
		for _, r := range tops[k].ranked {
			lists[k] = append(lists[k], Feature{ID: r.id, Weight: r.weight})
		}
	}
	return lists
}

// top keeps the n largest weights above 0, ties by id.
type top struct {
	n      int
	ranked []rankedWeight
	floor  float64 // what can't be among them
}

type rankedWeight struct {
	weight float64
	id     uint32
}

func (t *top) offer(id uint32, weight float64) {
	if weight > t.floor || weight == t.floor && weight > 0 {
		t.keep(id, weight)
	}
}

func (t *top) keep(id uint32, weight float64) {
	t.ranked = append(t.ranked, rankedWeight{weight, id})
	if len(t.ranked) >= 2*t.n+16 {
		if t.sort(); len(t.ranked) > 0 {
			t.floor = t.ranked[len(t.ranked)-1].weight
		}
	}
}

func (t *top) sort() {
	slices.SortFunc(t.ranked, func(a, b rankedWeight) int {
		if a.weight != b.weight {
			return cmp.Compare(b.weight, a.weight)
		}
		return cmp.Compare(a.id, b.id)
	})
	t.ranked = t.ranked[:min(t.n, len(t.ranked))]
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

// neighbourly is a rule by which documents vote.
type neighbourly interface {
	// neighbours are those that vote on a document.
	neighbours(rows []uint32, values []float64) []Neighbour
}

// rowMargin is what the k-th row of a text adds to the margin that is explained.
type rowMargin struct {
	k     int32
	added float64
}

// ExplainText explains the margin of the predicted class of a text (where there
// are any number of classes: of the class with the highest score), largest
// contributions first.
func (s *Scorer) ExplainText(text []byte) (*TextExplanation, error) {
	return s.ExplainTop(text, math.MaxInt)
}

// ExplainTop is ExplainText with the n largest contributions alone. It takes far less memory for long texts: only
// features that are listed are named.
func (s *Scorer) ExplainTop(text []byte, n int) (e *TextExplanation, err error) {
	err = s.c.guard(func() (err error) {
		e, err = s.explain(text, n)
		return err
	})
	if err != nil {
		return nil, err
	}
	return e, nil
}

func (s *Scorer) explain(text []byte, n int) (*TextExplanation, error) {
	if s.fastText != nil {
		return s.explainTextFastText(text, n)
	}
	defer func(before bool) { s.rows = before }(s.rows)
	s.rows = true
	p, err := s.predictBlocks(text)
	if err != nil {
		return nil, err
	}
	class := 0
	if s.c.MultiLabel() {
		for k, score := range p.Scores {
			if score > p.Scores[class] {
				class = k
			}
		}
	} else {
		class = p.Labels[0] // with calibration, not always that of the highest score
	}
	output, opposite := class, false
	if s.m.Meta.Task == "binary" {
		output, opposite = 0, class == 0
	} else {
		output = s.c.outputOf(class)
	}
	signed := func(margin float64) float64 {
		if opposite {
			return 0 - margin // not -0
		}
		return margin
	}
	margins, unit, bias := s.addedBy(output)
	present := s.batch.rows
	rows := present
	if lacking, ok := s.rule.(absentees); ok {
		lacking.absent(func(row uint32, added float64) {
			margins = append(margins, rowMargin{int32(len(rows)), added})
			rows = append(rows[:len(rows):len(rows)], row)
		})
	}
	e := &TextExplanation{
		Label: s.c.Labels()[class], Score: p.Scores[class],
		Margin: signed(p.Margins[output]), Bias: signed(bias),
	}
	slices.SortFunc(margins, func(a, b rowMargin) int {
		return cmp.Or(cmp.Compare(math.Abs(b.added), math.Abs(a.added)), cmp.Compare(a.k, b.k))
	})
	n = min(n, len(margins))
	listed := make(map[uint32]bool, n)
	for _, m := range margins[:n] {
		if int(m.k) < len(present) {
			listed[present[m.k]] = true
		}
	}
	names, shared := s.namesIn(text, listed, e)
	var absent map[uint32]Contribution
	for _, m := range margins[:n] {
		row := rows[m.k]
		if int(m.k) >= len(present) {
			if absent == nil {
				absent = s.absentNames()
			}
			c := absent[row]
			c.Absent, c.Margin = true, signed(m.added)
			e.Contributions = append(e.Contributions, c)
			continue
		}
		value := s.batch.value(int(m.k)) * unit
		weight := s.weightOf(output, row, value, m.added)
		c := Contribution{
			Name: names[row], Shared: shared[row], Value: value, Weight: signed(weight), Margin: signed(m.added),
		}
		e.Contributions = append(e.Contributions, c)
	}
	if rule, ok := s.rule.(neighbourly); ok {
		e.Neighbours = rule.neighbours(s.batch.rows, s.batch.rowValues)
	}
	e.Others = len(margins) - n
	for _, m := range margins[n:] {
		e.OthersMargin += signed(m.added)
	}
	return e, nil
}

// absentNames are the names of the model's rows.
func (s *Scorer) absentNames() map[uint32]Contribution {
	names := make(map[uint32]Contribution, len(s.m.Names))
	for _, name := range s.m.Names {
		if row, ok := s.m.IDs.Rank(name.ID); ok {
			names[uint32(row)] = Contribution{Name: name.Text, Shared: name.Shared}
		}
	}
	for row, id := range s.m.IDs.All() {
		if s.c.TakesFeatures() {
			names[uint32(row)] = Contribution{Name: fmt.Sprintf("feature %d", id)}
		} else if names[uint32(row)].Name == "" {
			names[uint32(row)] = Contribution{Name: fmt.Sprintf("(bucket %d)", id)}
		}
	}
	return names
}

// addedBy gives what each row of the document adds to the margin of an output, what values are scaled by, and what the
// margin is beside that.
func (s *Scorer) addedBy(output int) (added []rowMargin, unit, bias float64) {
	s.added = slices.Grow(s.added[:0], len(s.batch.rows))[:len(s.batch.rows)]
	if s.rule != nil {
		margins := make([]float64, len(s.batch.rows))
		bias = s.rule.contributions(margins, output, s.batch.rows, s.batch.rowValues)
		for k, margin := range margins {
			s.added[k] = rowMargin{int32(k), margin}
		}
		return s.added, 1, bias + s.m.Bias[output]
	}
	unit = s.unit(output)
	for k, row := range s.batch.rows {
		s.added[k] = rowMargin{int32(k), s.batch.value(k) * unit * s.linearWeight(output, row)}
	}
	return s.added, unit, s.m.Bias[output]
}

// weightOf is the weight of a row for an output, which has this value in the document and adds so much to the margin.
func (s *Scorer) weightOf(output int, row uint32, value, added float64) float64 {
	switch {
	case s.rule == nil:
		return s.linearWeight(output, row)
	case value == 0:
		return 0
	}
	return added / value
}

// linearWeight is the weight of a row for an output of a linear model.
func (s *Scorer) linearWeight(output int, row uint32) float64 {
	s.weights = slices.Grow(s.weights[:0], s.m.Outputs)[:s.m.Outputs]
	s.m.RowWeights(int(row), s.weights)
	return s.weights[output]
}

// predictBlocks is predictText, with less memory for a long text where that is possible.
func (s *Scorer) predictBlocks(text []byte) (Prediction, error) {
	if long, ok := s.features.(blockwise); ok {
		if blocks, ok := long.blocks(text); ok {
			s.batch.findBlocks(s.c.table.made.Load(), blocks)
			s.count()
			return s.predict(0), nil
		}
	}
	return s.predictText(text)
}

// namesIn names those of the listed rows that a text's features fall into.
func (s *Scorer) namesIn(text []byte, listed map[uint32]bool, e *TextExplanation) (names map[uint32]string, shared map[uint32]bool) {
	names, shared = map[uint32]string{}, map[uint32]bool{}
	crowded := map[uint32]bool{}
	for _, name := range s.m.Names {
		if row, ok := s.m.IDs.Rank(name.ID); ok && name.Shared {
			crowded[uint32(row)] = true
		}
	}
	for row, name := range s.features.names(text, func(row int) bool { return listed[uint32(row)] }) {
		r := uint32(row)
		if row < 0 {
			e.Unknown++
		} else if !listed[r] {
			continue
		} else if other, taken := names[r]; taken {
			names[r], shared[r] = other+" | "+name, true
		} else {
			names[r], shared[r] = name, crowded[r]
		}
	}
	return names, shared
}
