package distributed

import (
	"context"
	"runtime"
	"time"

	"github.com/seed-167f963f/nbsvm/solver"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// Averaged are the weights that workers find each on its own rows, with costs times a factor, averaged once.
type Averaged struct {
	Primal    float64 // P of the averaged weights on all rows
	Decisions []float64
	Slowest   time.Duration // of the worker that took longest
	Work      time.Duration // of all workers
	Messages  Messages
}

// Solved is what one machine has found.
type Solved struct {
	Stats     solver.Stats
	Decisions []float64
	Took      time.Duration // of the thread that it took
}

// Alone has the solver of one machine, with one thread, train on the rows.
func Alone(ctx context.Context, p *Problem, tol float64, seed uint64) (*Solved, error) {
	x, positive := p.X, p.Positive
	if p.Rows != nil {
		x, positive = p.of(p.Rows)
		x.Shared = p.X.SharedColumns()
	}
	one, err := solveAlone(ctx, p, x, positive, 1, solver.Options{
		Loss: p.Loss, Tol: tol, MaxEpochs: mostEpochs, Bias: p.Bias, Seed: seed, Shrinking: true, Threads: 1,
	}, nil)
	if err != nil {
		return nil, err
	}
	weights := make([]float64, len(one.weights))
	for j, w := range one.weights {
		weights[j] = float64(w)
	}
	return &Solved{Stats: one.stats, Decisions: p.decisions(weights, one.bias), Took: one.took}, nil
}

// mostEpochs is how many a machine takes at most.
const mostEpochs = 1000

// Average trains on the rows of every worker alone, to the same gap, and averages the weights (Zinkevich et al.,
// "Parallelized stochastic gradient descent", NIPS 2010; McDonald et al., "Distributed training strategies for the
// structured perceptron", HLT 2010). With a factor of the number of workers, each worker's problem is an estimate of
// the whole one.
func Average(ctx context.Context, p *Problem, o Options, factor float64) (*Averaged, error) {
	s, err := New(p, o)
	if err != nil {
		return nil, err
	}
	mean, bias := make([]float64, p.X.Cols), 0.0
	a := &Averaged{Messages: Messages{Workers: o.Workers, Dense: 4 * (s.shared + 1)}}
	one := &alone{}
	for k := range s.workers {
		x, positive := p.of(s.workers[k].rows)
		one, err = solveAlone(ctx, p, x, positive, factor, solver.Options{
			Loss: p.Loss, Tol: o.Tol, MaxEpochs: mostEpochs, Bias: p.Bias, Seed: o.Seed, Shrinking: true, Threads: 1,
		}, one.weights)
		if err != nil {
			return nil, err
		}
		for j, w := range one.weights {
			mean[j] += float64(w)
		}
		bias += one.bias
		a.Slowest, a.Work = max(a.Slowest, one.took), a.Work+one.took
	}
	workers := float64(len(s.workers))
	for j := range mean {
		mean[j] /= workers
	}
	a.Decisions = p.decisions(mean, bias/workers)
	a.Primal = p.primal(s, mean, bias/workers, a.Decisions)
	return a, nil
}

// alone is what a machine finds by itself.
type alone struct {
	weights []float32
	bias    float64
	stats   solver.Stats
	took    time.Duration
}

// solveAlone trains on a matrix, with costs times a factor. dst is memory for weights.
func solveAlone(
	ctx context.Context, p *Problem, x *sparse.CSR, positive []bool, factor float64, so solver.Options, dst []float32,
) (*alone, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := threadTime()
	s, err := solver.Open(solver.Matrix{X: x})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	cost := p.Cost * factor
	stats, err := s.Solve(ctx, []solver.Problem{{
		ColScale: p.ColScale, UnitRows: p.UnitRows, Positive: positive, Costs: solver.Costs{Positive: cost, Negative: cost},
	}}, so)
	if err != nil {
		return nil, err
	}
	one := &alone{stats: stats[0]}
	one.weights, one.bias = s.Weights(0, dst)
	one.took = threadTime() - before
	return one, nil
}

// primal is P of weights on the rows of all workers.
func (p *Problem) primal(s *Simulation, weights []float64, bias float64, decisions []float64) float64 {
	var sum float64
	for _, w := range weights {
		sum += float64(w * w / 2)
	}
	if p.Bias > 0 {
		sum += float64(float64(bias/p.Bias) * float64(bias/p.Bias) / 2)
	}
	for k := range s.workers {
		for _, i := range s.workers[k].rows {
			sum += p.Loss.Value(float64(s.rows[i].y)*decisions[i], p.Cost)
		}
	}
	return sum
}
