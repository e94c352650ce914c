package solver

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// sideBySide are so many problems on one matrix.
func sideBySide(rng *rand.Rand, problems, rows, cols int, valued, scaled, unit bool) []trial {
	first := randomProblem(rng, rows, cols, 4, valued, scaled)
	first.UnitRows = unit
	all := make([]trial, problems)
	for k := range all {
		all[k] = first
		all[k].Positive = make([]bool, rows)
		for i := range all[k].Positive {
			all[k].Positive[i] = rng.IntN(problems+1) == 0 || first.Positive[i] && rng.IntN(3) == 0
		}
		all[k].Costs = Costs{0.5 + rng.Float64(), 0.5 + rng.Float64()}
	}
	return all
}

// TestGroupAgrees has the kernels of one problem and of many solve the same ones, with
// columns of one row, rows of no mass and empty rows among them.
func TestGroupAgrees(t *testing.T) {
	for _, loss := range losses {
		rng := rand.New(rand.NewPCG(8, uint64(loss)))
		problems := sideBySide(rng, 5, 300, 40, false, true, true)
		x := problems[0].X
		x.AppendRow(nil, nil)
		x.Cols += 3 // in the last row alone
		x.AppendRow([]uint32{1, uint32(x.Cols - 3), uint32(x.Cols - 2), uint32(x.Cols - 1)}, nil)
		mass := append(slices.Clone(problems[0].Mass), 1, 2)
		mass[17] = 0
		for k := range problems {
			p := &problems[k]
			p.Positive, p.Mass = append(p.Positive, true, k%2 == 0), mass
			p.ColScale, p.RowScale = append(p.ColScale, 1, -2, 0.5), nil
		}
		var near []int32
		for _, i := range rng.Perm(x.Rows) {
			near = append(near, int32(i))
		}
		o := DefaultOptions()
		o.Loss, o.Tol, o.MaxEpochs = loss, 1e-4, 20000
		g := newGroup(Matrix{X: x, Near: near})
		for range 2 { // the memory of a solution serves again
			stats, err := g.Solve(context.Background(), problems, o)
			must.OK(t, err)
			for k, p := range problems {
				alone := solve(t, p, o)
				if a, b := alone.Stats.Primal, stats[k].Primal; math.Abs(a-b) > 1.01e-4*max(a, b) {
					t.Errorf("%v: problem %d has primal %v alone, %v among others", loss, k, a, b)
				}
				// P is strongly convex: ½‖w−w*‖² ≤ P − P*, for either solution.
				far := 2 * math.Sqrt(2*o.Tol*stats[k].Primal)
				w, intercept := g.weights(k, nil), g.intercepts(k)[0]
				if math.Abs(intercept-alone.Intercept) > far {
					t.Errorf("%v: problem %d has intercept %v alone, %v among others", loss, k, alone.Intercept, intercept)
				}
				for j := range w {
					if math.Abs(float64(w[j])-float64(alone.Weights[j])) > far {
						t.Errorf("%v: problem %d has weight %v of column %d alone, %v among others", loss, k, alone.Weights[j], j, w[j])
					}
				}
			}
		}
	}
}

