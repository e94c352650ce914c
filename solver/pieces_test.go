package solver

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// wide has so many entries a row that threads share out the columns, and in every row
// two columns of its own.
func wide(valued bool) trial {
	rng := rand.New(rand.NewPCG(3, 4))
	const rows, cols, perRow = 4500, 20000, 260
	p := trial{Problem{Positive: make([]bool, rows), Costs: Costs{1, 2}, ColScale: make([]float32, cols+2*rows)}, &sparse.CSR{}}
	for j := range p.ColScale {
		p.ColScale[j] = float32(rng.NormFloat64())
	}
	for i := range rows {
		seen := map[uint32]bool{}
		for len(seen) < perRow {
			seen[uint32(cols*rng.Float64()*rng.Float64())] = true
		}
		idx := make([]uint32, 0, perRow+2)
		for j := range seen {
			idx = append(idx, j)
		}
		slices.Sort(idx)
		idx = append(idx, uint32(cols+2*i), uint32(cols+2*i+1))
		var val []float32
		if valued {
			for range idx {
				val = append(val, rng.Float32())
			}
		}
		p.X.AppendRow(idx, val)
		p.Positive[i] = rng.IntN(2) == 0
	}
	return p
}

// TestThreads: the same bits from any number of threads.
func TestThreads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(7)) // more threads do not take part
	for _, valued := range []bool{false, true} {
		for _, unit := range []bool{false, true} {
			p := wide(valued)
			p.UnitRows = unit
			s := newSingle(Matrix{X: p.X}, 1, nil)
			defer s.release()
			for i, loss := range losses {
				if must.RaceEnabled && i > 0 {
					continue // all losses share their threads
				}
				t.Run(fmt.Sprintf("%v valued=%v unit=%v", loss, valued, unit), func(t *testing.T) {
					o := DefaultOptions()
					o.Loss, o.MaxEpochs = loss, 3
					var want result
					for _, o.Threads = range []int{0, 2, 7} {
						r, err := s.Solve(t.Context(), p, o)
						must.OK(t, err)
						if !s.inPieces || s.worth(s.size) < 4 {
							t.Fatalf("threads have nothing to share: pieces %v, batches of %d", s.inPieces, s.size)
						}
						if want.Weights == nil {
							want = *r
							want.Weights = slices.Clone(r.Weights)
							continue
						}
						if r.Stats != want.Stats || r.Intercept != want.Intercept || !slices.Equal(r.Weights, want.Weights) {
							t.Errorf("%d threads: %+v, one: %+v", o.Threads, r.Stats, want.Stats)
						}
					}
				})
			}
		}
	}
}
