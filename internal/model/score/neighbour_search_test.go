package score

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// drawn is what a random set is like.
type drawn struct {
	documents, features, length int
	skew                        float64 // of features: how much more frequent the first ones are
	signed                      bool
	copies                      int  // every document is there about as often
	levels                      int  // values are of so many magnitudes
	unit                        bool // documents have unit length
	multi, weighted             bool
}

// draw draws a row of distinct features.
func (w drawn) row(r *rand.Rand) (columns []uint32, values []float64) {
	has := map[uint32]bool{}
	for range r.IntN(w.length + 1) {
		has[uint32(float64(w.features)*math.Pow(r.Float64(), w.skew))] = true
	}
	for j := range has {
		columns = append(columns, j)
	}
	slices.Sort(columns)
	for range columns {
		v := float64(1+r.IntN(w.levels)) / float64(w.levels)
		if w.signed && r.IntN(3) == 0 {
			v = -v
		}
		values = append(values, v)
	}
	return columns, values
}

// set draws a set.
func (w drawn) set(t testing.TB, r *rand.Rand) *NeighbourSet {
	t.Helper()
	s := &NeighbourSet{
		K: 1 + r.IntN(12), Features: w.features, Labels: 1 + r.IntN(4),
		Starts: []uint64{0},
	}
	if w.multi {
		s.LabelEnd = []uint32{0}
		for range 2 * s.Labels {
			s.Factors = append(s.Factors, float64(1+r.IntN(3)))
		}
	}
	for i := range w.documents {
		columns, values := w.row(r)
		if i > 0 && r.IntN(w.copies) > 0 {
			same := r.IntN(i)
			of, numbers := s.Row(same)
			s.Columns, s.Values = append(s.Columns, of...), append(s.Values, numbers...)
		} else {
			length := 1.0
			if w.unit {
				length = norm(values)
			}
			for e, j := range columns {
				s.Columns, s.Values = append(s.Columns, j), append(s.Values, float32(values[e]/length))
			}
		}
		s.Starts = append(s.Starts, uint64(len(s.Columns)))
		if w.multi {
			for k := range s.Labels {
				if r.IntN(3) == 0 {
					s.Of = append(s.Of, uint16(k))
				}
			}
			s.LabelEnd = append(s.LabelEnd, uint32(len(s.Of)))
		} else {
			s.Of = append(s.Of, uint16(r.IntN(s.Labels)))
		}
		if w.weighted {
			s.Weights = append(s.Weights, float32(1+r.IntN(5))/2)
			s.Numbers = append(s.Numbers, uint32(2*i))
		}
	}
	return s
}

func norm(values []float64) float64 {
	var square float64
	for _, v := range values {
		square += float64(v * v)
	}
	return math.Sqrt(square)
}

// bruteForce adds up the similarity of every document, as a plain loop over its features, and sorts all.
func bruteForce(s *NeighbourSet, columns []uint32, values []float64, k int) (found []Neighbour) {
	dense := make([]float64, s.Features)
	for e, j := range columns {
		dense[j] = values[e]
	}
	for i := range s.Documents() {
		n := Neighbour{Document: uint32(i)}
		for e := s.Starts[i]; e < s.Starts[i+1]; e++ {
			if q := dense[s.Columns[e]]; q != 0 {
				n.Similarity += float64(q * float64(s.Values[e]))
			}
		}
		if n.Similarity > 0 {
			found = append(found, n)
		}
	}
	slices.SortStableFunc(found, func(a, b Neighbour) int {
		switch {
		case a.Similarity > b.Similarity:
			return -1
		case a.Similarity < b.Similarity:
			return 1
		}
		return 0
	})
	return found[:min(k, len(found))]
}

