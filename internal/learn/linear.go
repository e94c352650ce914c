package learn

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/solver"
)

// linear is a model whose weights the solver finds, each class against the rest.
type linear struct {
	weighted bool // features are multiplied by their log-count ratio
}

// solved reports whether the solver finds the weights.
func (p *Params) solved() bool {
	switch p.Learner.(type) {
	case linear, regression, ordinal:
		return true
	}
	return false
}

func (linear) link(p *Params, _ string) string {
	if p.Solver.Loss == solver.Logistic {
		return "sigmoid"
	}
	return "margin"
}

// pathScale is about 1 for logistic loss, whose margins are log odds. Margins of models with a hinge are at least 1
// where there is no loss. These scales cross-validate best, see docs/explanation/defaults.md.
func (linear) pathScale(p *Params) (scale, temperature float64) {
	switch {
	case p.Solver.Loss == solver.Logistic:
		return 1, 0
	case p.Grow:
		return 0.4, 0.4
	}
	return 0.3, 0
}

// fit trains one classifier per output, several at a time.
func (l linear) fit(ctx context.Context, t *trainer) ([]output, error) {
	so := t.Solver
	so.Bias = t.stiffBias()
	classes := t.outputClasses()
	if t.duals != nil {
		t.duals.begin(t.Solver.Loss, t.x.Rows(), len(classes))
	}
	if l.weighted && t.ratio == nil {
		var err error
		if t.ratio, err = t.newLogRatio(ctx); err != nil {
			return nil, err
		}
	}
	size := so.GroupSize() // of classes side by side
	groups := groupsInOrder(classes, size)
	most := min(t.Threads, len(groups))
	if t.x.Workers > 0 {
		most = min(most, t.x.Workers)
	}
	workers := make([]*oneAgainstRest, most)
	if size > 1 && len(classes) > 1 && !t.x.Mapped { // mapped rows are read in the order of their file
		t.near = t.byClass()
	}
	defer func() {
		for _, w := range workers {
			if w != nil {
				w.close()
			}
		}
	}()
	so.Threads = max(t.Threads/len(workers), 1)
	outputs := make([]output, len(classes))
	var begun atomic.Int64
	err := par.Each(ctx, len(workers), len(groups), func(w, i int) error {
		if workers[w] == nil {
			workers[w] = &oneAgainstRest{trainer: t}
		}
		begun.Add(1)
		some, so := groups[i], so
		so.Progress = t.progress(len(classes))
		trained, err := workers[w].train(ctx, some, so)
		if err != nil {
			which := fmt.Sprintf("class %q", t.ds.Classes.Labels[some[0]])
			if last := len(some) - 1; last > 0 {
				which = fmt.Sprintf("classes %q to %q", t.ds.Classes.Labels[some[0]], t.ds.Classes.Labels[some[last]])
			}
			return fmt.Errorf("nbsvm: %s: %w", which, err)
		}
		for k, class := range some {
			outputs[t.outputOf(class)] = trained[k]
		}
		t.finished(len(some), len(classes))
		if int(begun.Load()) == len(groups) { // the worker gets no more, and another node may need the memory
			workers[w].close()
			workers[w] = nil
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return outputs, nil
}

// groupsInOrder cuts classes into runs of about equal length, at most size, whatever the number of threads.
func groupsInOrder(classes []int, size int) [][]int {
	n := len(classes)
	groups := make([][]int, (n+size-1)/size)
	for i := range groups {
		groups[i] = classes[n*i/len(groups) : n*(i+1)/len(groups)]
	}
	return groups
}

// byClass lists the rows by their first class, those of none last.
func (t *trainer) byClass() []int32 {
	order := make([]int32, 0, t.x.Rows())
	listed := roaring.New()
	for class := range t.ds.Classes.Labels {
		rows := t.rowsOf(class)
		for it := roaring.AndNot(rows, listed).Iterator(); it.HasNext(); {
			order = append(order, int32(it.Next()))
		}
		listed.Or(rows)
	}
	for i := range t.x.Rows() {
		if !listed.Contains(uint32(i)) {
			order = append(order, int32(i))
		}
	}
	return order
}

// progress reports a solution's epochs where there is only one to solve.
func (t *trainer) progress(classes int) func(solver.Epoch) {
	if t.Progress == nil || classes > 1 {
		return nil
	}
	return func(e solver.Epoch) {
		gap := e.Gap
		if math.IsNaN(gap) {
			gap = e.Estimate
		}
		t.tell(corpus.Progress{
			Stage: "solve", Done: int64(e.Number), Total: -1, Unit: "epochs",
			Detail: fmt.Sprintf("gap %.2g", gap),
		})
	}
}
