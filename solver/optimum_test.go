package solver

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// TestOptimum holds all engines against brute force on small problems, one or several side by side, with rows of no
// mass, with and without offsets; and their objectives, and the alpha of Newton's method, against the definitions.
func TestOptimum(t *testing.T) {
	must.SkipUnderRace(t)
	const few = 3
	for _, loss := range losses {
		for _, kind := range []struct {
			problems                            int
			valued, scaled, unit, whole, offset bool
			bias                                float64
		}{
			{1, false, false, false, false, false, 0},
			{1, false, false, false, false, true, 1},
			{1, false, true, false, false, false, 2},
			{1, false, true, true, false, false, 1},
			{1, true, false, false, false, false, 0},
			{1, true, true, true, false, false, 1},
			{1, true, true, false, true, false, 1},
			{1, true, false, true, true, false, 0},
			{few, false, true, true, false, false, 1},
			{few, true, true, false, false, true, 1},
			{few, false, false, false, false, false, 0},
			{kernels.GroupSize, true, true, true, false, true, 1},
			{kernels.GroupSize, false, true, false, false, false, 1},
		} {
			t.Run(fmt.Sprint(loss, kind), func(t *testing.T) {
				rng, rows := rand.New(rand.NewPCG(1, 2)), 40
				if kind.whole {
					rows = 110
				}
				trials := sideBySide(rng, kind.problems, rows, 12, kind.valued, kind.scaled, kind.unit)
				if kind.offset {
					offsets(rng, trials)
					trials[0].Offset[0] = 0
				}
				if kind.problems == few && kind.scaled { // some without offsets, and rows may have other scales, too
					trials[1].Offset = nil
					trials[2].RowScale = slices.Clone(trials[2].RowScale)
					for i := range trials[2].RowScale {
						trials[2].RowScale[i] *= 0.5 + rng.Float64()
					}
				}
				x, mass := trials[0].X, slices.Clone(trials[0].Mass)
				if kind.whole {
					x = withWholeRows(rng, x)
				}
				mass[7] = 0
				optima := make([]float64, len(trials))
				for k := range trials {
					trials[k].X, trials[k].Mass = x, mass
					trials[k] = trials[k].forLoss(loss)
					optima[k] = math.Inf(1)
					if k < few {
						optima[k] = trials[k].optimum(loss, trials[k].dense(kind.bias))
					}
				}
				for name, of := range map[string]struct {
					engine
					tol    float64
					epochs int
				}{
					"single": {newSingle(Matrix{X: x}, 1, nil), 1e-5, 20_000}, "group": {newGroup(Matrix{X: x}), 1e-4, 20_000}, "newton": {newNewton(x), 1e-9, 20},
				} {
					if name == "single" && kind.problems > 1 || name == "newton" && !slices.Contains(smooth, loss) {
						continue
					}
					o := DefaultOptions()
					o.Loss, o.Tol, o.Bias, o.MaxEpochs = loss, of.tol, kind.bias, of.epochs
					if !loss.isSmooth() {
						o.MaxEpochs *= 10 // for Newton's method, to find which rows are at a kink
					}
					problems := problemsOf(trials, &o)
					stats, err := run(t.Context(), of.engine, problems, o)
					must.OK(t, err)
					for k, p := range trials {
						r, x := stats[k], p.dense(kind.bias)
						if !r.Converged || r.Gap > o.Tol || r.Gap < -1e-12 {
							t.Errorf("%s, problem %d: %+v", name, k, r)
						}
						weights, intercept := of.weights(k, nil), of.intercepts(k)[0]
						got := p.primal(loss, x, dense(weights, intercept, kind.bias))
						if math.Abs(got-r.Primal) > 1e-6*got { // slots and weights are float32
							t.Errorf("%s, problem %d: P(w) is %.10g, Stats say %.10g", name, k, got, r.Primal)
						}
						if best := optima[k]; r.Primal > best*(1+1.01*o.Tol+1e-6) || k < few && r.Dual > best*(1+1e-6) {
							t.Errorf("%s, problem %d: primal %.9g, dual %.9g, brute force %.9g", name, k, r.Primal, r.Dual, best)
						}
						if dual := p.dual(loss, x, of.alpha(k, nil)); name == "newton" && math.Abs(dual-r.Dual) > 1e-12*r.Primal {
							t.Errorf("problem %d: D(alpha) is %.15g, Stats say %.15g", k, dual, r.Dual)
						}
					}
					if name == "newton" && loss.isSmooth() {
						again := problemsOf(trials, &o)
						for k := range again {
							again[k].Start = of.alpha(k, nil)
						}
						if stats, err := run(t.Context(), of.engine, again, o); err != nil || stats[0].Epochs > 2 {
							t.Errorf("%d epochs from the solution, %v", stats[0].Epochs, err)
						}
					}
				}
			})
		}
	}
}

// dual is D(alpha) written out.
func (p trial) dual(loss Loss, x [][]float64, alpha []float64) (sum float64) {
	v := make([]float64, len(x[0]))
	for i, a := range alpha {
		for j, value := range x[i] {
			v[j] += a * p.sign(i) * value
		}
		if cost := p.Cost(i); cost > 0 {
			o := Options{Loss: loss, Epsilon: epsilon}
			sum -= o.rowLoss().conj(a, cost-a, cost) + a*p.offset(i)
		}
	}
	for _, value := range v {
		sum -= value * value / 2
	}
	return sum
}

// offsets are some for every row of the trials, of the size of margins.
func offsets(rng *rand.Rand, trials []trial) {
	for k := range trials {
		trials[k].Offset = make([]float64, trials[k].X.Rows)
		for i := range trials[k].Offset {
			trials[k].Offset[i] = 2 * rng.NormFloat64()
		}
	}
}

// withWholeRows is a matrix of which two rows of three have all columns.
func withWholeRows(rng *rand.Rand, x *sparse.CSR) *sparse.CSR {
	whole := &sparse.CSR{Cols: x.Cols, Indptr: []int64{0}}
	for i := range x.Rows {
		columns, values := x.Row(i)
		if i%3 > 0 {
			columns, values = nil, nil
			for j := range uint32(x.Cols) {
				columns, values = append(columns, j), append(values, float32(rng.NormFloat64()))
			}
		}
		whole.AppendRow(columns, values)
	}
	return whole
}
