package solver

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-167f963f/nbsvm/sparse"
)

// crowded has a tenth of the rows be nearly the same row; labels are random.
func crowded() trial {
	rng := rand.New(rand.NewPCG(1, 2))
	const rows, cols, common = 8192, 4000, 20
	p := trial{Problem{Positive: make([]bool, rows), Costs: Costs{1, 1}}, &sparse.CSR{}}
	for i := range rows {
		var idx []uint32
		if rng.IntN(10) == 0 {
			for j := range uint32(common) {
				idx = append(idx, j)
			}
		}
		for j := common + rng.IntN(700); j < cols; j += 1 + rng.IntN(700) {
			idx = append(idx, uint32(j))
		}
		p.X.AppendRow(idx, nil)
		p.Positive[i] = rng.IntN(3) == 0
	}
	return p
}

// TestBatchOf: rows that have little in common come in large batches, rows that are
// alike in small ones, even where few are alike, and few rows one by one.
func TestBatchOf(t *testing.T) {
	for _, test := range []struct {
		name        string
		p           trial
		least, most int
	}{
		{"apart", randomProblem(rand.New(rand.NewPCG(1, 1)), 5000, 2000, 5, false, false), mostBatch, mostBatch},
		{"alike", randomProblem(rand.New(rand.NewPCG(1, 1)), 5000, 10, 5, false, false), 1, 4},
		{"a tenth alike", crowded(), 2, 16},
		{"few", randomProblem(rand.New(rand.NewPCG(1, 1)), 100, 2000, 5, false, false), 1, 1},
	} {
		s := newSingle(Matrix{X: test.p.X}, 1, nil)
		defer s.release()
		s.set([]Problem{test.p.Problem}, DefaultOptions())
		s.begin()
		if s.size < test.least || s.size > test.most {
			t.Errorf("%s: batches of %d rows, want %d to %d", test.name, s.size, test.least, test.most)
		}
	}
}

// TestBatchesTooLarge: batches that keep a problem from converging shrink until it does.
func TestBatchesTooLarge(t *testing.T) {
	for _, loss := range losses {
		p := crowded()
		s := newSingle(Matrix{X: p.X}, 1, nil)
		defer s.release()
		o := DefaultOptions()
		o.Loss, o.MaxEpochs = loss, 500
		s.set(problemsOf([]trial{p}, &o), o)
		s.begin()
		s.setBatch(mostBatch)
		for !s.over() {
			if _, err := s.step(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		stats := s.stats(0)
		if !stats.Converged || math.IsNaN(stats.Primal) || s.size == mostBatch {
			t.Errorf("%v: %+v, in the end with batches of %d", loss, stats, s.size)
		}
		t.Logf("%v: %d epochs, in the end with batches of %d", loss, stats.Epochs, s.size)
	}
}
