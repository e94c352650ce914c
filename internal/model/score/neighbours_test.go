package score

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-167f963f/nbsvm/explain"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// drawn is what random documents are like.
type drawn struct {
	documents, features, length int
	skew                        float64 // of features: how much more frequent the first ones are
	signed                      bool
	copies                      int // every document is there about as often
	levels                      int // values are of so many magnitudes
	multi, weighted             bool
}

// row is a document: the values of its features.
type row map[uint32]float64

func (w drawn) row(r *rand.Rand) row {
	x := row{}
	for range r.IntN(w.length + 1) {
		v := float64(1+r.IntN(w.levels)) / float64(w.levels)
		if w.signed && r.IntN(3) == 0 {
			v = -v
		}
		x[uint32(float64(w.features)*math.Pow(r.Float64(), w.skew))] = v
	}
	return x
}

// model draws a model, and returns its documents, too.
func (w drawn) model(r *rand.Rand) (*model.Model, []row) {
	rows, votes := make([]row, w.documents), make([]map[int]float32, w.documents)
	d := &model.Documents{K: 1 + r.IntN(12)}
	labels := 3
	if w.multi {
		for range 2 * labels {
			d.Factors = append(d.Factors, float64(1+r.IntN(3)))
		}
	}
	for i := range rows {
		if rows[i] = w.row(r); i > 0 && r.IntN(w.copies) > 0 {
			rows[i] = rows[r.IntN(i)]
		}
		weight := float32(1)
		if w.weighted {
			weight = float32(1+r.IntN(5)) / 2
			d.Numbers = append(d.Numbers, uint32(2*i))
		}
		votes[i] = map[int]float32{}
		for k := range labels {
			if w.multi && r.IntN(3) == 0 {
				votes[i][k] = weight
			}
		}
		if !w.multi {
			votes[i][r.IntN(labels)] = weight
		} else if len(votes[i]) == 0 {
			votes[i][labels] = weight
		}
	}
	d.Postings = model.NewSparse(w.features, func(entry func(uint32, int, float32)) {
		for i, x := range rows {
			for feature, value := range x {
				entry(feature, i, float32(value))
			}
		}
	})
	d.Votes = model.NewSparse(w.documents, func(entry func(uint32, int, float32)) {
		for i, of := range votes {
			for k := range labels + 1 {
				if weight, has := of[k]; has {
					entry(uint32(i), k, weight)
				}
			}
		}
	})
	m := &model.Model{
		Meta:    model.Meta{Labels: []string{"a", "b", "c"}, Task: "multiclass", Link: "share", Source: "svmlight", Values: "count"},
		Outputs: labels, Rule: &model.Rule{Section: model.Neighbours, Documents: d},
	}
	if w.multi {
		m.Meta.Task = "multilabel"
	}
	return m, rows
}

// nearestOf adds up the similarity of every document, feature by feature, and sorts all.
func nearestOf(rows []row, query row, features, k int) (found []neighbour) {
	for i, x := range rows {
		n := neighbour{document: uint32(i)}
		for j := range uint32(features) {
			if q, has := query[j]; has {
				n.similarity += float64(q * float64(float32(x[j])))
			}
		}
		if n.similarity > 0 {
			found = append(found, n)
		}
	}
	slices.SortStableFunc(found, func(a, b neighbour) int { return cmp.Compare(b.similarity, a.similarity) })
	return found[:min(k, len(found))]
}

