package tests

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/bench"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/metrics"
	"github.com/seed-167f963f/nbsvm/solver"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// TestOddInput gives public functions zero values, nil, and slices whose lengths disagree, and wants an error, or the
// answer that is right.
func TestOddInput(t *testing.T) {
	ctx := t.Context()
	in := input([]byte("a\tx y\nb\tz y\na\tx q\nb\tz p\n"), corpus.TSV)
	c, _ := mustTrain(t, in, options())
	x := &sparse.CSR{}
	x.AppendRow([]uint32{0, 1}, nil)
	x.AppendRow([]uint32{1}, nil)
	problem := solver.Problem{Positive: []bool{true, false}, Costs: solver.Costs{Positive: 1, Negative: 1}}
	solve := func(m solver.Matrix, p solver.Problem) error {
		s, err := solver.Open(m)
		if err == nil {
			_, err = s.Solve(ctx, []solver.Problem{p, p}, solver.DefaultOptions())
		}
		return err
	}
	changed := func(change func(p *solver.Problem)) solver.Problem {
		p := problem
		change(&p)
		return p
	}
	for name, fails := range map[string]func() error{
		"solver without costs": func() error {
			return solve(solver.Matrix{X: x}, changed(func(p *solver.Problem) { p.Costs = solver.Costs{} }))
		},
		"solver, near outside": func() error { return solve(solver.Matrix{X: x, Near: []int32{0, 7}}, problem) },
		"solver, near twice":   func() error { return solve(solver.Matrix{X: x, Near: []int32{1, 1}}, problem) },
		"solver, zero value": func() error {
			_, err := new(solver.Solver).Solve(ctx, []solver.Problem{problem}, solver.DefaultOptions())
			return err
		},
		"matrix of no rows":   func() error { return (&sparse.CSR{Cols: 1, Indices: []uint32{0}}).Validate() },
		"matrix, shared":      func() error { return (&sparse.CSR{Rows: 1, Cols: 1, Indptr: []int64{0, 0}, Shared: 7}).Validate() },
		"accumulator":         func() error { return new(metrics.Accumulator).Add([]int32{0}, []int32{0}, nil, nil) },
		"accumulator, report": func() error { _, err := new(metrics.Accumulator).Report(); return err },
		"file system":         func() error { _, err := nbsvm.OpenFS(nil, "m.nbm"); return err },
		"weights":             func() error { return c.Weights(nil) },
		"class weight twice": func() error {
			_, err := nbsvm.DefaultOptions().With(map[string]string{"class-weight": "a=1,a=2"})
			return err
		},
		"benchmark":              func() error { _, err := bench.Measure(ctx, 1, []bench.Case{{}}, nil); return err },
		"highlight of nothing":   func() error { return highlightNothing(c) },
		"cross-validate nothing": func() error { _, err := nbsvm.CrossValidateAll(ctx, in, nil, 2, nil); return err },
	} {
		if err := unpanicked(fails); err == nil || strings.Contains(err.Error(), "panic") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	for name, wrong := range map[string]func() any{
		"entries of an empty matrix": func() any { return new(sparse.CSR).NNZ() != 0 },
		"rows without values":        func() any { return string(sparse.AppendSVMLightRow(nil, "a", []uint32{1}, nil)) != "a 2:1\n" },
		"a report of paths":          func() any { new(metrics.Report).AddPaths(nil); return false },
		"weights before Solve": func() any {
			s, err := solver.Open(solver.Matrix{X: x})
			w, _ := s.Weights(0, nil)
			return err != nil || w != nil || s.Alpha(3, nil) != nil
		},
		"the empty preset": func() any { return nbsvm.Preset{}.Options().Validate() != nil },
	} {
		if err := unpanicked(func() error {
			if wrong() != false {
				return fmt.Errorf("wrong")
			}
			return nil
		}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// unpanicked makes an error of a panic.
func unpanicked(fn func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return fn()
}

func highlightNothing(c *nbsvm.Classifier) error {
	s, err := c.NewScorer()
	if err != nil {
		return fmt.Errorf("panic: %w", err)
	}
	_, err = s.Highlight([]byte("a"), nil)
	return err
}
