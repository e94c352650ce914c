package neighbours

import (
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
)

// Neighbour is a document that is similar to the query.
type Neighbour struct {
	Document   uint32
	Similarity float64
}

// nearer tells whether a is the nearer one of two neighbours.
func nearer(a, b Neighbour) bool {
	return a.Similarity > b.Similarity || a.Similarity == b.Similarity && a.Document < b.Document
}

// Searcher finds neighbours of one query after the other. It owns scratch memory: one per goroutine.
type Searcher struct {
	s *Set
	x *index

	weights []float64 // of every feature what the query has of it; zeros between queries
	in      []uint64  // a bit for every feature of the query
	bounds  []uint16  // of all documents
	groups  []uint16  // the largest of every groupSize bounds
	columns []columnPart
	lists   []listPart
	found   []Neighbour // the nearest first
	k       int
	faint   bool // a document that has a feature of the query may have a bound of 0

	length float64 // Euclidean, of the query
}

// columnPart is the query's share of a feature that has a column.
type columnPart struct {
	column int
	factor uint16
}

// listPart is the query's share of a feature that has a list, and where the next block begins in it.
type listPart struct {
	next, end uint64
	factor    uint16
}

// NewSearcher gives a searcher. The first one makes the index, unless a fault in a truncated file cuts that short.
func (s *Set) NewSearcher() *Searcher {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.index == nil {
		s.prior = s.shares()
		s.index = newIndex(s)
	}
	return &Searcher{
		s: s, x: s.index, weights: make([]float64, s.Features), in: make([]uint64, (s.Features+63)/64),
		bounds: make([]uint16, s.Documents()), groups: make([]uint16, (s.Documents()+groupSize-1)/groupSize),
	}
}

// Shown is a similarity as people know it: the cosine, where that is what is compared. Search leaves the length of the
// query out, which is the same for all documents, so that similarities do not depend on the order of the query's
// features.
func (q *Searcher) Shown(n Neighbour) float64 {
	if q.s.Cosine {
		return n.Similarity / q.length
	}
	return n.Similarity
}

// Search finds the k documents that are most similar to a query with these values of distinct features, the most
// similar first; fewer where fewer have a similarity above 0. They are valid until the next search.
func (q *Searcher) Search(features []uint32, values []float64, k int) []Neighbour {
	q.found, q.k = q.found[:0], k
	scale := q.begin(features, values)
	if scale == 0 {
		return nil
	}
	for first := 0; first < q.s.Documents(); first += q.x.block {
		q.bound(first, min(q.x.block, q.s.Documents()-first))
	}
	slack := len(q.columns) + len(q.lists) // each is rounded down by less than 1
	above := q.best()
	q.score(above, math.MaxUint16+1, scale, slack)
	q.score(1, above, scale, slack)
	if q.faint {
		q.score(0, 1, scale, slack)
	}
	for _, j := range features {
		q.weights[j] = 0
		q.in[j/64] = 0
	}
	return q.found
}

// Bounds count similarities in units, so that no similarity at all is more than mostUnits of them: by Cauchy and
// Schwarz, that is the product of the lengths.
const mostUnits = 60000

// groupSize is how many documents are passed over at once, if none of them can be a neighbour. Blocks are multiples
// of it.
const groupSize = blockUnit

// codeBits is by how many bits the product of a factor and a code is more than units.
const codeBits = 8

// begin lays the query out, and returns how many units a similarity of 1 has; 0 where nothing is similar to it.
func (q *Searcher) begin(features []uint32, values []float64) (scale float64) {
	x := q.x
	var square float64
	for _, v := range values {
		square += float64(v * v)
	}
	q.length = math.Sqrt(square)
	if bound := float64(q.length * x.longest); bound > 0 && !math.IsInf(bound, 0) {
		scale = mostUnits / bound
	} else {
		return 0
	}
	q.columns, q.lists, q.faint = q.columns[:0], q.lists[:0], false
	for e, j := range features {
		v := values[e]
		q.weights[j] = v
		q.in[j/64] |= 1 << (j % 64)
		if v < 0 && x.sides == 1 {
			continue // no product with it is positive
		}
		side := x.side(j, v < 0)
		// By at most two units less than the factor: the rounding of the numbers before it.
		factor := uint16(math.Ceil(float64(float64(math.Abs(v)*float64(x.largest[side]))*scale)*(1<<codeBits)/mostLevels) + 1)
		q.faint = q.faint || factor < 1<<codeBits
		if c := x.column[side]; c >= 0 {
			q.columns = append(q.columns, columnPart{int(c), factor})
		} else if lo, hi := x.starts[side], x.starts[side+1]; lo < hi {
			q.lists = append(q.lists, listPart{lo, hi, factor})
		}
	}
	return scale
}

