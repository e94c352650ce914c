package learn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// patience is how many epochs without improvement end a training that evaluates its epochs.
const patience = 3

// onlineModel is a model that is trained document by document: the passive-aggressive one, or a perceptron.
type onlineModel struct{ aggressive bool }

func (onlineModel) pathScale(*Params) (scale, temperature float64) {
	return 0.3, 0
}

// fit trains on all documents, with HoldOut for as many epochs as were best on the documents held out.
func (l onlineModel) fit(ctx context.Context, t *trainer) ([]output, error) {
	rows, epochs := roaring.New(), t.Solver.MaxEpochs
	rows.AddRange(0, uint64(t.x.Rows()))
	var judge func(outputs []output) (float64, error)
	switch {
	case t.HoldOut > 0:
		held, err := t.heldOut(ctx)
		if err != nil {
			return nil, err
		}
		run, err := l.run(ctx, t, roaring.AndNot(rows, held), epochs,
			func(outputs []output) (float64, error) { return t.right(outputs, held), nil })
		if err != nil {
			return nil, err
		}
		epochs = run.best + 1
	case t.Judge != nil:
		judge = func(outputs []output) (float64, error) {
			report, err := t.judge(ctx, outputs, nil)
			if err != nil {
				return 0, err
			}
			return report.Accuracy, nil
		}
	}
	run, err := l.run(ctx, t, rows, epochs, judge)
	if err != nil {
		return nil, err
	}
	t.epochs = run.epochs
	return run.outputs, nil
}

// onlineRun is the outcome of some epochs.
type onlineRun struct {
	outputs []output // of the best epoch, or of the last one if none was judged
	best    int      // that epoch
	epochs  []Epoch
}

// run trains on some rows for so many epochs. It ends earlier when an epoch changes nothing, or when judge, if there is
// one, has found no improvement for a while.
func (l onlineModel) run(
	ctx context.Context, t *trainer, rows *roaring.Bitmap, epochs int, judge func([]output) (float64, error),
) (run onlineRun, err error) {
	ctx, end := par.WithStage(ctx, par.StageSolve)
	defer end()
	learners := l.learners(t, rows)
	best := math.Inf(-1)
	for e := range epochs {
		mistakes, changes := make([]int, len(learners)), make([]int, len(learners))
		err := par.Each(ctx, t.Threads, len(learners), func(_, i int) (err error) {
			mistakes[i], changes[i], err = learners[i].Epoch(ctx)
			return err
		})
		if err != nil {
			return run, err
		}
		epoch := Epoch{Mistakes: total(mistakes)}
		last := e+1 == epochs || total(changes) == 0
		if judge != nil || last {
			outputs, err := t.average(learners)
			if err != nil {
				return run, err
			}
			if judge == nil {
				run.outputs, run.best = outputs, e
			} else if epoch.Accuracy, err = judge(outputs); err != nil {
				return run, err
			} else if epoch.Accuracy > best {
				run.outputs, run.best, best = outputs, e, epoch.Accuracy
			}
		}
		run.epochs = append(run.epochs, epoch)
		detail := fmt.Sprintf("%d mistakes", epoch.Mistakes)
		if judge != nil {
			detail += fmt.Sprintf(", accuracy %.4f", epoch.Accuracy)
		}
		t.tell(corpus.Progress{
			Stage: "solve", Done: int64(e + 1), Total: int64(epochs), Unit: "epochs",
			Detail: detail,
		})
		if last || judge != nil && e-run.best >= patience {
			break
		}
	}
	return run, nil
}

func total(counts []int) (sum int) {
	for _, n := range counts {
		sum += n
	}
	return sum
}

// learners returns one learner for all classes or, if documents have any number of labels, one for each label.
func (l onlineModel) learners(t *trainer, rows *roaring.Bitmap) []*Online {
	scale := t.rowScale()
	// learner tells the rows of some sets apart, whose mistakes have these factors. Rows of none are of the first set.
	learner := func(outputs int, sets []*roaring.Bitmap, factors []float64) *Online {
		p := &OnlineProblem{
			X: t.x.X, RowScale: scale, ColScale: t.x.IDF, Bias: t.Solver.Bias, Aggressive: l.aggressive, Seed: t.Solver.Seed,
			Outputs: outputs, Class: make([]int32, t.x.Rows()),
		}
		for k, set := range sets {
			for it := set.Iterator(); it.HasNext(); {
				p.Class[it.Next()] = int32(k)
			}
		}
		l.cost(t, p, rows, factors)
		return NewOnline(p)
	}
	if !t.ds.Classes.Multi {
		sets, factors := make([]*roaring.Bitmap, len(t.ds.Classes.Labels)), make([]float64, len(t.ds.Classes.Labels))
		for class := range sets {
			sets[class] = t.rowsOf(class)
			factors[class] = t.classFactor(class, sets[class])
		}
		return []*Online{learner(t.ds.Classes.Outputs(), sets, factors)}
	}
	var learners []*Online
	for _, class := range t.outputClasses() {
		set := t.rowsOf(class)
		positive, negative := t.classFactors(class, set)
		learners = append(learners, learner(1, []*roaring.Bitmap{roaring.New(), set}, []float64{negative, positive}))
	}
	return learners
}

