package boost

import (
	"fmt"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// BenchmarkTrain grows trees on a generated matrix; docs/explanation/trees.md has figures of real ones.
func BenchmarkTrain(b *testing.B) {
	for _, valued := range []bool{false, true} {
		x, p := sampled(1, 20000, 3000, 2, valued)
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("valued=%v/threads=%d", valued, threads), func(b *testing.B) {
				o := options(10, 6)
				p.Threads = threads
				p.lay(x, o)
				for b.Loop() {
					if _, err := Train(b.Context(), &p.Problem, o, nil); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(x.NNZ())*float64(o.Rounds)*float64(b.N)/b.Elapsed().Seconds(), "nnz/s")
			})
		}
	}
}

// BenchmarkMargins scores rows of that matrix.
func BenchmarkMargins(b *testing.B) {
	x, p := sampled(1, 5000, 3000, 2, false)
	r, err := Train(b.Context(), &p.Problem, options(100, 6), nil)
	must.OK(b, err)
	s, margins := NewPredictor(&r.Forest, x.Cols).NewScorer(), make([]float64, 1)
	values := make([]float64, x.Cols)
	for j := range values {
		values[j] = 1
	}
	for b.Loop() {
		for i := range 1000 {
			ids, _ := x.Row(i)
			s.Margins(margins, ids, values[:len(ids)])
		}
	}
	b.ReportMetric(1000*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
