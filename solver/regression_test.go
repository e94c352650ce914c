package solver

import (
	"bufio"
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/sparse"
)

var regressions = []Loss{EpsilonInsensitive, SquaredEpsilonInsensitive}

// measured are rows of correlated measurements of different sizes, and counts that depend on them.
func measured(rows int) trial {
	rng := rand.New(rand.NewPCG(41, 1))
	scales := []float64{0.01, 0.6, 0.2, 30, 14, 0.7, 10, 1}
	p := trial{Problem{Costs: Costs{Positive: 1}}, &sparse.CSR{}}
	for range rows {
		size, values := rng.Float64(), make([]float32, len(scales))
		for j, s := range scales {
			values[j] = float32(s * math.Pow(size, 1+float64(j%3)) * (1 + 0.1*rng.NormFloat64()))
		}
		p.X.AppendRow([]uint32{0, 1, 2, 3, 4, 5, 6, 7}, values)
		p.Target = append(p.Target, math.Round(3+12*size+size*math.Abs(4*rng.NormFloat64())))
	}
	return p
}

// worded are rows of words, and targets of any sign.
func worded(rows, columns int) trial {
	p := randomProblem(rand.New(rand.NewPCG(42, 1)), rows, columns, 20, false, false).forLoss(EpsilonInsensitive)
	p.Mass = nil
	return p
}

// TestRegressionLIBLINEAR: the objectives of LIBLINEAR's three solvers of support vector regression, on dense rows and
// on rows of words, by a plain loop over its weights.
func TestRegressionLIBLINEAR(t *testing.T) {
	program, err := exec.LookPath("liblinear-train")
	if err != nil {
		t.Skip("liblinear-train is not on the path (Debian: liblinear-tools): LIBLINEAR is what this test compares with")
	}
	must.SkipUnderRace(t)
	for name, p := range map[string]trial{"measurements": measured(500), "words": worded(500, 400)} {
		for _, cost := range []float64{0.02, 0.2} {
			p.Costs.Positive = cost
			file, model := filepath.Join(t.TempDir(), "rows"), filepath.Join(t.TempDir(), "model")
			var text strings.Builder
			for i, target := range p.Target {
				fmt.Fprint(&text, target)
				row := rowOf(p.X, i)
				for k, j := range row.idx() {
					fmt.Fprintf(&text, " %d:%v", j+1, row.value(k))
				}
				fmt.Fprintln(&text)
			}
			must.OK(t, os.WriteFile(file, []byte(text.String()), 0o666))
			x := p.dense(1)
			for _, s := range []struct {
				number string
				loss   Loss
			}{{"11", SquaredEpsilonInsensitive}, {"12", SquaredEpsilonInsensitive}, {"13", EpsilonInsensitive}} {
				if s.number != "11" && name == "measurements" {
					continue // its coordinate descent does not come near to the optimum
				}
				out, err := exec.Command(program, "-q", "-s", s.number, "-c", fmt.Sprint(cost), "-p", fmt.Sprint(epsilon),
					"-B", "1", "-e", "1e-9", file, model).CombinedOutput()
				if err != nil {
					t.Fatalf("%v: %s", err, out)
				}
				data, err := os.ReadFile(model)
				must.OK(t, err)
				_, lines, _ := bytes.Cut(data, []byte("\nw\n"))
				var w []float64
				for scanner := bufio.NewScanner(bytes.NewReader(lines)); scanner.Scan(); {
					var weight float64
					_, err := fmt.Sscan(scanner.Text(), &weight)
					must.OK(t, err)
					w = append(w, weight)
				}
				want := p.primal(s.loss, x, w)
				o := DefaultOptions()
				o.Loss, o.Tol = s.loss, 1e-7
				if !s.loss.isSmooth() {
					o.Tol = 1e-6 // single precision
				}
				results, err := opened(p.X, nil).solve(t.Context(), []trial{p}, o)
				must.OK(t, err)
				r := results[0]
				got := p.primal(s.loss, x, dense(r.Weights, r.Intercept, 1))
				if !r.Stats.Converged || math.Abs(got-want) > 2e-6*want || math.Abs(got-r.Stats.Primal) > 1e-6*want {
					t.Errorf("%s, C %v, -s %s: P %.9g, Stats %+v; LIBLINEAR has %.9g",
						name, cost, s.number, got, r.Stats, want)
				}
			}
		}
	}
}

