package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/bayes"
	"github.com/seed-167f963f/nbsvm/bench/distributed"
	"github.com/seed-167f963f/nbsvm/internal/base/splitmix"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/data/matrix"
	"github.com/seed-167f963f/nbsvm/internal/learn/train"
	"github.com/seed-167f963f/nbsvm/solver"
)

// distributedDefaults share out a generated corpus to 2 to 64 workers, in the way that takes fewest rounds.
func distributedDefaults(c *Config, quick bool) {
	c.Generated.Words, c.Generated.Documents = 200, 20_000
	c.Options.NamesLimit = 0
	c.Runs, c.MaxRounds = 1, 100
	c.Workers, c.LocalEpochs = []int{2, 4, 8, 16, 32, 64}, []float64{1}
	c.Methods, c.Factors, c.Shares = []string{string(distributed.ByColumn)}, []float64{1}, []string{anyRows}
	c.Losses, c.Tols = []string{solver.SquaredHinge.String()}, []float64{1e-2, 1e-3}
	c.Networks = []distributed.Network{
		{Gbit: 1, Latency: time.Millisecond},
		{Gbit: 10, Latency: 100 * time.Microsecond},
		{Gbit: 25, Latency: 100 * time.Microsecond},
	}
	if quick {
		c.Workers, c.Generated.Documents = []int{2, 8}, 4_000
	}
}

// Which rows a worker has.
const (
	anyRows  = "random"
	someRows = "contiguous"
)

// Methods that are not those of package distributed: one machine, and weights that are averaged once, of workers which
// take their rows for all there are, or for a sample.
const (
	oneMachine   = "one machine"
	averagedOnce = "averaged once"
	sampledOnce  = "averaged once, C times workers"
	newton       = "newton"
)

// heldOut is how many documents there are to one that is not trained on.
const heldOut = 10

// machines is a corpus that workers are to train on.
type machines struct {
	*job
	ds      *dataset.Dataset
	x       *matrix.Matrix
	trained []int32
	bounds  map[string][]float64 // by loss, for each class the highest dual known
}

// distributedCases simulate that several machines train. Of each way to do so, and each gap to be reached, they tell
// how many rounds and epochs that takes, summed over classes; how many MB a worker sends and receives, of all columns
// or of changes alone; the seconds of the slowest workers, and with each network; the gap that was reached, and for two
// classes the accuracy on a tenth of the documents, which is not trained on.
func distributedCases(ctx context.Context, j *job) ([]Case, error) {
	ds, o, err := train.Prepare(ctx, j.in, j.Options, false)
	if err != nil {
		return nil, err
	}
	j.Options = o
	m := &machines{job: j, ds: ds, bounds: map[string][]float64{}}
	j.ends = append(j.ends, ds.Close)
	if o.Values != nbsvm.Binary || o.Prenormalize {
		return nil, errors.New("bench: workers are simulated on binary features: leave --values and --prenormalize out")
	}
	if m.x, err = train.LayOut(ctx, ds, ds.All(), &o, false); err != nil {
		return nil, err
	}
	j.ends = append(j.ends, m.x.Close)
	if m.x.X == nil {
		return nil, errors.New("bench: workers are simulated on rows in memory: leave --memory out")
	}
	random := splitmix.Source(o.Seed)
	for i := range m.x.X.Rows {
		if random.IntN(heldOut) > 0 {
			m.trained = append(m.trained, int32(i))
		}
	}
	return m.cases(), nil
}

func (m *machines) cases() (cases []Case) {
	for _, loss := range m.Losses {
		cases = append(cases, m.casesOf(loss, oneMachine, distributed.Options{Workers: 1})...)
		for _, workers := range m.Workers {
			for _, method := range m.Methods {
				o := distributed.Options{
					Workers: workers, Method: distributed.Method(method), Factor: 1, LocalEpochs: 1, Seed: m.Options.Seed,
					Tol: slices.Min(m.Tols), MaxRounds: m.MaxRounds,
				}
				for _, share := range m.Shares {
					o.Contiguous = share == someRows
					if !hasRounds(method) {
						cases = append(cases, m.casesOf(loss, method, o)...)
						continue
					}
					for _, o.LocalEpochs = range m.LocalEpochs {
						o.MaxRounds = max(m.MaxRounds, int(float64(m.MaxRounds)/o.LocalEpochs))
						for _, o.Factor = range m.Factors {
							cases = append(cases, m.casesOf(loss, method, o)...)
						}
					}
				}
			}
		}
	}
	return cases
}

