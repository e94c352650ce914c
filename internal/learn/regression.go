package learn

import (
	"context"
	"math"

	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
	"github.com/seed-167f963f/nbsvm/solver"
)

// regression is a model of numbers, whose weights the solver finds.
type regression struct {
	weighted bool // features are multiplied by their log-count ratio
}

func (regression) link(p *Params, _ string) string {
	if p.Solver.Loss == solver.Logistic {
		return "levels"
	}
	return "number"
}

// fit trains the only output. The solver sees numbers less their mean, in units of their standard deviation, so that C
// and the tolerance mean the same whatever the unit, and a bias need not be large, which would cost.
func (r regression) fit(ctx context.Context, t *trainer) ([]output, error) {
	s := t.standardize()
	if t.Solver.Loss == solver.Logistic {
		return r.fitSoft(ctx, t, s)
	}
	if t.Clip {
		t.limits = &[2]float64{s.least, s.most}
	}
	if r.weighted {
		var err error
		if t.ratio, err = t.newSoftRatio(ctx, s); err != nil {
			return nil, err
		}
	}
	so := t.Solver
	so.Epsilon /= s.deviation
	p := solver.Problem{
		ColScale: t.x.IDF, Mass: t.mass, Target: s.targets, Costs: solver.Costs{Positive: t.C},
	}
	if t.ratio != nil {
		p.ColScale = t.ratio.scale
	}
	t.scaleRows(&p)
	out, _, err := t.solveOne(ctx, p, len(p.Target), so)
	if err != nil {
		return nil, err
	}
	out.bias = s.mean + float64(s.deviation*out.bias)
	for j, w := range out.values {
		out.values[j] = float32(s.deviation * float64(w))
	}
	return []output{out}, nil
}

// solveOne solves the only problem of a model, which has so many rows, and returns its intercepts, too. It starts from
// the Duals of a problem with as many: another kind of model or loss may make more or fewer rows of the same documents.
func (t *trainer) solveOne(
	ctx context.Context, p solver.Problem, rows int, so solver.Options,
) (out output, intercepts []float64, err error) {
	so.Bias, so.Threads, so.Progress = t.stiffBias(), max(t.Threads, 1), t.progress(1)
	if t.duals != nil {
		t.duals.begin(so.Loss, rows, 1)
	}
	if start := t.duals.of(0); len(start) == rows {
		p.Start = start
	}
	c := &oneAgainstRest{trainer: t, threads: so.Threads, classes: make([]classMemory, 1)}
	defer c.close()
	outputs := make([]output, 1)
	if err := c.solve(ctx, []solver.Problem{p}, so, outputs); err != nil {
		return out, nil, err
	}
	t.duals.keep(0, func(dst []float64) []float64 { return c.solver.Alpha(0, dst) })
	return outputs[0], c.solver.Intercepts(0, nil), nil
}

// fitSoft trains by the logistic loss, on the least and the largest number as two levels: a document in between is one of
// the largest by its share of the way, and one of the least by the rest, as two copies with these weights would be.
func (r regression) fitSoft(ctx context.Context, t *trainer, s *standard) ([]output, error) {
	if s.least == s.most {
		return nil, oneLevel(t, s)
	}
	levels := []float64{s.least, s.most}
	return t.fitLevels(ctx, s, levels, 2, r.weighted, func(x float64, add func(threshold int, positive bool, share float64)) {
		share := s.share(x)
		if share > 0 {
			add(0, true, share)
		}
		if share < 1 {
			add(0, false, 1-share)
		}
	})
}

// share returns where a number lies between the least, 0, and the largest, 1.
func (s *standard) share(x float64) float64 {
	if s.most == s.least {
		return 0.5
	}
	return min(max((x-s.least)/(s.most-s.least), 0), 1) // those of weight 0 may lie beyond
}

// standard are the numbers of a matrix's rows, and how they are distributed, by weight.
type standard struct {
	numbers, targets []float64 // by row; as they are, and as the solver sees them
	mean, deviation  float64
	least, most      float64 // of Params.Range, if there is one
}

// standardize lists the numbers of the rows. Rows of weight 0 do not count.
func (t *trainer) standardize() *standard {
	s := &standard{least: math.Inf(1), most: math.Inf(-1)}
	for it := t.x.Documents.Iterator(); it.HasNext(); {
		s.numbers = append(s.numbers, t.ds.Classes.Numbers[it.Next()])
	}
	mass := func(i int) float64 {
		if t.mass == nil {
			return 1
		}
		return t.mass[i]
	}
	var weight float64
	for i, x := range s.numbers {
		if m := mass(i); m > 0 {
			weight += m
			s.mean += float64(m * x)
			s.least, s.most = min(s.least, x), max(s.most, x)
		}
	}
	s.mean = min(max(s.mean/weight, s.least), s.most) // rounding may lead beyond
	if t.Range != [2]float64{} {
		s.least, s.most = t.Range[0], t.Range[1]
	}
	for i, x := range s.numbers {
		d := x - s.mean
		s.deviation += float64(mass(i) * float64(d*d))
	}
	if s.deviation = math.Sqrt(s.deviation / weight); s.deviation == 0 {
		s.deviation = 1 // all are equal
	}
	s.targets = make([]float64, len(s.numbers))
	for i, x := range s.numbers {
		s.targets[i] = (x - s.mean) / s.deviation
	}
	return s
}

// newSoftRatio computes the log-count ratio of numbers: a document of the largest counts as one of the positive class,
// one of the least as one of the negative class, and one in between in part for either. With numbers 0 and 1, it is the
// ratio of two classes.
func (t *trainer) newSoftRatio(ctx context.Context, s *standard) (*logRatio, error) {
	_, end := par.WithStage(ctx, par.StageRatio)
	defer end()
	if err := t.checkNonNegative(); err != nil {
		return nil, err
	}
	total := t.totals()
	c := classSums{sums: make([]float64, len(total)), others: total}
	share := make([]float64, len(s.numbers)) // that speaks for the positive class
	for i, x := range s.numbers {
		if share[i] = s.share(x); t.scale != nil {
			share[i] *= t.scale[i]
		}
	}
	all := xmath.Sum(total)
	t.sumsOf(c.sums, nil, share)
	for j, sum := range c.sums {
		c.others[j] = max(0, c.others[j]-sum) // rounding may have left it below 0
	}
	t.quotients(&c, all)
	r := &logRatio{columns: make([]float32, len(total)), signed: c.ratios}
	for j, v := range c.ratios {
		r.columns[j] = float32(math.Abs(float64(v)))
	}
	t.finishRatio(r)
	return r, nil
}
