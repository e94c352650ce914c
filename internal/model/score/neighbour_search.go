package score

import (
	"math"
	"slices"
)

// How the documents of a training set are found that are most similar to a document.
//
// A document is a sparse vector of features. The similarity of a query q and a document d is their product, Σ
// q_j·d_j. Documents have unit length, so that it is their cosine times the length of the query.
//
// Search is exact. Features that few documents have are in an inverted index, from which the first pass adds up that
// part of all similarities. The part of the other features, most of the entries of a text but little of its length, is
// at most the product of the lengths of that part of the query and of the document, by Cauchy and Schwarz. The second
// pass computes the similarity of those documents alone whose sum of the two reaches the k-th best so far.
//
// That similarity is added up in the order of the features of the document, ascending, in float64, with every product
// rounded. The same loop over all documents is brute force, so that both have the same bits. Of equal similarities the
// lower document number is the nearer one. Documents without similarity, or with a negative one, are no neighbours.

// Neighbour is a document that is similar to the query.
type Neighbour struct {
	Document   uint32
	Similarity float64
}

// compare orders neighbours, the nearest first.
func compare(a, b Neighbour) int {
	switch {
	case a.Similarity > b.Similarity:
		return -1
	case a.Similarity < b.Similarity:
		return 1
	}
	return int(a.Document) - int(b.Document)
}

// rareShare says which features are rare: those of at most one in so many documents. With 3, lists of film reviews are
// shorter, but ten times as many documents are scored in full.
const rareShare = 2

// index has the documents of every rare feature, and the length of what else a document has.
type index struct {
	starts   []uint64 // of every feature, R+1; between those of a frequent one is nothing
	postings []posting
	lengths  []float64 // of the frequent features of every document, Euclidean
	longest  float64   // and the largest of all features of a document
	frequent []bool    // by feature
}

// posting is what a document has of a feature.
type posting struct {
	document uint32
	value    float32
}

func newIndex(s *NeighbourSet) *index {
	n := s.Documents()
	x := &index{starts: make([]uint64, s.Features+1), lengths: make([]float64, n), frequent: make([]bool, s.Features)}
	counts := make([]uint64, s.Features)
	for _, j := range s.Columns {
		counts[j]++
	}
	for j, count := range counts {
		if x.frequent[j] = count*rareShare > uint64(n); x.frequent[j] {
			count = 0
		}
		x.starts[j+1] = x.starts[j] + count
	}
	x.postings = make([]posting, x.starts[s.Features])
	next := slices.Clone(x.starts)
	for i := range n {
		var all, frequent float64 // squares
		row, values := s.Row(i)
		for e, j := range row {
			square := float64(float64(values[e]) * float64(values[e]))
			all += square
			if x.frequent[j] {
				frequent += square
				continue
			}
			x.postings[next[j]] = posting{uint32(i), values[e]}
			next[j]++
		}
		x.longest, x.lengths[i] = max(x.longest, math.Sqrt(all)), math.Sqrt(frequent)
	}
	return x
}

// NeighbourSearcher finds neighbours of one query after the other. It owns scratch memory: one per goroutine.
type NeighbourSearcher struct {
	s       *NeighbourSet
	x       *index
	weights []float64 // of every feature what the query has of it; zeros between queries
	bounds  []float32 // of the similarity of every document
	found   []Neighbour
	length  float64 // Euclidean, of the query
}

// NewSearcher returns a searcher. The first one makes the index, unless a fault in a truncated file cuts that short.
func (s *NeighbourSet) NewSearcher() *NeighbourSearcher {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.index == nil {
		s.prior = s.shares()
		s.index = newIndex(s)
	}
	return &NeighbourSearcher{
		s: s, x: s.index, weights: make([]float64, s.Features), bounds: make([]float32, s.Documents()),
	}
}

// Cosine returns the cosine of a neighbour. Search leaves the length of the query out, which is the same for all
// documents, so that similarities do not depend on the order of the query's features.
func (q *NeighbourSearcher) Cosine(n Neighbour) float64 { return n.Similarity / q.length }

// Search finds the k documents that are most similar to a query with these values of distinct features, the most
// similar first; fewer where fewer have a similarity above 0. They are valid until the next search.
func (q *NeighbourSearcher) Search(features []uint32, values []float64, k int) []Neighbour {
	q.found = q.found[:0]
	if q.bound(features, values); q.length == 0 {
		return nil
	}
	least := 0.0
	for i, bound := range q.bounds {
		if float64(bound) > least {
			least = q.offer(Neighbour{uint32(i), float64(bound)}, k)
		}
	}
	// The documents with the largest bounds are scored first: the others have to be as similar.
	first := slices.Clone(q.found)
	q.found, least = q.found[:0], 0
	for _, n := range first {
		least = q.score(n.Document, k)
		q.bounds[n.Document] = -1
	}
	for i, bound := range q.bounds {
		if !(float64(bound) < least) { // not a number if values are beyond float32
			least = q.score(uint32(i), k)
		}
	}
	for _, j := range features {
		q.weights[j] = 0
	}
	return q.found
}

// bound lays the query out, and sets the bounds of all documents.
func (q *NeighbourSearcher) bound(features []uint32, values []float64) {
	clear(q.bounds)
	bounds := q.bounds
	var all, frequent float64 // squares
	for e, j := range features {
		square := float64(values[e] * values[e])
		all += square
		if q.x.frequent[j] {
			frequent += square
		}
		q.weights[j] = values[e]
		v := float32(values[e])
		for _, p := range q.x.postings[q.x.starts[j]:q.x.starts[j+1]] {
			bounds[p.document] += float32(v * p.value)
		}
	}
	q.length = math.Sqrt(all)
	// Sums and products are rounded to float32: each, and with each the sum, is off by at most this share of what is
	// the largest similarity.
	const unit = 1.0 / (1 << 23)
	rounding := float64(float64(q.length*q.x.longest) * unit * float64(len(features)+4))
	factor := math.Sqrt(frequent)
	for i, length := range q.x.lengths {
		bounds[i] += float32(float64(factor*length) + rounding)
	}
}

// score offers a document with its similarity.
func (q *NeighbourSearcher) score(document uint32, k int) (least float64) {
	n := Neighbour{Document: document}
	row, values := q.s.Row(int(document))
	for e, j := range row {
		n.Similarity += float64(q.weights[j] * float64(values[e]))
	}
	return q.offer(n, k)
}

// offer adds a document if it is one of the k nearest so far, and returns the similarity that others must reach.
func (q *NeighbourSearcher) offer(n Neighbour, k int) (least float64) {
	if n.Similarity > 0 && (len(q.found) < k || compare(n, q.found[k-1]) < 0) {
		at, _ := slices.BinarySearchFunc(q.found, n, compare)
		q.found = slices.Insert(q.found[:min(len(q.found), k-1)], at, n)
	}
	if len(q.found) < k {
		return 0
	}
	return q.found[k-1].Similarity
}