// everyEngine solves a regression by all engines.
func everyEngine(t *testing.T, p trial, o Options, check func(name string, r result)) {
	t.Helper()
	for name, e := range map[string]engine{
		"single": newSingle(Matrix{X: p.X}, 1, nil), "group": newGroup(Matrix{X: p.X}), "newton": newNewton(p.X),
	} {
		r, err := solveBy(t.Context(), e, p, o)
		if err != nil {
			t.Errorf("%s, %v: %v", name, o.Loss, err)
			continue
		}
		check(name, *r)
		e.base().release()
	}
}

// TestRegressionScale: targets, epsilon and the weights are of any size. A cost of the loss that is not squared goes with
// them.
func TestRegressionScale(t *testing.T) {
	defer func(before float64) { epsilon = before }(epsilon)
	before := epsilon
	for _, loss := range regressions {
		o := DefaultOptions()
		o.Loss, o.Tol = loss, 1e-3
		want := solve(t, worded(300, 50), o).Stats.Primal
		for _, scale := range []float64{1e-12, 1e-3, 1e6, 1e12} {
			p := worded(300, 50)
			for i := range p.Target {
				p.Target[i] *= scale
			}
			if !loss.isSquared() {
				p.Costs.Positive *= scale
			}
			epsilon = before * scale
			everyEngine(t, p, o, func(name string, r result) {
				if got := r.Stats.Primal / scale / scale; !r.Stats.Converged || math.Abs(got-want) > 1.01*o.Tol*want {
					t.Errorf("%s, %v, targets of %v: %v, want %v; %+v", name, loss, scale, got, want, r.Stats)
				}
			})
			epsilon = before
		}
	}
}

// TestRegressionEdges has solutions that are known.
func TestRegressionEdges(t *testing.T) {
	same := func(n int, target float64) []float64 { return slices.Repeat([]float64{target}, n) }
	for _, loss := range regressions {
		o := DefaultOptions()
		o.Loss, o.Tol = loss, 1e-5
		p := worded(200, 50)
		p.Target = same(200, -epsilon)
		p.Target[7] = epsilon / 2
		everyEngine(t, p, o, func(name string, r result) {
			if !r.Stats.Converged || r.Stats.Primal != 0 || slices.Max(r.Weights) != 0 || slices.Min(r.Weights) != 0 {
				t.Errorf("%s, %v: no loss at w = 0, but %+v, weights %v", name, loss, r.Stats, r.Weights)
			}
		})
		p.Target, p.Mass = same(200, 1e9), make([]float64, 200)
		p.Mass[3], p.Target[3] = 1, 5
		one := worded(1, 50)
		one.X.Indptr, one.X.Indices = []int64{0, 3}, []uint32{1, 2, 3} // ‖x‖² is 4 with the bias
		one.Target = []float64{5}
		idx, _ := p.X.Row(3)
		for name, q := range map[string]trial{"one row": one, "one row of cost 1": p} {
			norm := 4.0
			if q.X == p.X {
				norm = float64(len(idx)) + 1
			}
			want := min((5-epsilon)/norm, 1) // alpha
			if loss.isSquared() {
				want = (5 - epsilon) / (norm + 0.5)
			}
			everyEngine(t, q, o, func(engine string, r result) {
				if !r.Stats.Converged || math.Abs(r.Intercept-want) > 3e-3*want { // the root of the gap
					t.Errorf("%s, %s, %v: intercept %v, want %v; %+v", name, engine, loss, r.Intercept, want, r.Stats)
				}
			})
		}
		// Targets that are all the same, and those of a plane.
		for name, of := range map[string]func(i int, x []float64) float64{
			"constant": func(int, []float64) float64 { return 7 },
			"plane":    func(_ int, x []float64) float64 { return 3*x[0] - 2*x[1] + 1 },
		} {
			q := randomProblem(rand.New(rand.NewPCG(43, 1)), 300, 4, 3, true, false)
			q.Positive, q.Target, q.Mass, q.Costs.Positive = nil, make([]float64, 300), nil, 10
			x := q.dense(1)
			for i := range x {
				q.Target[i] = of(i, x[i])
			}
			want := q.optimum(loss, x) // or near to it
			everyEngine(t, q, o, func(engine string, r result) {
				if !r.Stats.Converged || r.Stats.Primal > (1+2*o.Tol)*want || r.Stats.Dual > (1+1e-6)*want {
					t.Errorf("%s, %s, %v: %+v, want %v", name, engine, loss, r.Stats, want)
				}
			})
		}
		if !loss.isSquared() {
			continue
		}
		// Too much for any number.
		p.Mass, p.Costs.Positive, p.Target = nil, 1e30, same(200, 1e30)
		for _, e := range []engine{newSingle(Matrix{X: p.X}, 1, nil), newGroup(Matrix{X: p.X}), newNewton(p.X)} {
			r, err := solveBy(t.Context(), e, p, o)
			if err == nil || !strings.Contains(err.Error(), "scale values and targets down") {
				t.Errorf("%T, %v: %v, %v", e, loss, r, err)
			}
		}
	}
}