// TestNeighbours: neighbours and their similarities are those of brute force, to the last bit; their votes are counted
// as in a plain loop; and what features add to a margin adds up to it.
func TestNeighbours(t *testing.T) {
	for name, w := range map[string]drawn{
		"sparse":   {documents: 300, features: 200, length: 10, skew: 1, copies: 1, levels: 7},
		"skewed":   {documents: 700, features: 500, length: 60, skew: 4, copies: 1, levels: 9},
		"ties":     {documents: 400, features: 30, length: 5, skew: 2, copies: 4, levels: 1, weighted: true},
		"signed":   {documents: 300, features: 40, length: 20, skew: 2, copies: 2, levels: 5, signed: true},
		"dense":    {documents: 500, features: 12, length: 90, skew: 1, copies: 1, levels: 100, signed: true},
		"products": {documents: 300, features: 100, length: 30, skew: 3, copies: 1, levels: 100, multi: true},
		"one":      {documents: 1, features: 5, length: 5, skew: 1, copies: 1, levels: 2, multi: true, weighted: true},
	} {
		r := rand.New(rand.NewPCG(1, uint64(len(name))))
		for range 3 {
			m, rows := w.model(r)
			of := newNearest(m)
			d, s := m.Rule.Documents, of.scorer(nil).(*nearestScorer)
			for range 40 {
				query, b := w.row(r), &batch{m: m}
				for feature, value := range query { // in any order
					b.rows, b.rowValues = append(b.rows, feature), append(b.rowValues, value)
				}
				margins := s.margins(b)
				want := nearestOf(rows, query, w.features, d.K)
				if !slices.Equal(s.found, want) {
					t.Fatalf("%s, k %d: neighbours %v, want %v", name, d.K, s.found, want)
				}
				if len(want) == 0 {
					for i := range rows {
						want = append(want, neighbour{uint32(i), 1})
					}
				}
				votes, all := make([]float64, 3), 0.0
				for _, n := range want {
					vote := float64(n.similarity * d.Weight(int(n.document)))
					all += vote
					for _, k := range d.LabelsOf(int(n.document)) {
						votes[k] += vote
					}
				}
				for k, margin := range margins {
					share := votes[k] / all
					if pro, con := 1.0, 1.0; w.multi && votes[k] > 0 {
						pro, con = d.Factors[2*k], d.Factors[2*k+1]
						share = votes[k] * pro / (votes[k]*pro + (all-votes[k])*con)
					}
					if math.Abs(margin-(2*share-1)) > 1e-12 {
						t.Fatalf("%s: label %d has the margin %v, want %v", name, k, margin, 2*share-1)
					}
					var e explain.Text
					sum := 0.0
					for _, p := range s.explain(&e, k, b) {
						sum += p.margin
					}
					if math.Abs(sum+e.Bias-margin) > 1e-9 || !w.multi && len(s.found) > 0 && e.Bias != 0 {
						t.Fatalf("%s: features add %v and the rest %v to label %d, want %v", name, sum, e.Bias, k, margin)
					}
					for i, n := range e.Neighbours {
						if n.Document != d.Number(int(want[i].document))+1 || !(n.Vote > 0 && n.Vote < 1+1e-12) {
							t.Fatalf("%s: neighbour %d is %+v", name, i, n)
						}
					}
				}
			}
		}
	}
}

// TestTypical: features of a class are those that are more in its documents than in all.
func TestTypical(t *testing.T) {
	keys, _, err := model.NewKeySet(10, []uint64{4, 7})
	must.OK(t, err)
	sparse := func(rows int, entries ...[3]float32) *model.Sparse {
		return model.NewSparse(rows, func(entry func(uint32, int, float32)) {
			for _, e := range entries {
				entry(uint32(e[0]), int(e[1]), e[2])
			}
		})
	}
	m := &model.Model{
		Meta: model.Meta{Labels: []string{"a", "b"}, Task: "binary"}, Outputs: 1, Universe: 10, Keys: *keys,
		Rule: &model.Rule{Documents: &model.Documents{
			K:        1,
			Postings: sparse(2, [3]float32{0, 0, 1}, [3]float32{0, 1, 2}, [3]float32{1, 1, 3}, [3]float32{1, 2, 6}),
			Votes:    sparse(3, [3]float32{0, 0, 1}, [3]float32{1, 0, 1}, [3]float32{2, 1, 1}),
		}},
	}
	r := newNearest(m)
	got := fmt.Sprint(r.strongest(5, func(int) bool { return true }))
	want := fmt.Sprint([][]explain.Feature{{{Key: 4, Weight: 0.5}}, {{Key: 7, Weight: 3}}})
	if got != want {
		t.Errorf("%v, want %v", got, want)
	}
}