func TestGroupRefusals(t *testing.T) {
	problems := sideBySide(rand.New(rand.NewPCG(1, 1)), 3, 20, 5, false, true, false)
	s := opened(problems[0].X, nil)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.solve(ctx, problems, DefaultOptions()); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
	for name, change := range map[string]func(problems *[]trial, o *Options){
		"none":      func(p *[]trial, _ *Options) { *p = nil },
		"too many":  func(p *[]trial, _ *Options) { *p = slices.Repeat(*p, kernels.GroupSize) },
		"options":   func(_ *[]trial, o *Options) { o.Tol = -1 },
		"precision": func(_ *[]trial, o *Options) { o.Tol = leastGroupTol / 2 },
		"labels":    func(p *[]trial, _ *Options) { (*p)[1].Positive = nil },
		"masses":    func(p *[]trial, _ *Options) { (*p)[2].Mass = nil },
		"unit rows": func(p *[]trial, _ *Options) { (*p)[2].UnitRows = true },
	} {
		p, o := slices.Clone(problems), DefaultOptions()
		change(&p, &o)
		if _, err := s.solve(context.Background(), p, o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	o := DefaultOptions()
	o.Loss, o.Tol, o.MaxEpochs = Hinge, leastGroupTol, 3
	epochs := 0
	o.Progress = func(e Epoch) { epochs = e.Number }
	stats, err := s.Solve(context.Background(), problemsOf(problems, &o), o)
	if err != nil || epochs != 3 {
		t.Fatalf("%v after %d epochs", err, epochs)
	}
	for k, s := range stats {
		if s.Converged || s.Epochs != 3 || s.Gap <= 0 {
			t.Errorf("three epochs of problem %d: %+v", k, s)
		}
	}
}

// TestGroupEdges has matrices of no columns, empty rows, and rows that take no part.
func TestGroupEdges(t *testing.T) {
	for _, loss := range losses {
		o := DefaultOptions()
		o.Loss, o.Tol = loss, leastGroupTol
		x := &sparse.CSR{Cols: 2, Indptr: []int64{0}}
		x.AppendRow([]uint32{0}, nil)
		x.AppendRow(nil, nil)
		x.AppendRow([]uint32{0, 1}, nil)
		x.AppendRow([]uint32{1}, nil)
		empty := &sparse.CSR{Rows: 2, Cols: 0, Indptr: []int64{0, 0, 0}}
		for name, p := range map[string]trial{
			"an empty row":     {Problem{Positive: []bool{true, false, false, true}, Costs: Costs{1, 1}}, x},
			"unit rows":        {Problem{Positive: []bool{true, false, false, true}, Costs: Costs{1, 1}, UnitRows: true}, x},
			"a row of mass 0":  {Problem{Positive: []bool{true, false, false, true}, Mass: []float64{1, 1, 1, 0}, Costs: Costs{1, 1}}, x},
			"all of mass 0":    {Problem{Positive: []bool{true, false, false, true}, Mass: make([]float64, 4), Costs: Costs{1, 1}}, x},
			"a side of cost 0": {Problem{Positive: []bool{true, false, false, true}, Costs: Costs{0, 1}}, x},
			"one side":         {Problem{Positive: []bool{true, true, true, true}, Costs: Costs{1, 1}}, x},
			"no columns":       {Problem{Positive: []bool{true, false}, Costs: Costs{1, 1}}, empty},
		} {
			alone := solve(t, p, o)
			g := newGroup(Matrix{X: p.X})
			stats, err := g.Solve(context.Background(), []trial{p, p}, o)
			if err != nil {
				t.Fatalf("%v, %s: %v", loss, name, err)
			}
			for _, s := range stats {
				if !s.Converged || math.Abs(s.Primal-alone.Stats.Primal) > 2*o.Tol*max(1, s.Primal) {
					t.Errorf("%v, %s: %+v, alone %+v", loss, name, s, alone.Stats)
				}
			}
			g.release()
		}
	}
}

// manyRows are problems with rows enough for a sample, of which few ever move: columns of
// their own speak for each class.
func manyRows() []trial {
	const rows, classes, each = 1 << 16, 3, 30
	rng := rand.New(rand.NewPCG(9, 9))
	x := &sparse.CSR{Cols: (classes + 1) * each, Indptr: []int64{0}}
	label := make([]int, rows)
	for i := range rows {
		label[i] = rng.IntN(classes)
		speaks := label[i]
		if rng.IntN(50) == 0 {
			speaks = rng.IntN(classes) // for another
		}
		var idx []uint32
		for j := range each {
			if rng.IntN(6) == 0 {
				idx = append(idx, uint32(j)) // for none
			}
		}
		for j := range each {
			if rng.IntN(4) == 0 {
				idx = append(idx, uint32(each*(1+speaks)+j))
			}
		}
		x.AppendRow(idx, nil)
		x.Cols = (classes + 1) * each
	}
	problems := make([]trial, classes)
	for k := range problems {
		problems[k] = trial{Problem{UnitRows: true, Positive: make([]bool, rows), Costs: Costs{1, 1}}, x}
		for i, l := range label {
			problems[k].Positive[i] = l == k
		}
	}
	return problems
}

func TestGroupOfManyRows(t *testing.T) {
	problems := manyRows()
	x, rows := problems[0].X, problems[0].X.Rows
	for _, loss := range []Loss{Hinge, SquaredHinge} {
		o := DefaultOptions()
		o.Loss = loss
		var updates []int
		o.Progress = func(e Epoch) { updates = append(updates, e.Active) }
		g := newGroup(Matrix{X: x})
		stats, err := g.Solve(context.Background(), problems, o)
		must.OK(t, err)
		if loss == Hinge && len(g.candidates) == 0 {
			t.Errorf("%v: no row is close to moving", loss)
		}
		o.Progress = nil
		for k, p := range problems[:2] {
			alone := solve(t, p, o)
			if a, b := alone.Stats, stats[k]; !b.Converged || math.Abs(a.Primal-b.Primal) > 1.01e-3*max(a.Primal, b.Primal) {
				t.Errorf("%v: problem %d: %+v alone, %+v among others", loss, k, a, b)
			}
		}
		if updates[0] > rows/2 || updates[len(updates)-1] >= rows/2 {
			t.Errorf("%v: epochs visit %v of %d rows", loss, updates, rows)
		}
		g.release()
	}
}
