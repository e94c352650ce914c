package solver

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// smooth are the losses that Newton's method is for.
var smooth = []Loss{SquaredHinge, Logistic, EpsilonInsensitive, SquaredEpsilonInsensitive}

// forNewton is a problem that Newton's method is chosen for.
func forNewton(loss Loss) trial {
	p := randomProblem(rand.New(rand.NewPCG(3, uint64(loss))), 500, 20, 6, loss == Logistic, true)
	p.UnitRows = loss == Logistic
	return p
}

// TestNewtonChosen: for few columns with short rows, and a loss that has second derivatives.
func TestNewtonChosen(t *testing.T) {
	dense := randomProblem(rand.New(rand.NewPCG(3, 1)), 300, 120, 100, false, false)
	unit := dense
	unit.UnitRows = true
	wide := randomProblem(rand.New(rand.NewPCG(3, 1)), 300, 120, 5, false, false)
	for _, test := range []struct {
		p    trial
		loss Loss
		want bool
	}{{forNewton(Logistic), Logistic, true}, {forNewton(SquaredHinge), SquaredHinge, true}, {forNewton(Hinge), Hinge, false}, {dense, Logistic, true}, {unit, Logistic, false}, {wide, Logistic, false}} {
		o := DefaultOptions()
		o.Loss = test.loss
		s := opened(test.p.X, nil)
		defer s.Close()
		if _, err := s.solve(t.Context(), []trial{test.p}, o); err != nil {
			t.Fatal(err)
		}
		if _, got := s.last.(*newton); got != test.want {
			t.Errorf("%d rows of %d entries in %d columns, %v: by Newton's method %t, want %t", test.p.X.Rows, test.p.X.NNZ(), test.p.X.Cols, test.loss, got, test.want)
		}
	}
}

// TestNewtonSeveral: several problems have the bits that each has alone.
func TestNewtonSeveral(t *testing.T) {
	for _, loss := range smooth {
		for _, unit := range []bool{false, true} {
			problems := sideBySide(rand.New(rand.NewPCG(9, 9)), 5, 300, 12, unit, true, unit)
			o := DefaultOptions()
			o.Loss = loss
			s := opened(problems[0].X, nil)
			defer s.Close()
			results, err := s.solve(t.Context(), problems, o)
			must.OK(t, err)
			alphas := s.alphas()
			for k, p := range problems {
				e := newNewton(p.X)
				alone, err := solveBy(t.Context(), e, p, o)
				must.OK(t, err)
				if got := results[k]; !got.Stats.Converged || got.Stats != alone.Stats || got.Intercept != alone.Intercept ||
					!slices.Equal(got.Weights, alone.Weights) || !slices.Equal(alphas[k], e.alpha(0, nil)) {
					t.Errorf("%v, problem %d: %+v among others, %+v alone", loss, k, got, alone)
				}
			}
		}
	}
}

// TestNewtonMatrix: the second derivatives are the sum over the rows whose loss is curved, however many of them were
// added and subtracted before, and however large.
func TestNewtonMatrix(t *testing.T) {
	for _, loss := range []Loss{SquaredHinge, EpsilonInsensitive, SquaredEpsilonInsensitive} {
		for name, p := range map[string]trial{"dense": measured(300), "sparse": forNewton(loss)} {
			if name == "dense" && loss == SquaredHinge {
				p.Positive, p.Costs.Negative = make([]bool, 300), 1
				for i, target := range p.Target {
					p.Positive[i] = target > 10
				}
				p.Target = nil
			}
			p = p.forLoss(loss)
			p.RowScale = make([]float64, p.X.Rows)
			for i := range p.RowScale {
				if p.RowScale[i] = 1; i%50 == 7 {
					p.RowScale[i] = 1e6 // such a row's margin is soon beyond 1
				}
			}
			o := DefaultOptions()
			o.Loss, o.Tol = loss, 1e-9
			e := newNewton(p.X)
			r, err := solveBy(t.Context(), e, p, o)
			must.OK(t, err)
			if e.dense != (name == "dense") || r.Stats.Epochs < 4 {
				t.Errorf("%s, %v: laid out by columns %t, %+v", name, loss, e.dense, r.Stats)
			}
			want := make([]float64, e.columns*e.columns)
			for i, x := range p.dense(1) {
				if e.known[i] {
					for k := range want {
						want[k] += e.loss.curvature(0, p.Cost(i)) * x[k/e.columns] * x[k%e.columns]
					}
				}
			}
			for k := range want {
				j, l := k/e.columns, k%e.columns
				sum := 0.0
				for _, part := range e.parts {
					sum += part.matrix[j*len(e.u)+l]
				}
				for _, column := range []int{j, l} {
					if column < p.X.Cols {
						sum *= p.colScale(column)
					}
				}
				if l <= j && math.Abs(sum-want[k]) > 1e-12*math.Sqrt(want[j*e.columns+j]*want[l*e.columns+l]) {
					t.Errorf("%s, %v: columns %d and %d: %v, want %v", name, loss, j, l, sum, want[k])
				}
			}
		}
	}
}

// TestNewtonThreads: the same bits from any number of threads.
func TestNewtonThreads(t *testing.T) {
	for _, loss := range smooth {
		o := DefaultOptions()
		o.Loss, o.Tol, o.Threads = loss, 1e-12, 1
		want, err := solved(t.Context(), []trial{forNewton(loss)}, o)
		must.OK(t, err)
		for _, o.Threads = range []int{2, 5, 40} {
			if got, err := solved(t.Context(), []trial{forNewton(loss)}, o); err != nil || !got.equal(want) {
				t.Errorf("%v, %d threads: %+v, %v; one: %+v", loss, o.Threads, got.stats, err, want.stats)
			}
		}
	}
}

// TestNewtonHard: the solution of what is badly scaled is certified, and an overflow names its row.
func TestNewtonHard(t *testing.T) {
	for _, loss := range smooth {
		o := DefaultOptions()
		o.Loss, o.Tol = loss, 1e-6
		p := forNewton(loss)
		for _, cost := range []float64{1e-9, 1e9} {
			p.Costs = Costs{cost, cost}
			r, err := solveBy(t.Context(), newNewton(p.X), p, o)
			if err != nil || !r.Stats.Converged {
				t.Errorf("%v, C %g: %+v, %v", loss, cost, r.Stats, err)
			}
		}
		p = randomProblem(rand.New(rand.NewPCG(3, 1)), 100, 10, 3, true, false)
		p.X.Values[p.X.Indptr[41]] = 3e38
		_, err := solveBy(t.Context(), newNewton(p.X), p, o)
		if err == nil || !strings.Contains(err.Error(), "row 42 of 100") {
			t.Errorf("%v: %v", loss, err)
		}
	}
}
