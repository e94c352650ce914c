package solver

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestStart: from whatever alpha a solution starts, it ends within the tolerance of the same objective; from its own
// result, after an epoch or two.
func TestStart(t *testing.T) {
	must.SkipUnderRace(t)
	const tol = 1e-4
	for _, loss := range losses {
		for _, problems := range []int{1, 3, kernels.GroupSize} {
			for _, threads := range []int{1, 2} {
				rng := rand.New(rand.NewPCG(11, uint64(loss)))
				trials := sideBySide(rng, problems, 400, 60, problems == 3, true, true)
				o := DefaultOptions()
				o.Loss, o.Tol, o.MaxEpochs, o.Threads = loss, tol, 20000, threads
				s := opened(trials[0].X, nil)
				cold, err := s.solve(context.Background(), trials, o)
				must.OK(t, err)
				alphas := s.alphas()
				for name, start := range map[string]func(k, i int) float64{
					"own":    func(k, i int) float64 { return alphas[k][i] },
					"other":  func(k, i int) float64 { return alphas[(k+1)%problems][i] / 3 },
					"beyond": func(int, int) float64 { return 1e3 * rng.NormFloat64() },
				} {
					for k := range trials {
						trials[k].Start = make([]float64, trials[k].X.Rows)
						for i := range trials[k].Start {
							trials[k].Start[i] = start(k, i)
						}
					}
					warm, err := s.solve(context.Background(), trials, o)
					must.OK(t, err)
					for k := range warm {
						got, want := warm[k].Stats, cold[k].Stats
						if !got.Converged || math.Abs(got.Primal-want.Primal) > 1.01*tol*want.Primal {
							t.Errorf("%v, %d problems, %d threads, start %s: %+v, without it %+v", loss, problems, threads, name, got, want)
						}
						if name == "own" && want.Epochs > 4 && 4*got.Epochs > 3*want.Epochs {
							t.Errorf("%v, %d problems, %d threads: %d epochs from the solution, %d without", loss, problems, threads, got.Epochs, want.Epochs)
						}
					}
				}
				for _, wrong := range [][]float64{make([]float64, 1), append(make([]float64, trials[0].X.Rows-1), math.NaN())} {
					trials[0].Start = wrong
					if _, err := s.solve(context.Background(), trials, o); err == nil {
						t.Errorf("a start of %d rows, the last %v, is taken", len(wrong), wrong[len(wrong)-1])
					}
				}
				s.Close()
			}
		}
	}
}
