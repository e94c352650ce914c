package solver

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// twins are rows of random words of which a few say nearly the same as the one before.
func twins() trial {
	const rows, cols, perRow = 4000, 20000, 120
	rng := rand.New(rand.NewPCG(1, 2))
	p := randomProblem(rng, rows, cols, perRow, false, false)
	for k := range 3 {
		i := 2 * k
		idx, _ := p.X.Row(i)
		p.X.AppendRow(idx[:len(idx)-1], nil)
		p.Positive = append(p.Positive, p.Positive[i])
	}
	p.Mass = nil
	return p
}

// Rows that undo each other's steps are visited again, so that a solution takes fewer
// visits in all than epochs alone.
func TestRepeat(t *testing.T) {
	must.SkipUnderRace(t)
	p := twins()
	s := newSingle(Matrix{X: p.X}, 1, nil)
	defer s.release()
	o := DefaultOptions()
	o.Loss, o.Tol = Hinge, 1e-4
	r, err := s.Solve(context.Background(), p, o)
	must.OK(t, err)
	if !r.Stats.Converged {
		t.Fatalf("%v after %d epochs", r.Stats.Converged, r.Stats.Epochs)
	}
	const most = 55 // epochs alone take 67
	if visits := float64(r.Stats.Steps) / float64(p.X.Rows); visits > most {
		t.Errorf("%.1f visits a row, want at most %d", visits, most)
	}
}
