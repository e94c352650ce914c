package solver

import (
	"context"
	"slices"

	"github.com/seed-167f963f/nbsvm/sparse"
)

// trial is a problem and the matrix that it is on.
type trial struct {
	Problem
	X *sparse.CSR
}

// problemsOf leaves the matrix out. The problems are those of the loss, see trial.forLoss.
func problemsOf(trials []trial, o *Options) []Problem {
	problems := make([]Problem, len(trials))
	for k := range trials {
		problems[k] = trials[k].forLoss(o.Loss).Problem
	}
	if o.Loss.IsRegression() {
		o.Epsilon = epsilon
	}
	return problems
}

// epsilon of all regressions.
var epsilon = 0.3

// forLoss makes a problem of regression of one of classification if that is what the loss takes: targets have the signs
// of the classes, and a size that depends on the row alone.
func (p trial) forLoss(l Loss) trial {
	if len(p.Positive) == 0 || !l.IsRegression() {
		return p
	}
	p.Target = make([]float64, len(p.Positive))
	for i := range p.Target {
		columns, _ := p.X.Row(i)
		p.Target[i] = p.sign(i) * float64(1+len(columns)%7) / 4
	}
	p.Positive, p.Costs = nil, Costs{Positive: max(p.Costs.Positive, p.Costs.Negative)}
	return p
}

// result of one problem.
type result struct {
	Weights   []float32
	Intercept float64
	Stats     Stats
}

func (s *Solver) solve(ctx context.Context, trials []trial, o Options) ([]result, error) {
	problems := problemsOf(trials, &o)
	stats, err := s.Solve(ctx, problems, o)
	if err != nil {
		return nil, err
	}
	results := make([]result, len(trials))
	for k := range results {
		weights, intercept := s.Weights(k, nil)
		results[k] = result{weights, intercept, stats[k]}
	}
	return results, nil
}

// opened is a solver in memory.
func opened(x *sparse.CSR, near []int32) *Solver {
	s, err := Open(Matrix{X: x, Near: near})
	if err != nil {
		panic(err)
	}
	return s
}

// Solve runs this engine.
func (s *single) Solve(ctx context.Context, p trial, o Options) (*result, error) {
	return solveBy(ctx, s, p, o)
}

// solveBy has an engine solve a problem, whether or not it would be chosen.
func solveBy(ctx context.Context, e engine, p trial, o Options) (*result, error) {
	problems := problemsOf([]trial{p}, &o)
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if err := problems[0].check(p.X.Rows, p.X.Cols, &o); err != nil {
		return nil, err
	}
	stats, err := run(ctx, e, problems, o)
	if err != nil {
		return nil, err
	}
	return &result{e.weights(0, nil), e.intercepts(0)[0], stats[0]}, nil
}

// Solve runs this engine.
func (g *group) Solve(ctx context.Context, trials []trial, o Options) ([]Stats, error) {
	problems := problemsOf(trials, &o)
	return run(ctx, g, problems, o)
}

// alphas are the dual solutions of the last problems.
func (s *Solver) alphas() (all [][]float64) {
	for k := range s.last.base().problems {
		all = append(all, s.Alpha(k, nil))
	}
	return all
}

// certified are P and D.
func (s *single) certified(exact bool) (primal, dual float64) {
	var sol solution
	square, sum := s.certify(exact)
	sol.certify(square, &sum, 0, 1, true)
	return sol.stats.Primal, sol.stats.Dual
}

// outcome is all that comes of a solution of several problems.
type outcome struct {
	weights    [][]float32
	alpha      [][]float64
	intercepts []float64
	stats      []Stats
}

func (a *outcome) equal(b *outcome) bool {
	return slices.EqualFunc(a.weights, b.weights, slices.Equal[[]float32]) && slices.EqualFunc(a.alpha, b.alpha, slices.Equal[[]float64]) &&
		slices.Equal(a.intercepts, b.intercepts) && slices.Equal(a.stats, b.stats)
}

// solved solves one problem, or several side by side.
func solved(ctx context.Context, problems []trial, o Options) (*outcome, error) {
	s := opened(problems[0].X, nil)
	defer s.Close()
	results, err := s.solve(ctx, problems, o)
	if err != nil {
		return nil, err
	}
	out := outcome{alpha: s.alphas()}
	for _, r := range results {
		out.weights, out.intercepts, out.stats = append(out.weights, r.Weights), append(out.intercepts, r.Intercept), append(out.stats, r.Stats)
	}
	return &out, nil
}