// hasRounds says whether the work of a worker in a round is to be chosen.
func hasRounds(method string) bool { return method != oneMachine && method != newton && !once(method) }

// once says whether workers exchange nothing but weights in the end.
func once(method string) bool { return method == averagedOnce || method == sampledOnce }

// casesOf measure a way to train, to every one of the gaps. All come of what is run for the first.
func (m *machines) casesOf(loss, method string, o distributed.Options) (cases []Case) {
	labels := []any{"loss", loss, "method", method, "workers", o.Workers}
	if method != oneMachine {
		share := anyRows
		if o.Contiguous {
			share = someRows
		}
		labels = append(labels, "rows", share)
	}
	if hasRounds(method) {
		labels = append(labels, "local epochs", o.LocalEpochs, "factor", o.Factor)
	}
	tols := m.Tols
	if once(method) {
		tols = []float64{o.Tol}
	}
	var outcomes []outcome
	for k, tol := range tols {
		labels := Labels(append(slices.Clone(labels), "tol", strconv.FormatFloat(tol, 'g', -1, 64))...)
		cases = append(cases, Case{labels, func(ctx context.Context) (_ []Value, err error) {
			if k == 0 {
				if outcomes, err = m.run(ctx, loss, method, o, tols); err != nil {
					return nil, err
				}
			}
			return outcomes[k].values(m.Networks), nil
		}})
	}
	return cases
}

// run trains in one way, all classes one after the other, and tells what came of it at each of the gaps.
func (m *machines) run(
	ctx context.Context, loss, method string, o distributed.Options, tols []float64,
) ([]outcome, error) {
	outcomes := make([]outcome, len(tols))
	classes := m.classes()
	for at, class := range classes {
		p, err := m.problem(loss, class)
		if err != nil {
			return nil, err
		}
		switch {
		case method == oneMachine:
			err = m.alone(ctx, p, outcomes, tols)
		case once(method):
			err = m.averaged(ctx, p, &outcomes[0], o, method == sampledOnce, m.bounds[loss], at)
		default:
			err = m.together(ctx, p, outcomes, o, tols)
		}
		if err != nil {
			return nil, err
		}
		for k := range outcomes {
			if method == oneMachine {
				m.bound(loss, at, outcomes[k].dual)
			}
			if len(classes) == 1 {
				outcomes[k].accuracy = m.accuracy(p, outcomes[k].decisions)
			}
			outcomes[k].decisions = nil
		}
	}
	return outcomes, nil
}

// bound notes a dual that was reached.
func (m *machines) bound(loss string, at int, dual float64) {
	if at == len(m.bounds[loss]) {
		m.bounds[loss] = append(m.bounds[loss], dual)
	}
	m.bounds[loss][at] = max(m.bounds[loss][at], dual)
}

// outcome is what a way to train takes, summed over classes.
type outcome struct {
	rounds, epochs float64
	slowest, work  time.Duration
	dense, changes float64 // bytes a worker
	all            float64 // bytes of changes, of all workers
	messages       []distributed.Messages
	gap            float64 // the largest
	primal         float64
	dual           float64 // of the last class
	decisions      []float64
	accuracy       float64
}