// bound sets the bounds of the n documents of the block from first on.
func (q *Searcher) bound(first, n int) {
	bounds := q.bounds[first : first+n]
	clear(bounds)
	size := q.x.block
	codes := q.x.codes[first*q.x.columns:] // those of a block take as many bytes as it has documents, for each column
	for _, c := range q.columns {
		kernels.AddCodes(bounds, codes[c.column*size:][:n], c.factor)
	}
	end := uint32(first + n)
	for i := range q.lists {
		l := &q.lists[i]
		e, factor := l.next, uint32(l.factor)
		for ; e < l.end; e++ {
			d := q.x.documents[e]
			if d >= end {
				break
			}
			b := &q.bounds[d]
			*b = uint16(min(uint32(*b)+uint32(q.x.listed[e])*factor>>codeBits, math.MaxUint16))
		}
		l.next = e
	}
	for g := first / groupSize; g*groupSize < first+n; g++ {
		most := uint16(0)
		for _, b := range q.bounds[g*groupSize : min((g+1)*groupSize, first+n)] {
			most = max(most, b)
		}
		q.groups[g] = most
	}
}

// best is a bound that k documents reach, or about as many more as bounds are alike; the least if fewer have any.
func (q *Searcher) best() int {
	const shift, bins = 6, 1 << (16 - 6)
	var counts [bins]int32
	for _, most := range q.groups {
		counts[most>>shift]++
	}
	missing := int32(q.k)
	for bin := bins - 1; bin > 0; bin-- {
		if missing -= counts[bin]; missing <= 0 {
			return bin << shift
		}
	}
	return 1
}

// score adds up the similarities of those documents whose bounds are from lo up to hi, if these say that they may be
// neighbours.
func (q *Searcher) score(lo, hi int, scale float64, slack int) {
	least := max(lo, q.least(scale, slack))
	if least >= hi {
		return
	}
	for g, most := range q.groups {
		if int(most) < least {
			continue
		}
		first := g * groupSize
		for i, b := range q.bounds[first:min(first+groupSize, len(q.bounds))] {
			if int(b) < least || int(b) >= hi {
				continue
			}
			if q.offer(Neighbour{uint32(first + i), q.s.similarity(first+i, q.weights, q.in)}) {
				least = max(lo, q.least(scale, slack))
			}
		}
	}
}

// least is the least bound of a document that may still be a neighbour.
func (q *Searcher) least(scale float64, slack int) int {
	if len(q.found) < q.k {
		return 0
	}
	return max(0, int(q.found[q.k-1].Similarity*scale*(1-1e-9))-slack)
}

// similarity is that of a document with weights of features, of which in has a bit for those that are not zero.
func (s *Set) similarity(document int, weights []float64, in []uint64) (sum float64) {
	row, values := s.Row(document)
	for e, j := range row {
		if in[j/64]>>(j%64)&1 != 0 {
			sum += float64(weights[j] * float64(values[e]))
		}
	}
	return sum
}

// offer adds a document if it is one of the k nearest so far, and tells whether it is.
func (q *Searcher) offer(n Neighbour) bool {
	if !(n.Similarity > 0) || len(q.found) == q.k && !nearer(n, q.found[q.k-1]) {
		return false
	}
	at, _ := slices.BinarySearchFunc(q.found, n, func(a, b Neighbour) int {
		if nearer(a, b) {
			return -1
		}
		return 1
	})
	q.found = slices.Insert(q.found[:min(len(q.found), q.k-1)], at, n)
	return true
}