// TestRegressionRidge: without epsilon, the squared loss takes one step of Newton's method, and its weights are those of
// the normal equations.
func TestRegressionRidge(t *testing.T) {
	defer func(before float64) { epsilon = before }(epsilon)
	epsilon = 0
	p := measured(1000)
	o := DefaultOptions()
	o.Loss, o.Tol = SquaredEpsilonInsensitive, 1e-12
	e := newNewton(p.X)
	r, err := solveBy(t.Context(), e, p, o)
	must.OK(t, err)
	if !r.Stats.Converged || r.Stats.Epochs > 3 {
		t.Errorf("%+v", r.Stats)
	}
	for j, w := range e.members[0].w { // w + 2·C·Σ residual·x is 0
		sum, size := w, math.Abs(w)
		for i, x := range p.dense(1) {
			residual := -p.Target[i]
			for k, v := range e.members[0].w {
				residual += x[k] * v
			}
			sum, size = sum+2*residual*x[j], size+math.Abs(2*residual*x[j])
		}
		if math.Abs(sum) > 1e-9*size {
			t.Errorf("column %d: the gradient is %v, of numbers that add up to %v", j, sum, size)
		}
	}
}

// TestRegressionOrder: the order of rows does not matter but for the tolerance.
func TestRegressionOrder(t *testing.T) {
	for _, loss := range regressions {
		for _, p := range []trial{measured(300), worded(300, 50)} {
			q := trial{Problem{Costs: p.Costs}, &sparse.CSR{}}
			for _, i := range rand.New(rand.NewPCG(44, 1)).Perm(p.X.Rows) {
				q.X.AppendRow(p.X.Row(i))
				q.Target = append(q.Target, p.Target[i])
			}
			q.X.Cols = p.X.Cols
			o := DefaultOptions()
			o.Loss, o.Tol = loss, 1e-4
			a, err := opened(p.X, nil).solve(t.Context(), []trial{p}, o)
			must.OK(t, err)
			b, err := opened(q.X, nil).solve(t.Context(), []trial{q}, o)
			must.OK(t, err)
			one, other := a[0].Stats, b[0].Stats
			if !one.Converged || !other.Converged || math.Abs(one.Primal-other.Primal) > o.Tol*one.Primal {
				t.Errorf("%v: %+v, in another order %+v", loss, one, other)
			}
		}
	}
}

func TestRegressionRefusals(t *testing.T) {
	p := worded(20, 50)
	for name, change := range map[string]func(*Problem, *Options){
		"no targets":         func(p *Problem, _ *Options) { p.Target = nil },
		"few targets":        func(p *Problem, _ *Options) { p.Target = p.Target[1:] },
		"sides, too":         func(p *Problem, _ *Options) { p.Positive = make([]bool, 20) },
		"a target of NaN":    func(p *Problem, _ *Options) { p.Target = append([]float64{math.NaN()}, p.Target[1:]...) },
		"a target of 1e31":   func(p *Problem, _ *Options) { p.Target = append([]float64{1e31}, p.Target[1:]...) },
		"targets of classes": func(p *Problem, o *Options) { p.Positive, o.Loss = make([]bool, 20), Hinge },
		"negative epsilon":   func(_ *Problem, o *Options) { o.Epsilon = -1 },
		"epsilon of NaN":     func(_ *Problem, o *Options) { o.Epsilon = math.NaN() },
		"infinite epsilon":   func(_ *Problem, o *Options) { o.Epsilon = math.Inf(1) },
		"epsilon of classes": func(p *Problem, o *Options) {
			p.Positive, p.Target, o.Loss, o.Epsilon = make([]bool, 20), nil, Hinge, 1
		},
		"no cost of either":     func(p *Problem, _ *Options) { p.Costs = Costs{} },
		"a start of fewer rows": func(p *Problem, _ *Options) { p.Start = []float64{1} },
	} {
		q, o := p.Problem, DefaultOptions()
		o.Loss = EpsilonInsensitive
		change(&q, &o)
		if _, err := opened(p.X, nil).Solve(t.Context(), []Problem{q}, o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