// values are metrics.
func (o *outcome) values(networks []distributed.Network) []Value {
	const mega = 1e6
	values := []Value{
		{"rounds", lower, o.rounds},
		{"epochs", lower, o.epochs},
		{"MB dense", lower, o.dense / mega},
		{"MB changes", lower, o.changes / mega},
		{"MB of all", "", o.all / mega},
		{"s", lower, o.slowest.Seconds()},
		{"work s", lower, o.work.Seconds()},
	}
	for _, n := range networks {
		seconds := o.slowest.Seconds()
		for _, m := range o.messages {
			seconds += n.Seconds(m)
		}
		values = append(values, Value{"s at " + n.String(), lower, seconds})
	}
	return append(values, Value{"gap", "", o.gap}, Value{"primal", "", o.primal}, Value{"accuracy", "", o.accuracy})
}

// classes are those that are told from the others.
func (m *machines) classes() []int {
	if len(m.ds.Classes.Labels) == 2 && !m.ds.Classes.Multi {
		return []int{1}
	}
	all := make([]int, 0, len(m.ds.Classes.Labels))
	for class := range m.ds.Classes.Labels {
		all = append(all, class)
	}
	if m.Classes > 0 {
		all = all[:min(len(all), m.Classes)]
	}
	return all
}

// problem is that of a class against the others.
func (m *machines) problem(loss string, class int) (*distributed.Problem, error) {
	o := m.Options
	o.Loss = loss
	p := &distributed.Problem{
		X: m.x.X, UnitRows: o.Normalize, Positive: make([]bool, m.x.X.Rows), Rows: slices.Clone(m.trained),
		Cost: o.DefaultC(), Bias: o.Bias, ColScale: make([]float32, m.x.X.Cols),
	}
	if len(m.Cs) > 0 {
		p.Cost = m.Cs[0]
	}
	if err := p.Loss.UnmarshalText([]byte(loss)); err != nil {
		return nil, err
	}
	for it := m.ds.Classes.Sets[class].Iterator(); it.HasNext(); {
		p.Positive[it.Next()] = true
	}
	positive, negative := roaring.New(), roaring.New()
	for _, i := range m.trained {
		if p.Positive[i] {
			positive.Add(uint32(i))
		} else {
			negative.Add(uint32(i))
		}
	}
	sum, rest := make([]float64, m.x.X.Cols), make([]float64, m.x.X.Cols)
	m.x.X.AddColumnSums(sum, positive, nil)
	m.x.X.AddColumnSums(rest, negative, nil)
	bayes.LogRatio(p.ColScale, sum, rest, o.Alpha)
	return p, nil
}

// accuracy is the share of documents held out that decisions are right about.
func (m *machines) accuracy(p *distributed.Problem, decisions []float64) float64 {
	right, all, next := 0, 0, 0
	for i, decision := range decisions {
		if next < len(m.trained) && int(m.trained[next]) == i {
			next++
			continue
		}
		if all++; decision > 0 == p.Positive[i] {
			right++
		}
	}
	return float64(right) / float64(max(all, 1))
}

// alone has one machine train, with one thread.
func (m *machines) alone(ctx context.Context, p *distributed.Problem, outcomes []outcome, tols []float64) error {
	for k := range tols {
		solved, err := distributed.Alone(ctx, p, tols[k], m.Options.Seed)
		if err != nil {
			return err
		}
		s, sum := solved.Stats, &outcomes[k]
		sum.rounds, sum.epochs = sum.rounds+float64(s.Epochs), sum.epochs+float64(s.Epochs)
		sum.slowest, sum.work = sum.slowest+solved.Took, sum.work+solved.Took
		sum.gap, sum.dual, sum.decisions = max(sum.gap, s.Gap), s.Dual, solved.Decisions
		sum.primal += s.Primal
	}
	return nil
}

// averaged has workers train alone, and compares what is averaged with the highest dual known.
func (m *machines) averaged(
	ctx context.Context, p *distributed.Problem, sum *outcome, o distributed.Options, sample bool,
	bounds []float64, at int,
) error {
	factor := 1.0
	if sample {
		factor = float64(o.Workers)
	}
	o.Method = distributed.Averaging
	a, err := distributed.Average(ctx, p, o, factor)
	if err != nil {
		return err
	}
	sum.rounds++
	sum.primal += a.Primal
	sum.decisions = a.Decisions
	if at < len(bounds) {
		sum.gap = max(sum.gap, (a.Primal-bounds[at])/a.Primal)
	}
	sum.slowest, sum.work = sum.slowest+a.Slowest, sum.work+a.Work
	sum.messages = append(sum.messages, a.Messages)
	sum.dense += float64(a.Messages.Dense)
	return nil
}