// sets are what random sets are like that tests take.
func sets() map[string]drawn {
	return map[string]drawn{
		"sparse":   {documents: 300, features: 200, length: 10, skew: 1, copies: 1, levels: 7, unit: true},
		"skewed":   {documents: 700, features: 500, length: 60, skew: 4, copies: 1, levels: 9, unit: true},
		"ties":     {documents: 400, features: 30, length: 5, skew: 2, copies: 4, levels: 1, unit: true, weighted: true},
		"signed":   {documents: 300, features: 40, length: 20, skew: 2, copies: 2, levels: 5, signed: true},
		"dense":    {documents: 500, features: 12, length: 90, skew: 1, copies: 1, levels: 100, signed: true, unit: true},
		"products": {documents: 300, features: 100, length: 30, skew: 3, copies: 1, levels: 100, multi: true},
		"many":     {documents: 20000, features: 300, length: 12, skew: 3, copies: 2, levels: 3, unit: true},
		"one":      {documents: 1, features: 5, length: 5, skew: 1, copies: 1, levels: 2, unit: true, multi: true, weighted: true},
	}
}

// TestFaint: documents whose similarity is next to nothing beside what it might be are found, too.
func TestFaint(t *testing.T) {
	s := &NeighbourSet{K: 10, Features: 3, Labels: 1, Starts: []uint64{0, 1}, Columns: []uint32{0}, Values: []float32{1e12}}
	s.Of = make([]uint16, 400)
	for i := range 399 {
		if i%50 == 7 {
			s.Columns, s.Values = append(s.Columns, 1), append(s.Values, float32(1+i))
		} else {
			s.Columns, s.Values = append(s.Columns, 2), append(s.Values, 1)
		}
		s.Starts = append(s.Starts, uint64(len(s.Columns)))
	}
	must.OK(t, s.check())
	for _, k := range []int{1, 3, 10} {
		columns, values := []uint32{0, 1}, []float64{1, 0.5}
		got, want := s.NewSearcher().Search(columns, values, k), bruteForce(s, columns, values, k)
		if len(want) != min(k, 9) || !slices.Equal(got, want) {
			t.Errorf("%d nearest: %v, want %v", k, got, want)
		}
	}
}

// TestSearch: neighbours and their similarities are those of brute force, to the last bit.
func TestSearch(t *testing.T) {
	for name, w := range sets() {
		r := rand.New(rand.NewPCG(1, uint64(len(name))))
		for range 3 {
			s := w.set(t, r)
			q, queries := s.NewSearcher(), 40
			if s.Documents() > 1000 {
				queries = 5
			}
			for range queries {
				columns, values := w.row(r)
				r.Shuffle(len(columns), func(i, k int) {
					columns[i], columns[k] = columns[k], columns[i]
					values[i], values[k] = values[k], values[i]
				})
				k := []int{1, 2, s.K, 30, 1000}[r.IntN(5)]
				got, want := q.Search(columns, values, k), bruteForce(s, columns, values, k)
				if !slices.Equal(got, want) {
					t.Fatalf("%s, k %d: neighbours %v, want %v", name, k, got, want)
				}
			}
		}
	}
}

// TestScored: of long texts, few documents are scored in full.
func TestScored(t *testing.T) {
	w := drawn{documents: 4000, features: 5000, length: 100, skew: 3, copies: 1, levels: 5}
	r := rand.New(rand.NewPCG(3, 4))
	s := w.set(t, r)
	frequencies := make([]float64, s.Features)
	for _, j := range s.Columns {
		frequencies[j]++
	}
	for i := range s.Documents() { // as with TF-IDF
		row, values := s.Row(i)
		length := 0.0
		for e, j := range row {
			values[e] *= float32(math.Log(float64(s.Documents()) / frequencies[j]))
			length += float64(values[e]) * float64(values[e])
		}
		for e := range values {
			values[e] /= float32(math.Sqrt(length))
		}
	}
	q, maybe, queries := s.NewSearcher(), 0, 0
	for i := 0; i < s.Documents(); i += 100 {
		row, values := s.Row(i)
		if len(row) < 20 {
			continue
		}
		query := make([]float64, len(row))
		for e, v := range values {
			query[e] = float64(v)
		}
		least := q.Search(row, query, 10)[9].Similarity
		queries++
		for _, bound := range q.bounds {
			if float64(bound) >= least {
				maybe++
			}
		}
	}
	if share := float64(maybe) / float64(queries*s.Documents()); share > 0.3 {
		t.Errorf("%.3f of the documents may be neighbours", share)
	}
}
