package score

import (
	"fmt"
	"math"

	"github.com/seed-167f963f/nbsvm/explain"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/model"
)

// nearest is the rule of training documents, of which the nearest vote.
type nearest struct {
	m *model.Model
	s *NeighbourSet
}

func newNeighbours(m *model.Model) (rule, error) {
	s, err := DecodeNeighbours(m.Rule.Data, m.Keys.Size(), len(m.Meta.Labels))
	if err != nil {
		return nil, err
	}
	return &nearest{m, s}, nil
}

func (r *nearest) scorer(*table) ruleScorer {
	return &nearestScorer{nearest: r, shares: make([]float64, r.s.Labels), sums: make([]float64, r.m.Outputs)}
}

func (r *nearest) refuse(to use) error { return refuseWeights(r.m, to) }

// Strongest lists the features that are more in documents of a class than in those of all: Σ value/documents of the
// class, less that of all.
func (r *nearest) Strongest(n int, include func(row int) bool) [][]explain.Feature {
	tops, typical := newTops(r.m, n), r.s.Typical()
	for row, key := range r.m.Keys.All() {
		if include(row) {
			for k := range tops {
				tops[k].offer(key, typical[row*len(tops)+k])
			}
		}
	}
	return tops.features()
}

// nearestScorer decides for one goroutine.
type nearestScorer struct {
	*nearest
	q      *NeighbourSearcher
	found  []Neighbour // of the document at hand
	shares []float64
	sums   []float64
}

// margins sets each to the share of the votes for the label, less that of those against it. The searcher is made when
// there is something to search for: its index takes memory, and time.
func (r *nearestScorer) margins(b *batch) []float64 {
	if r.q == nil {
		r.q = r.s.NewSearcher()
	}
	r.found = r.q.Search(b.rows, b.rowValues, r.s.K)
	r.s.Shares(r.shares, r.found)
	if len(r.sums) < len(r.shares) { // two classes, of which the second has the output
		r.sums[0] = r.shares[1] - r.shares[0]
		return r.sums
	}
	for k, share := range r.shares {
		r.sums[k] = float64(2*share) - 1
	}
	return r.sums
}

// explain splits the margin: of each neighbour's vote, a feature has the part that it has of the similarity.
func (r *nearestScorer) explain(e *explain.Text, output int, b *batch) []part {
	margins := make([]float64, len(b.rows))
	r.q.Contributions(margins, r.m.OutputClass(output), b.rows, b.rowValues, r.found)
	var sum float64
	for _, m := range margins {
		sum += m
	}
	const rounding = 1e-9
	if e.Bias = r.sums[output] - sum; math.Abs(e.Bias) < rounding {
		e.Bias = 0
	}
	all := 0.0
	for _, n := range r.found {
		all += r.s.Vote(n)
	}
	for _, n := range r.found {
		x := explain.Neighbour{
			Document: r.s.Number(int(n.Document)) + 1, Similarity: r.q.Cosine(n),
			Vote: r.s.Vote(n) / all,
		}
		for _, k := range r.s.LabelsOf(int(n.Document)) {
			x.Labels = append(x.Labels, r.m.Meta.Labels[k])
		}
		e.Neighbours = append(e.Neighbours, x)
	}
	return partsOf(margins, b)
}

// NeighbourFacts tells of a model whose training documents vote.
type NeighbourFacts struct {
	Neighbours int `json:"neighbours"` // how many vote
	Documents  int `json:"documents"`
	Values     int `json:"values"` // of features, of all documents
}

// String tells people which documents vote.
func (f *NeighbourFacts) String() string {
	return fmt.Sprintf("the nearest %s of %s by cosine vote; %s", display.Count(int64(f.Neighbours)),
		display.Some(f.Documents, "document"), display.Some(f.Values, "value"))
}

// Neighbours tells of a model whose training documents vote; nil of another.
func (c *Classifier) Neighbours() (facts *NeighbourFacts, err error) {
	r, ok := ruleOf[*nearest](c)
	if !ok {
		return nil, nil
	}
	err = c.Guard(func() error {
		facts = &NeighbourFacts{Neighbours: r.s.K, Documents: r.s.Documents(), Values: len(r.s.Columns)}
		return nil
	})
	return facts, err
}