// together has workers train with each other.
func (m *machines) together(
	ctx context.Context, p *distributed.Problem, outcomes []outcome, o distributed.Options, tols []float64,
) error {
	s, err := simulate(p, o)
	if err != nil {
		return ConfigError{err}
	}
	reached := make([]bool, len(outcomes))
	for {
		r, err := s.Round(ctx)
		if err != nil {
			return err
		}
		for k := range outcomes {
			if reached[k] {
				continue
			}
			sum := &outcomes[k]
			sum.rounds++
			sum.epochs += o.LocalEpochs
			sum.slowest, sum.work = sum.slowest+r.Slowest, sum.work+r.Work
			sum.dense += float64(r.Messages.Dense)
			sum.changes += float64(r.Messages.Sent + r.Messages.Received)
			sum.all += float64(r.Messages.All)
			sum.messages = append(sum.messages, r.Messages)
			switch {
			case r.Diverged:
				reached[k], sum.gap = true, 1
				sum.decisions = make([]float64, p.X.Rows)
			case r.Gap <= tols[k] || r.Number == o.MaxRounds:
				reached[k] = true
				sum.gap, sum.dual, sum.primal = max(sum.gap, r.Gap), r.Dual, sum.primal+r.Primal
				sum.decisions = s.Decisions()
			}
		}
		if !slices.Contains(reached, false) {
			return nil
		}
	}
}

// training is one of several machines, under way.
type training interface {
	Round(ctx context.Context) (distributed.Round, error)
	Decisions() []float64
}

// simulate starts one.
func simulate(p *distributed.Problem, o distributed.Options) (training, error) {
	if o.Method == newton {
		return distributed.NewNewton(p, o)
	}
	return distributed.New(p, o)
}

// checkDistributed reports what workers can't do.
func (c *Config) checkDistributed() error {
	for _, method := range c.Methods {
		if !slices.Contains(DistributedMethods, method) {
			return fmt.Errorf("bench: unknown method %q, want one of %q", method, DistributedMethods)
		}
		if method == newton && slices.Contains(c.Losses, solver.Hinge.String()) {
			return errors.New("bench: newton takes a loss with a slope everywhere, and hinge has a corner: " +
				"want squared-hinge or logistic")
		}
	}
	for _, share := range c.Shares {
		if share != anyRows && share != someRows {
			return fmt.Errorf("bench: rows are shared out %s or %s, not %q", anyRows, someRows, share)
		}
	}
	for _, factor := range c.Factors {
		if !(factor > 0 && factor <= 1) {
			return fmt.Errorf("bench: sigma' is to be %v of what is safe, want more than 0 and at most 1", factor)
		}
	}
	for _, epochs := range c.LocalEpochs {
		if !(epochs > 0 && epochs <= 100) {
			return fmt.Errorf("bench: %v local epochs a round, want more than 0 and at most 100", epochs)
		}
	}
	if len(c.Workers) > 0 && c.MaxRounds < 1 {
		return fmt.Errorf("bench: %d rounds at most, want 1 or more", c.MaxRounds)
	}
	if len(c.Workers) == 0 {
		return nil
	}
	for _, tol := range c.Tols {
		if !(tol > 0 && tol < 1) {
			return fmt.Errorf("bench: the gap to reach is %v, want more than 0 and less than 1", tol)
		}
	}
	return nil
}

// DistributedMethods are ways in which several machines train.
var DistributedMethods = []string{
	string(distributed.Adding), string(distributed.Averaging), string(distributed.ByColumn), newton,
	averagedOnce, sampledOnce,
}
