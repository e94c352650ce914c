package score

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/explain"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/model"
)

// nearest is the rule of training documents, of which the nearest vote.
type nearest struct {
	m     *model.Model
	d     *model.Documents
	prior []float64 // of every label, its share of the votes of all documents
}

func newNearest(m *model.Model) *nearest {
	r := &nearest{m: m, d: m.Rule.Documents}
	all := make([]neighbour, r.d.Len())
	for i := range all {
		all[i] = neighbour{uint32(i), 1}
	}
	r.prior = make([]float64, len(m.Meta.Labels))
	r.share(r.prior, all)
	return r
}

func (r *nearest) scorer(*table) ruleScorer {
	n := r.d.Len()
	return &nearestScorer{
		nearest: r, similarities: make([]float64, n), room: make([]float32, n), shares: make([]float64, len(r.prior)),
		sums: make([]float64, r.m.Outputs),
	}
}

// strongest lists the features that are more in documents of a class than in those of all: the mean value among the
// documents of the class, less that among all.
func (r *nearest) strongest(n int, include func(row int) bool) [][]explain.Feature {
	all, counts := newStrongest(r.m, n), make([]float64, len(r.prior))
	for i := range r.d.Len() {
		for _, label := range r.d.LabelsOf(i) {
			counts[label]++
		}
	}
	sums := make([]float64, len(counts))
	for row, key := range r.m.Keys.All() {
		if !include(row) {
			continue
		}
		clear(sums)
		total := 0.0
		for document, value := range r.d.Postings.All(row) {
			total += float64(value)
			for _, label := range r.d.LabelsOf(document) {
				sums[label] += float64(value)
			}
		}
		for label, sum := range sums {
			weight := sum/max(counts[label], 1) - total/float64(r.d.Len())
			all.offer(label, explain.Feature{Key: key, Weight: weight})
		}
	}
	return all.features()
}

// vote returns what a neighbour's vote counts: as much as the document is similar, times its weight.
func (r *nearest) vote(n neighbour) float64 {
	return float64(n.similarity * r.d.Weight(int(n.document)))
}

// share sets shares to the share of the votes that each label has, from 0 to 1, and returns the sum of all votes. Where
// documents have one label each, shares add up to 1.
func (r *nearest) share(shares []float64, of []neighbour) (all float64) {
	clear(shares)
	for _, n := range of {
		vote := r.vote(n)
		all += vote
		for _, label := range r.d.LabelsOf(int(n.document)) {
			shares[label] += vote
		}
	}
	for k, votes := range shares {
		against := max(all-votes, 0)
		if f := r.d.Factors; f != nil {
			votes, against = float64(f[2*k]*votes), float64(f[2*k+1]*against)
			if shares[k] = 0; votes > 0 {
				shares[k] = votes / (votes + against)
			}
			continue
		}
		shares[k] = votes / all
	}
	return all
}

// nearestScorer decides for one goroutine.
type nearestScorer struct {
	*nearest
	query        []queried
	length       float64 // Euclidean, of the query
	similarities []float64
	room         []float32
	found        []neighbour // of the document at hand
	votes        float64     // of all that were found
	shares, sums []float64
}

// queried is a feature of a query.
type queried struct {
	row   uint32
	value float64
}

// neighbour is a training document that is similar to the query.
type neighbour struct {
	document   uint32
	similarity float64
}

// nearer orders neighbours: of equally similar ones, the lower number is the nearer one.
func nearer(a, b neighbour) int {
	return cmp.Or(cmp.Compare(b.similarity, a.similarity), cmp.Compare(a.document, b.document))
}

// margins sets each to the share of the votes for the label, less that of those against it.
func (r *nearestScorer) margins(b *batch) []float64 {
	if r.search(b.rows, b.rowValues); len(r.found) == 0 {
		copy(r.shares, r.prior)
	} else {
		r.votes = r.share(r.shares, r.found)
	}
	if len(r.sums) < len(r.shares) { // two classes, of which the second has the output
		r.sums[0] = r.shares[1] - r.shares[0]
		return r.sums
	}
	for k, share := range r.shares {
		r.sums[k] = float64(2*share) - 1
	}
	return r.sums
}

// search finds the K documents that are most similar to a query with these values of distinct features, the nearest
// first; fewer where fewer have a similarity above 0. The similarity is Σ q_j·d_j over the features. Documents have unit
// length, so that it is their cosine times the length of the query. It is added up in the order of features, in float64,
// with every product rounded: a plain loop over the features of each document gives the same bits.
func (r *nearestScorer) search(rows []uint32, values []float64) {
	r.query, r.found, r.length = r.query[:0], r.found[:0], 0
	for k, row := range rows {
		r.query = append(r.query, queried{row, values[k]})
	}
	slices.SortFunc(r.query, func(a, b queried) int { return cmp.Compare(a.row, b.row) })
	clear(r.similarities)
	for _, q := range r.query {
		r.length += float64(q.value * q.value)
		documents, of := r.d.Postings.Row(r.room, int(q.row))
		for k, document := range documents {
			r.similarities[document] += float64(q.value * float64(of[k]))
		}
	}
	r.length = math.Sqrt(r.length)
	found, least := top[neighbour]{r.d.K, r.found, nearer}, 0.0
	for document, similarity := range r.similarities {
		if similarity > least && found.offer(neighbour{uint32(document), similarity}) {
			least = found.kept[r.d.K-1].similarity
		}
	}
	r.found = found.sort()
}

// explain splits the margin: of each neighbour's vote, a feature has the part that it has of the similarity.
func (r *nearestScorer) explain(e *explain.Text, output int, b *batch) []part {
	margins := make([]float64, len(b.rows))
	label, sum := uint32(r.m.OutputClass(output)), 0.0
	for _, n := range r.found {
		share := r.vote(n) / r.votes
		x := explain.Neighbour{
			Document: r.d.Number(int(n.document)) + 1, Similarity: n.similarity / r.length, Vote: share,
		}
		labels := r.d.LabelsOf(int(n.document))
		for _, k := range labels {
			x.Labels = append(x.Labels, r.m.Meta.Labels[k])
		}
		e.Neighbours = append(e.Neighbours, x)
		if share /= n.similarity; !slices.Contains(labels, label) {
			share = -share
		}
		for k, row := range b.rows {
			documents, values := r.d.Postings.Row(r.room, int(row))
			if at, has := slices.BinarySearch(documents, n.document); has {
				margins[k] += float64(share * float64(b.rowValues[k]*float64(values[at])))
			}
		}
	}
	for _, m := range margins {
		sum += m
	}
	const rounding = 1e-9
	if e.Bias = r.sums[output] - sum; math.Abs(e.Bias) < rounding {
		e.Bias = 0
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
func (c *Classifier) Neighbours() *NeighbourFacts {
	r, ok := c.rule.(*nearest)
	if !ok {
		return nil
	}
	return &NeighbourFacts{Neighbours: r.d.K, Documents: r.d.Len(), Values: r.d.Postings.Entries()}
}
