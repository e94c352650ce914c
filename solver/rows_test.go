package solver

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// repeated is a problem whose rows are rows of a matrix any number of times, and have several thresholds.
func repeated(loss Loss, thresholds int) trial {
	rng := rand.New(rand.NewPCG(51, uint64(loss)))
	base := randomProblem(rng, 150, 60, 6, true, true)
	p := trial{Problem{ColScale: base.ColScale, Costs: Costs{0.5, 1}, Row: []int32{}}, base.X}
	for i, positive := range base.Positive {
		for k := range thresholds {
			for range rng.IntN(3) {
				p.Row, p.Threshold = append(p.Row, int32(i)), append(p.Threshold, uint8(k))
				p.Positive = append(p.Positive, positive != (rng.IntN(4) == 0))
				p.Mass, p.RowScale = append(p.Mass, rng.Float64()), append(p.RowScale, 0.5+rng.Float64())
			}
		}
	}
	if thresholds == 1 {
		p.Threshold = nil
	}
	p.X.AppendRow([]uint32{3, 60, 61}, []float32{1, 2, 3}) // of columns that no other row has, and no problem
	for range 2 {
		p.Row, p.Positive, p.Mass, p.RowScale = append(p.Row, 150), append(p.Positive, true), append(p.Mass, 1), append(p.RowScale, 1)
		if p.Threshold != nil {
			p.Threshold = append(p.Threshold, uint8(thresholds-1))
		}
	}
	p.ColScale = append(p.ColScale, 1, 0.5)
	return p
}

// copied is the same problem with copies of rows and, for thresholds, columns of the bias.
func (p trial) copied(bias float64) trial {
	q := trial{p.Problem, &sparse.CSR{}}
	q.Row, q.Threshold = nil, nil
	thresholds := p.thresholds()
	for k, i := range p.Row {
		columns, values := p.X.Row(int(i))
		columns, values = slices.Clone(columns), slices.Clone(values)
		threshold := 0
		if p.Threshold != nil {
			threshold = int(p.Threshold[k])
		}
		columns = append(columns, uint32(p.X.Cols+threshold))
		q.X.AppendRow(columns, append(values, float32(bias/p.RowScale[k])))
	}
	q.X.Cols = p.X.Cols + thresholds
	for range thresholds {
		q.ColScale = append(slices.Clip(q.ColScale), 1)
	}
	return q
}

