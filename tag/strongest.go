package tag

import (
	"cmp"
	"slices"

	"github.com/seed-167f963f/nbsvm/explain"
)

// Strongest finds the features that speak most strongly for each tag, among those of the sentences that it is given. A
// model has only hashes of its features: sentences have their names. It must not be used by several goroutines at once.
type Strongest struct {
	m       *Model
	n       int
	extract *extractor
	seen    []bool              // by row of the model
	best    [][]explain.Feature // by tag, in descending order of weight
}

// NewStrongest returns a Strongest that keeps at most n features of each tag, and at least one.
func (m *Model) NewStrongest(n int) *Strongest {
	return &Strongest{
		m: m, n: max(n, 1), extract: newExtractor(m.templates), seen: make([]bool, m.Features),
		best: make([][]explain.Feature, len(m.Tags)),
	}
}

// Add adds the features of a sentence. It returns an error if the sentence lacks a column of the model's templates.
func (x *Strongest) Add(s *Sentence) error {
	if err := x.m.check(s); err != nil {
		return err
	}
	return x.m.protect(func() error {
		x.extract.sentence(s)
		for i := range s.Words {
			var names []string // made only where a feature is kept
			for k, key := range x.extract.word(i, len(s.Words)) {
				rows, _ := x.m.rows.appendFound(nil, nil, []uint64{key}, []int{1})
				if len(rows) == 0 || x.seen[rows[0]] {
					continue
				}
				row := rows[0]
				x.seen[row] = true
				for tag, weight := range x.m.weights[int(row)*x.m.pitch:][:len(x.m.Tags)] {
					best := x.best[tag]
					if weight <= 0 || len(best) == x.n && float64(weight) <= best[x.n-1].Weight {
						continue
					}
					if names == nil {
						names = x.extract.names(s, i)
					}
					f := explain.Feature{Key: uint64(row), Name: names[k], Weight: float64(weight)}
					at, _ := slices.BinarySearchFunc(best, f, func(a, b explain.Feature) int {
						return cmp.Or(cmp.Compare(b.Weight, a.Weight), -1) // behind those of equal weight
					})
					best = slices.Insert(best, at, f)
					x.best[tag] = best[:min(x.n, len(best))]
				}
			}
		}
		return nil
	})
}

// Features returns the features of a tag, given by its place in Tags, in descending order of weight.
func (x *Strongest) Features(tag int) []explain.Feature {
	if tag < 0 || tag >= len(x.best) {
		return nil
	}
	return x.best[tag]
}
