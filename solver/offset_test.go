package solver

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// offsets are some for every row of the trials, of the size of margins.
func offsets(rng *rand.Rand, trials []trial) {
	for k := range trials {
		trials[k].Offset = make([]float64, trials[k].X.Rows)
		for i := range trials[k].Offset {
			trials[k].Offset[i] = 2 * rng.NormFloat64()
		}
	}
}

// TestOffset holds all engines against brute force where rows have offsets, and their objectives against the
// definition.
func TestOffset(t *testing.T) {
	const tol = 1e-4
	rng := rand.New(rand.NewPCG(21, 1))
	for _, loss := range losses {
		for _, problems := range []int{1, 3, kernels.GroupSize} {
			for _, unit := range []bool{false, true} {
				if testing.Short() && (unit || problems > 3) {
					continue
				}
				trials := sideBySide(rng, problems, 24, 6, true, true, unit)
				offsets(rng, trials)
				trials[0].Offset[0] = 0
				if problems > 1 {
					trials[1].Offset = nil
					trials[2].RowScale = slices.Clone(trials[2].RowScale) // rows may have other scales, too
					for i := range trials[2].RowScale {
						trials[2].RowScale[i] *= 0.5 + rng.Float64()
					}
				}
				optima := make([]float64, problems)
				for k, p := range trials {
					optima[k] = p.optimum(loss, p.dense(1))
				}
				for name, engine := range map[string]engine{
					"single": newSingle(trials[0].X, 1), "group": newGroup(trials[0].X, nil), "newton": newNewton(trials[0].X),
				} {
					if name == "single" && problems > 1 || name == "newton" && loss == Hinge {
						continue
					}
					o := DefaultOptions()
					o.Loss, o.Tol, o.MaxEpochs = loss, tol, 20000
					stats, err := run(t.Context(), engine, problemsOf(trials), o)
					must.OK(t, err)
					for k, p := range trials {
						weights, intercept := engine.weights(k, nil)
						got, want := p.primal(loss, p.dense(o.Bias), dense(weights, intercept, o.Bias)), optima[k]
						if math.Abs(got-stats[k].Primal) > 1e-5*got {
							t.Errorf("%v, %s of %d: P is %v, certified %v", loss, name, problems, got, stats[k].Primal)
						}
						if !stats[k].Converged || stats[k].Dual > want*(1+1e-6) || got > want*(1+1.1*tol) {
							t.Errorf("%v, %s of %d, unit %v: %+v, P is %v, the optimum %v", loss, name, problems, unit, stats[k], got, want)
						}
					}
				}
			}
		}
	}
}

// TestOffsetRest: with the decision values that some rows of a problem contribute as offsets, the other rows have the
// same alpha as in the whole problem. So a correction to a classifier is what the whole problem would add to it if
// the alpha of earlier rows stayed.
func TestOffsetRest(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 2))
	for _, loss := range losses {
		whole := randomProblem(rng, 32, 10, 4, true, true)
		o := DefaultOptions()
		o.Loss, o.Tol, o.MaxEpochs = loss, 1e-8, 20000
		s := newSingle(whole.X, 1)
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
			if want := alpha[first+i]; math.Abs(a-want) > 1e-3*max(1, want) { // the root of the gap
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
	p.Offset = make([]float64, 20)
	if _, err := streamed(t, []trial{p}, at{100, 1}, 4).solve(t.Context(), []trial{p}, DefaultOptions()); err == nil {
		t.Error("offsets of rows from a source are taken")
	}
}
