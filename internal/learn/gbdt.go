package learn

import (
	"context"
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/boost"
	"github.com/seed-167f963f/nbsvm/internal/par"
)

type boosted struct{}

// link says that margins are log odds or, of rivals, logarithms of probabilities.
func (boosted) link(_ *Params, task string) string { return counted{}.link(nil, task) }

// fit trains on all documents, with HoldOut for as many rounds as were best on the documents held out.
func (boosted) fit(ctx context.Context, t *trainer) ([]output, error) {
	p, options := t.boostingProblem(), t.Trees
	if err := p.Lay(t.x.X, t.x.RowScale, t.x.IDF, options); err != nil {
		return nil, fmt.Errorf("nbsvm: %w; scale features, or leave out Options.Values", err)
	}
	if t.HoldOut > 0 {
		held, err := t.heldOut(ctx)
		if err != nil {
			return nil, err
		}
		part := *p
		part.Held = t.flags(held)
		r, err := t.boost(ctx, &part, options, false)
		if err != nil {
			return nil, err
		}
		options.Rounds = r.Best()
	}
	r, err := t.boost(ctx, p, options, t.Judge != nil && t.HoldOut == 0)
	if err != nil {
		return nil, err
	}
	r.Cut(r.Best())
	t.rounds = r.Rounds
	t.rule = t.trees(&r.Forest)
	return basesOf(r), nil
}

// basesOf returns outputs with the margins before the first tree.
func basesOf(r *boost.Result) []output {
	outputs := make([]output, len(r.Base))
	for k, base := range r.Base {
		outputs[k].bias = base
	}
	return outputs
}

// boostingProblem returns the problem of all rows.
func (t *trainer) boostingProblem() *boost.Problem {
	p := &boost.Problem{
		Rivals: !t.opposed(), Weights: slices.Clone(t.mass), Seed: t.Solver.Seed, Threads: t.Threads,
	}
	if t.mass == nil {
		p.Weights = slices.Repeat([]float64{1}, t.x.Rows())
	}
	for _, class := range t.outputClasses() {
		rows := t.rowsOf(class)
		target := boost.Target{Inside: t.flags(rows), Positive: 1, Negative: 1}
		if !p.Rivals {
			target.Positive, target.Negative = t.classFactors(class, rows)
		} else if factor := t.classFactor(class, rows); factor != 1 {
			for it := rows.Iterator(); it.HasNext(); {
				p.Weights[it.Next()] *= factor
			}
		}
		p.Targets = append(p.Targets, target)
	}
	return p
}

// flags says of each row whether it is in a set.
func (t *trainer) flags(set *roaring.Bitmap) []bool {
	flags := make([]bool, t.x.Rows())
	for it := set.Iterator(); it.HasNext(); {
		flags[it.Next()] = true
	}
	return flags
}

// roundsAJudgement is how many rounds are trained between two evaluations on Options.Valid, which is read each time.
const roundsAJudgement = 10

// boost trains and reports every round. It may judge rounds on the documents of Options.Valid, a multiple of
// roundsAJudgement or all.
func (t *trainer) boost(ctx context.Context, p *boost.Problem, o boost.Options, valid bool) (*boost.Result, error) {
	ctx, end := par.WithStage(ctx, par.StageSolve)
	defer end()
	return boost.Train(ctx, p, o, func(so *boost.Result, isLast bool) error {
		n := len(so.Rounds)
		last := &so.Rounds[n-1]
		if valid && (n%roundsAJudgement == 0 || isLast) {
			report, err := t.judge(ctx, basesOf(so), t.trees(&so.Forest))
			if err != nil {
				return err
			}
			if last.Accuracy = report.Accuracy; report.LogLoss != nil {
				last.Held = *report.LogLoss
			}
		}
		detail := fmt.Sprintf("loss %.4f", last.Loss)
		if last.Held > 0 {
			detail += fmt.Sprintf(", of those held out %.4f", last.Held)
		}
		t.tell(corpus.Progress{
			Stage: "solve", Done: int64(n), Total: int64(o.Rounds), Unit: "rounds",
			Detail: detail,
		})
		return nil
	})
}

// treesRule is a forest over the columns of a matrix.
type treesRule struct {
	forest *boost.Forest
	needed []bool // columns; nil for all
}

// trees makes a rule of a forest. Only columns that it splits on are needed, unless the length of documents counts.
func (t *trainer) trees(f *boost.Forest) *treesRule {
	r := &treesRule{forest: f}
	if t.Prenormalize {
		return r
	}
	if r.needed = f.Columns(len(t.x.Keys)); !slices.Contains(r.needed, true) {
		r.needed[0] = true // a model has a feature at least
	}
	return r
}

func (r *treesRule) needs() []bool { return r.needed }

// put stores the trees, whose columns are then rows of the model.
func (r *treesRule) put(m *model.Model, rowOf []uint32) error {
	m.Rule = &model.Rule{Section: model.Trees, Data: r.forest.AppendBinary(nil, rowOf)}
	return nil
}