// cost sets the rows of a problem whose mistakes have a cost, and these costs.
func (l onlineModel) cost(t *trainer, p *OnlineProblem, rows *roaring.Bitmap, factors []float64) {
	p.Costs = make([]float64, t.x.Rows())
	for it := rows.Iterator(); it.HasNext(); {
		i := it.Next()
		cost := factors[p.Class[i]]
		if l.aggressive {
			cost = float64(cost * t.C)
		}
		if t.mass != nil {
			cost = float64(cost * t.mass[i])
		}
		if p.Costs[i] = cost; cost > 0 {
			p.Rows = append(p.Rows, int32(i))
		}
	}
}

// average returns the outputs so far.
func (t *trainer) average(learners []*Online) ([]output, error) {
	outputs := make([]output, t.ds.Classes.Outputs())
	weights := make([]float32, len(t.x.Keys))
	for i := range outputs {
		if len(learners) == 1 {
			outputs[i].bias = learners[0].Average(i, weights)
		} else {
			outputs[i].bias = learners[i].Average(0, weights)
		}
		outputs[i].take(weights)
		if slices.ContainsFunc(outputs[i].values, func(w float32) bool { return math.IsNaN(float64(w)) || math.IsInf(float64(w), 0) }) {
			return nil, errors.New("nbsvm: weights overflow 32 bits because feature values are too large: scale these, or use Options.Normalize")
		}
	}
	return outputs, nil
}

// judge evaluates a model so far.
func (t *trainer) judge(ctx context.Context, outputs []output, r rule) (*metrics.Report, error) {
	m, err := (&Fitted{Params: t.Params, ds: t.ds, x: t.x, outputs: outputs, rule: r}).Model()
	if err != nil {
		return nil, err
	}
	return t.Judge(ctx, m)
}

// heldOut returns the rows on which the number of epochs is chosen, stratified by class.
func (t *trainer) heldOut(ctx context.Context) (*roaring.Bitmap, error) {
	folds := int(math.Round(1 / t.HoldOut))
	if n := t.x.Rows(); folds > n {
		return nil, fmt.Errorf("nbsvm: a share of %v holds out none of %d documents: hold out more (Options.HoldOut)",
			t.HoldOut, n)
	}
	parts, err := t.ds.Division(ctx, t.Threads)
	if err != nil {
		return nil, err
	}
	held, err := parts.Held(ctx, t.x.Documents, folds, t.Solver.Seed)
	if err != nil {
		return nil, err
	}
	return t.rowsOfDocuments(held), nil
}

// right returns the share of rows, by weight, that outputs classify correctly; if documents have any number of labels,
// those with all labels right.
func (t *trainer) right(outputs []output, rows *roaring.Bitmap) float64 {
	weights := make([][]float64, len(outputs))
	sets := make([]*roaring.Bitmap, len(outputs))
	for i, class := range t.outputClasses() {
		weights[i], sets[i] = make([]float64, len(t.x.Keys)), t.rowsOf(class)
		outputs[i].each(func(j uint32, v float32) {
			if t.x.IDF != nil {
				v *= t.x.IDF[j]
			}
			weights[i][j] = float64(v)
		})
	}
	scales := t.rowScale()
	right, all := 0.0, 0.0
	for it := rows.Iterator(); it.HasNext(); {
		i := it.Next()
		ids, values := t.x.X.Row(int(i))
		best, most, agree := 0, math.Inf(-1), true
		for k, w := range weights {
			sum := kernels.Dot64(w, ids, values)
			if scales != nil {
				sum *= scales[i]
			}
			if sum = float64(sum) + outputs[k].bias; sum > most {
				best, most = k, sum
			}
			agree = agree && (sum > 0) == sets[k].Contains(i)
		}
		if len(weights) > 1 && !t.ds.Classes.Multi {
			agree = sets[best].Contains(i)
		}
		weight := 1.0
		if t.mass != nil {
			weight = t.mass[i]
		}
		if all += weight; agree {
			right += weight
		}
	}
	return right / max(all, math.SmallestNonzeroFloat64)
}

// rowScale returns what the features of each row are multiplied by; nil for 1.
func (t *trainer) rowScale() []float64 {
	if t.Normalize {
		return t.x.X.InverseNorms(t.x.IDF)
	}
	return t.x.RowScale
}

// Epoch is one pass over the rows: the mistakes in it, and the accuracy on held-out documents after it, from 0 to 1; 0
// if there are none.
type Epoch struct {
	Mistakes int
	Accuracy float64
}
