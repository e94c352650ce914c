package score

import (
	"fmt"
	"math"

	"github.com/seed-167f963f/nbsvm/internal/base/wording"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/neighbours"
)

// nearest is the rule of documents, of which the nearest vote.
type nearest struct {
	m *model.Model
	s *neighbours.Set
}

func newNeighbours(m *model.Model) (rule, error) {
	s, err := neighbours.Decode(m.Rule.Data, m.IDs.Size, len(m.Meta.Labels))
	if err != nil {
		return nil, err
	}
	return &nearest{m, s}, nil
}

func (r *nearest) scorer() ruleScorer {
	return &nearestScorer{nearest: r, shares: make([]float64, r.s.Labels)}
}

// strongest lists the features that are more in documents of a class than in those of all: Σ value/documents of the
// class, less that of all.
func (r *nearest) strongest(n int, include func(id uint32) bool) [][]Feature {
	return strongestNumbers(r.m, n, include, r.s.Typical())
}

// nearestScorer decides for one goroutine.
type nearestScorer struct {
	*nearest
	q      *neighbours.Searcher
	shares []float64
}

// find gives the neighbours of a document. The searcher is made when there is something to search for: its index takes
// memory, and time.
func (r *nearestScorer) find(rows []uint32, values []float64) []neighbours.Neighbour {
	if r.q == nil {
		r.q = r.s.NewSearcher()
	}
	return r.q.Search(rows, values, r.s.K)
}

// margins sets each to the share of the votes for the label, less that of those against it.
func (r *nearestScorer) margins(dst []float64, rows []uint32, values []float64) {
	r.s.Shares(r.shares, r.find(rows, values))
	if len(dst) < len(r.shares) { // two classes, of which the second has the output
		dst[0] = r.shares[1] - r.shares[0]
		return
	}
	for k, share := range r.shares {
		dst[k] = float64(2*share) - 1
	}
}

// neighbours tells of those that vote.
func (r *nearestScorer) neighbours(rows []uint32, values []float64) (list []Neighbour) {
	found, all := r.find(rows, values), 0.0
	for _, n := range found {
		all += r.s.Vote(n)
	}
	for _, n := range found {
		x := Neighbour{Document: r.s.Number(int(n.Document)) + 1, Similarity: r.q.Shown(n), Vote: r.s.Vote(n) / all}
		for _, k := range r.s.LabelsOf(int(n.Document)) {
			x.Labels = append(x.Labels, r.m.Meta.Labels[k])
		}
		list = append(list, x)
	}
	return list
}

// NeighbourFacts tells of a model whose training documents vote.
type NeighbourFacts struct {
	Neighbours int    `json:"neighbours"` // how many vote
	Similarity string `json:"similarity"` // cosine or bm25
	Votes      string `json:"votes"`      // count or similarity
	Documents  int    `json:"documents"`
	Values     int    `json:"values"` // of features, of all documents
	Columns    int    `json:"columns"`
	Lists      int    `json:"lists"`
	Index      int64  `json:"index"` // bytes that the index takes in memory, beside the documents
}

// String tells people which documents vote.
func (f *NeighbourFacts) String() string {
	return fmt.Sprintf("the nearest %s of %s by %s vote by %s; %s", wording.Count(int64(f.Neighbours)),
		wording.Some(f.Documents, "document"), f.Similarity, f.Votes, wording.Some(f.Values, "value"))
}

// Neighbours tells of a model whose training documents vote; nil of another. It makes the index.
func (c *Classifier) Neighbours() (facts *NeighbourFacts, err error) {
	r, ok := c.rule.(*nearest)
	if !ok {
		return nil, c.badRule
	}
	return facts, c.guard(func() error {
		facts = &NeighbourFacts{Neighbours: r.s.K, Similarity: "bm25", Votes: "count", Documents: r.s.Documents(), Values: len(r.s.Columns)}
		if r.s.Cosine {
			facts.Similarity = "cosine"
		}
		if r.s.BySimilarity {
			facts.Votes = "similarity"
		}
		facts.Columns, facts.Lists, facts.Index = r.s.NewSearcher().Index()
		return nil
	})
}

// contributions splits the margin: of each neighbour's vote, a feature has the part that it has of the similarity.
func (r *nearestScorer) contributions(dst []float64, output int, rows []uint32, values []float64) (bias float64) {
	label := r.m.OutputClass(output)
	r.q.Contributions(dst, label, rows, values, r.find(rows, values))
	var sum float64
	for _, c := range dst {
		sum += c
	}
	margins := make([]float64, r.m.Outputs)
	r.margins(margins, rows, values)
	const rounding = 1e-9
	if bias = margins[output] - sum; math.Abs(bias) < rounding {
		return 0
	}
	return bias
}
