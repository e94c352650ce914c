package solver

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestOffsetRest: with the decision values that some rows of a problem contribute as offsets, the other rows have the
// same alpha as in the whole problem. So a correction to a classifier is what the whole problem would add to it if
// the alpha of earlier rows stayed.
func TestOffsetRest(t *testing.T) {
	must.SkipUnderRace(t)
	rng := rand.New(rand.NewPCG(22, 2))
	for _, loss := range losses {
		whole := randomProblem(rng, 32, 10, 4, true, true).forLoss(loss)
		o := DefaultOptions()
		o.Loss, o.Tol, o.MaxEpochs = loss, 1e-8, 20000
		s := newSingle(Matrix{X: whole.X}, 1, nil)
		if _, err := s.Solve(t.Context(), whole, o); err != nil {
			t.Fatal(err)
		}
		alpha, x := s.alpha(0, nil), whole.dense(o.Bias)
		const first = 20 // row of the rest
		earlier := make([]float64, len(x[0]))
		for i, row := range x[:first] {
			for j, v := range row {
				earlier[j] += alpha[i] * whole.sign(i) * v
			}
		}
		rest := whole
		rest.Mass, rest.Offset = append(make([]float64, first), whole.Mass[first:]...), make([]float64, len(x))
		for i, row := range x {
			for j, v := range row {
				rest.Offset[i] += earlier[j] * v
			}
		}
		if _, err := s.Solve(t.Context(), rest, o); err != nil {
			t.Fatal(err)
		}
		for i, a := range s.alpha(0, nil)[first:] {
			if want := alpha[first+i]; math.Abs(a-want) > 1e-3*max(1, math.Abs(want)) { // the root of the gap
				t.Errorf("%v: alpha of row %d is %v, in the whole problem %v", loss, first+i, a, want)
			}
		}
	}
}

func TestOffsetRefusals(t *testing.T) {
	p := randomProblem(rand.New(rand.NewPCG(24, 4)), 20, 5, 3, false, false)
	for _, wrong := range [][]float64{make([]float64, 1), append(make([]float64, 19), math.NaN()), append(make([]float64, 19), 1e31)} {
		p.Offset = wrong
		if _, err := opened(p.X, nil).solve(t.Context(), []trial{p}, DefaultOptions()); err == nil {
			t.Errorf("%d offsets, the last %v, are taken", len(wrong), wrong[len(wrong)-1])
		}
	}
}
