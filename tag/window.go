package tag

import (
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/learn"
	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/solver"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// Learner is the way a [Window] model is trained.
type Learner string

const (
	// AveragedPerceptron is the averaged perceptron (Freund and Schapire 1999).
	AveragedPerceptron Learner = "perceptron"
	// PassiveAggressive is PA-I (Crammer et al., JMLR 2006).
	PassiveAggressive Learner = "pa"
	// SVM is a linear support vector machine for each tag against the rest, with squared hinge loss.
	SVM Learner = "svm"
	// Logistic is L2-regularized logistic regression for each tag against the rest.
	Logistic Learner = "logistic"
)

// learners returns all learners.
func learners() []Learner { return []Learner{AveragedPerceptron, PassiveAggressive, SVM, Logistic} }

// TakesCost reports whether the learner uses Options.C.
func (l Learner) TakesCost() bool { return l != AveragedPerceptron }

// TakesEpochs reports whether the learner uses Options.Epochs.
func (l Learner) TakesEpochs() bool { return l == AveragedPerceptron || l == PassiveAggressive }

// window trains on each word by itself.
func (l *learner) window() error {
	if len(l.tags) == 1 { // nothing to tell apart
		return nil
	}
	if l.o.Learner.TakesEpochs() {
		return l.windowOnline()
	}
	return l.windowSolved()
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

// windowOnline trains word by word.
func (l *learner) windowOnline() error {
	x := l.matrix()
	p := &learn.OnlineProblem{X: x, Outputs: len(l.tags), Aggressive: l.o.Learner == PassiveAggressive, Seed: l.o.Seed}
	p.Class, p.Rows = make([]int32, x.Rows), make([]int32, x.Rows)
	for i, tag := range l.gold {
		p.Class[i], p.Rows[i] = int32(tag), int32(i)
	}
	if p.Aggressive {
		p.Costs = slices.Repeat([]float64{l.o.C}, x.Rows)
	}
	words := learn.NewOnline(p)
	for epoch := range l.o.Epochs {
		mistakes, changes, err := words.Epoch(l.ctx)
		if err == nil {
			err = l.tell(Epoch{Number: epoch + 1, Mistakes: mistakes})
		}
		if err != nil {
			return err
		}
		if changes == 0 {
			break
		}
	}
	column := make([]float32, len(l.keys))
	for tag := range l.tags {
		words.Average(tag, column)
		l.setTag(tag, column)
	}
	return nil
}

// windowSolved trains each tag against the rest.
func (l *learner) windowSolved() error {
	x, so := l.matrix(), solver.DefaultOptions()
	so.Bias, so.Seed, so.Shrinking = 0, l.o.Seed, true // templates have the bias
	if l.o.Learner == Logistic {
		so.Loss, so.Shrinking = solver.Logistic, false
	}
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

// setTag takes the weights of a tag.
func (l *learner) setTag(tag int, column []float32) {
	for row, w := range column {
		l.weights[row*l.pitch+tag] = w
	}
}