// TestRows: a row of the matrix that is several rows of a problem is as copies of it, and thresholds are as columns that
// the rows of each have.
func TestRows(t *testing.T) {
	for _, loss := range losses {
		for _, thresholds := range []int{1, 4} {
			t.Run(fmt.Sprint(loss, thresholds), func(t *testing.T) {
				o := DefaultOptions()
				o.Loss, o.Tol, o.Bias, o.MaxEpochs = loss, 1e-6, 2, 20_000
				if loss.IsRegression() {
					o.Epsilon = epsilon
				}
				p := repeated(loss, thresholds)
				if loss.IsRegression() {
					p.Positive, p.Target = nil, make([]float64, len(p.Row))
					for i := range p.Target {
						p.Target[i] = math.Sin(float64(i))
					}
				}
				q := p.copied(o.Bias)
				wanted := o
				wanted.Bias = 0
				want, err := opened(q.X, nil).solve(t.Context(), []trial{q}, wanted)
				must.OK(t, err)
				s := opened(p.X, nil)
				got, err := s.solve(t.Context(), []trial{p}, o)
				must.OK(t, err)
				r, w := got[0], want[0]
				if !r.Stats.Converged || !w.Stats.Converged || math.Abs(r.Stats.Primal-w.Stats.Primal) > 2e-6*w.Stats.Primal {
					t.Errorf("%+v, of copies %+v", r.Stats, w.Stats)
				}
				all := slices.Clone(r.Weights)
				for _, b := range s.Intercepts(0, nil) {
					all = append(all, float32(b/o.Bias))
				}
				if len(all) != len(w.Weights) || all[p.X.Cols] != float32(r.Intercept/o.Bias) {
					t.Fatalf("%d weights and intercepts, want %d", len(all), len(w.Weights))
				}
				for j := range all {
					if math.Abs(float64(all[j]-w.Weights[j])) > 5e-3 { // the root of the gap
						t.Errorf("column %d: %v, of copies %v", j, all[j], w.Weights[j])
					}
				}
				if loss != Hinge {
					e := newNewton(p.X)
					r, err := solveBy(t.Context(), e, p, o)
					must.OK(t, err)
					if !r.Stats.Converged || math.Abs(r.Stats.Primal-w.Stats.Primal) > 2e-6*w.Stats.Primal {
						t.Errorf("by Newton's method %+v, of copies %+v", r.Stats, w.Stats)
					}
					for k, b := range e.intercepts(0) {
						if math.Abs(b-s.Intercepts(0, nil)[k]) > 5e-3*o.Bias {
							t.Errorf("by Newton's method, intercept %d is %v, want %v", k, b, s.Intercepts(0, nil)[k])
						}
					}
				}
				// From the solution, by several threads, in a file, and another problem afterwards.
				p.Start, o.Threads = s.Alpha(0, nil), 3
				again, err := s.solve(t.Context(), []trial{p}, o)
				must.OK(t, err)
				if st := again[0].Stats; !st.Converged || st.Epochs > 40 || len(p.Start) != len(p.Row) {
					t.Errorf("%+v from the solution", st)
				}
				p.Start = nil
				windows, err := mapped(t, []trial{p}, 16).solve(t.Context(), []trial{p}, o)
				must.OK(t, err)
				if st := windows[0].Stats; !st.Converged || math.Abs(st.Primal-w.Stats.Primal) > 2e-6*w.Stats.Primal {
					t.Errorf("%+v in a file, of copies %+v", st, w.Stats)
				}
				plain := randomProblem(rand.New(rand.NewPCG(52, 1)), p.X.Rows, p.X.Cols, 1, false, false)
				plain.X, plain.Mass, o.Tol = p.X, nil, 1e-3
				after, err := s.solve(t.Context(), []trial{plain}, o)
				must.OK(t, err)
				fresh, err := opened(p.X, nil).solve(t.Context(), []trial{plain}, o)
				must.OK(t, err)
				if after[0].Stats != fresh[0].Stats {
					t.Errorf("a problem afterwards: %+v, first %+v", after[0].Stats, fresh[0].Stats)
				}
			})
		}
	}
}

// TestRowsSoft: a row that is for .7 positive and for the rest negative has the weight at which their slopes balance.
func TestRowsSoft(t *testing.T) {
	const cost = 30
	p := trial{Problem{
		Row: []int32{0, 0}, Positive: []bool{true, false}, Mass: []float64{0.7, 0.3}, Costs: Costs{cost, cost},
	}, &sparse.CSR{}}
	p.X.AppendRow([]uint32{0}, nil)
	o := DefaultOptions()
	o.Loss, o.Tol, o.Bias = Logistic, 1e-6, 0
	results, err := opened(p.X, nil).solve(t.Context(), []trial{p}, o)
	must.OK(t, err)
	w := float64(results[0].Weights[0])
	if slope := w/cost - 0.7 + 1/(1+math.Exp(-w)); !results[0].Stats.Converged || math.Abs(slope) > 1e-3 {
		t.Errorf("weight %v, where the slope is %v: %+v", w, slope, results[0].Stats)
	}
}

func TestRowsRefusals(t *testing.T) {
	p := repeated(Hinge, 2)
	for name, change := range map[string]func(*Problem, *Options){
		"no rows":           func(p *Problem, _ *Options) { p.Row = []int32{} },
		"a row beyond":      func(p *Problem, _ *Options) { p.Row = append(p.Row[1:], int32(151)) },
		"a negative row":    func(p *Problem, _ *Options) { p.Row = append(p.Row[1:], -1) },
		"more rows":         func(p *Problem, _ *Options) { p.Row = append(p.Row, 0) },
		"few thresholds":    func(p *Problem, _ *Options) { p.Threshold = p.Threshold[1:] },
		"no bias":           func(_ *Problem, o *Options) { o.Bias = 0 },
		"rows of no matrix": func(p *Problem, _ *Options) { p.Row = nil },
	} {
		q, o := p.Problem, DefaultOptions()
		q.Row = slices.Clone(q.Row)
		change(&q, &o)
		if _, err := opened(p.X, nil).Solve(t.Context(), []Problem{q}, o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := opened(p.X, nil).Solve(t.Context(), []Problem{p.Problem, p.Problem}, DefaultOptions()); err == nil {
		t.Error("two problems of such rows: no error")
	}
}
