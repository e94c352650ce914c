package tag

import (
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/solver"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// window trains on each word by itself: a linear support vector machine for each tag against the rest, with squared
// hinge loss.
func (l *learner) window() error {
	if len(l.tags) == 1 { // nothing to tell apart
		return nil
	}
	x, so := l.matrix(), solver.DefaultOptions()
	so.Bias, so.Seed = 0, l.o.Seed // templates have the bias
	groups := (len(l.tags) + kernels.GroupSize - 1) / kernels.GroupSize
	workers := make([]*solver.Solver, min(par.Threads(l.o.Threads), groups))
	defer func() {
		for _, s := range workers {
			if s != nil {
				s.Close()
			}
		}
	}()
	done := 0
	type solution struct {
		columns     [][]float32 // weights, by tag
		unconverged int
	}
	return par.Map(l.ctx, len(workers), groups, func(w, group int) (found solution, err error) {
		if workers[w] == nil {
			if workers[w], err = solver.Open(solver.Matrix{X: x}); err != nil {
				return found, err
			}
		}
		var problems []solver.Problem
		for tag := group * len(l.tags) / groups; tag < (group+1)*len(l.tags)/groups; tag++ {
			p := solver.Problem{Positive: make([]bool, x.Rows), Costs: solver.Costs{Positive: l.o.C, Negative: l.o.C}}
			for i, its := range l.gold {
				p.Positive[i] = its == tag
			}
			problems = append(problems, p)
		}
		stats, err := workers[w].Solve(l.ctx, problems, so)
		if err != nil {
			return found, err
		}
		for k := range problems {
			weights, _ := workers[w].Weights(k, nil)
			found.columns = append(found.columns, weights)
			if !stats[k].Converged {
				found.unconverged++
			}
		}
		return found, nil
	}, func(found solution) error {
		for _, column := range found.columns {
			l.setTag(done, column)
			done++
		}
		l.unconverged += found.unconverged
		if l.o.Solved != nil {
			l.o.Solved(done, len(l.tags))
		}
		return nil
	})
}

// matrix has a row of features for each word.
func (l *learner) matrix() *sparse.CSR {
	x := &sparse.CSR{Rows: len(l.gold), Cols: len(l.keys)}
	x.Indptr, x.Indices = make([]int64, 1, len(l.ends)), make([]uint32, 0, len(l.rows))
	for i := range l.gold {
		x.Indices = append(x.Indices, l.rows[l.ends[i]:l.ends[i+1]]...)
		row := x.Indices[x.Indptr[len(x.Indptr)-1]:]
		slices.Sort(row)
		distinct := len(slices.Compact(row)) // two features of a word have the same hash once in ages
		x.Indices = x.Indices[:len(x.Indices)-len(row)+distinct]
		x.Indptr = append(x.Indptr, int64(len(x.Indices)))
	}
	return x
}

// setTag takes the weights of a tag.
func (l *learner) setTag(tag int, column []float32) {
	for row, w := range column {
		l.weights[row*l.pitch+tag] = w
	}
}
