package boost

import (
	"math"
	"math/bits"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// known is the mean value of what is below a node for a row of which some columns are known, as bits.
func (t *Tree) known(node uint32, row []float32, columns uint) float64 {
	n := &t.Nodes[node]
	switch {
	case n.Leaf():
		return float64(n.Number)
	case columns>>n.Column&1 == 0:
		l, r := &t.Nodes[n.Left], &t.Nodes[n.Left+1]
		all := float64(l.Cover) + float64(r.Cover)
		return float64(l.Cover)/all*t.known(n.Left, row, columns) + float64(r.Cover)/all*t.known(n.Left+1, row, columns)
	case row[n.Column] < n.Number:
		return t.known(n.Left, row, columns)
	}
	return t.known(n.Left+1, row, columns)
}

// TestContributions: contributions are Shapley values, which brute force computes over all sets of columns, and add
// up to the margin.
func TestContributions(t *testing.T) {
	const columns = 9
	factorial := func(n int) float64 { return math.Gamma(float64(n + 1)) }
	for _, valued := range []bool{false, true} {
		for _, classes := range []int{2, 3} {
			_, p := sampled(21, 400, columns, classes, valued)
			r := train(t, p, options(5, 6))
			s := NewPredictor(&r.Forest, columns).NewScorer()
			random := xmath.SplitMix(5)
			for range 10 {
				row := make([]float32, columns)
				var ids []uint32
				var values []float64
				for j := range row {
					if random.IntN(2) == 0 {
						if row[j] = 1; valued {
							row[j] = float32(random.IntN(9)-4) / 4
						}
						ids, values = append(ids, uint32(j)), append(values, float64(row[j]))
					}
				}
				margins, shares := make([]float64, r.Forest.Outputs), make([]float64, columns)
				s.Margins(margins, ids, values)
				for k := range margins {
					worth := func(set uint) (sum float64) {
						for _, tree := range r.Forest.Of(k) {
							sum += tree.known(0, row, set)
						}
						return sum
					}
					sum := s.Contributions(shares, k, ids, values)
					if want := worth(0); math.Abs(sum-want) > 1e-6 {
						t.Errorf("the mean is %v, want %v", sum, want)
					}
					for j, got := range shares {
						want := 0.0
						for set := range uint(1 << columns) {
							if set>>j&1 == 0 {
								n := bits.OnesCount(set)
								want += factorial(n) * factorial(columns-n-1) / factorial(columns) * (worth(set|1<<j) - worth(set))
							}
						}
						if math.Abs(got-want) > 1e-6 {
							t.Errorf("column %d contributes %v, want %v", j, got, want)
						}
						sum += got
					}
					if math.Abs(sum-margins[k]) > 1e-6 {
						t.Errorf("contributions add up to %v, want %v", sum, margins[k])
					}
				}
			}
		}
	}
}
