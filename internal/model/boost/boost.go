package boost

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/internal/splitmix"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// Problem is rows and what there is to learn of them.
type Problem struct {
	Columns *Columns
	// Targets are one for each output. Where they are rivals, which takes three or more, every row is in one of them, and
	// outputs are trained together, for the softmax of their margins. Otherwise each output is for the log odds of its own
	// target.
	Targets []Target
	Rivals  bool
	Weights []float64       // of every row, 0 or more; nil: all 1
	Rows    *roaring.Bitmap // to train on
	// Held are rows that are not trained on, and whose loss tells when to stop; nil for none.
	Held    *roaring.Bitmap
	Seed    uint64
	Threads int
}

// LeastRows is how many rows a column has at least whose second derivatives can add up to MinChildWeight: p(1−p) is
// at most ¼, and of rivals twice that. See Layout.
func (p *Problem) LeastRows(o *Options) float64 {
	second, weight := 0.25, 1.0
	if p.Weights != nil {
		weight = slices.Max(p.Weights)
	}
	if p.Rivals {
		second = 0.5
	} else {
		factor := 0.0
		for _, t := range p.Targets {
			factor = max(factor, t.Positive, t.Negative)
		}
		weight *= factor
	}
	const rounding = 1e-6
	return o.MinChildWeight * (1 - rounding) / (second * max(weight, 1e-300))
}

// Target is what one output learns.
type Target struct {
	Rows *roaring.Bitmap // for which the output's margin should be large
	// Positive and Negative are factors of the weights of these rows and of all others; rivals have none.
	Positive, Negative float64
}

// Round tells of one round.
type Round struct {
	// Loss is the mean log loss of the rows that are trained on, by weight, summed over outputs that are no rivals.
	Loss float64 `json:"loss"`
	// Held and Accuracy are the loss of held rows, and the share of them that is classified rightly by all outputs.
	Held     float64 `json:"held,omitempty"`
	Accuracy float64 `json:"accuracy,omitempty"`
}

// Result is what came of a training.
type Result struct {
	Forest Forest    // round by round, and output by output in each
	Base   []float64 // margin of every output before all trees
	Rounds []Round
}

// Cut leaves only the trees of the first rounds.
func (r *Result) Cut(rounds int) { r.Forest.Trees = r.Forest.Trees[:rounds*r.Forest.Outputs] }

// Best is how many rounds have the lowest loss of held rows; all where none is held.
func (r *Result) Best() (rounds int) {
	for k, round := range r.Rounds {
		if round.Held > 0 && (rounds == 0 || round.Held < r.Rounds[rounds-1].Held) {
			rounds = k + 1
		}
	}
	return cmp.Or(rounds, len(r.Rounds))
}

// Train trains trees. tell, unless it is nil, is told of every round, with all trees so far, and whether it is the last
// unless patience ends the training; it may set what the round's Held and Accuracy are. Training ends when Held has not
// fallen for the options' Patience.
func Train(ctx context.Context, p *Problem, o Options, tell func(so *Result, last bool) error) (*Result, error) {
	t := newTraining(p, o)
	for number := range o.Rounds {
		if err := t.round(ctx, number); err != nil {
			return nil, err
		}
		r := Round{}
		r.Loss, _ = t.loss(p.Rows)
		if p.Held != nil {
			r.Held, r.Accuracy = t.loss(p.Held)
		}
		t.result.Rounds = append(t.result.Rounds, r)
		last := number+1 == o.Rounds
		if tell != nil {
			if err := tell(&t.result, last); err != nil {
				return nil, err
			}
		}
		if last || t.result.Rounds[number].Held > 0 && number+1-t.result.Best() >= o.Patience {
			break
		}
	}
	return &t.result, nil
}

// training is the state between rounds.
type training struct {
	p       *Problem
	o       Options
	growers []*grower
	margins [][]float64 // of every output, by row
	class   []int32     // of every row, its target; for rivals
	lse     []float64   // of every row, log Σ_k exp of margins; for rivals
	result  Result
}

func newTraining(p *Problem, o Options) *training {
	t := &training{p: p, o: o}
	outputs := len(p.Targets)
	if p.Rivals {
		t.lse, t.class = make([]float64, p.Columns.rows), make([]int32, p.Columns.rows)
		for k := range p.Targets {
			for it := p.Targets[k].Rows.Iterator(); it.HasNext(); {
				t.class[it.Next()] = int32(k)
			}
		}
	}
	t.result.Forest.Outputs = outputs
	// Several trees are grown at a time, each by one thread, where there are several of a round.
	growers, threads := 1, par.Threads(p.Threads)
	if outputs > 1 {
		growers, threads = min(threads, outputs), 1
	}
	for range growers {
		t.growers = append(t.growers, newGrower(p.Columns, &t.o, threads))
	}
	t.result.Base = t.base()
	t.margins = make([][]float64, outputs)
	for k, b := range t.result.Base {
		t.margins[k] = make([]float64, p.Columns.rows)
		for i := range t.margins[k] {
			t.margins[k][i] = b
		}
	}
	return t
}

func (t *training) weight(i uint32) float64 {
	if t.p.Weights == nil {
		return 1
	}
	return t.p.Weights[i]
}

// leastShare keeps prior log odds finite.
const leastShare = 1e-6

// base are the margins that have the least loss without a tree: logarithms of rivals' shares, and log odds of others.
func (t *training) base() []float64 {
	base := make([]float64, len(t.p.Targets))
	log := func(share float64) float64 { return xmath.Log(max(share, leastShare)) }
	for k := range base {
		target := &t.p.Targets[k]
		var inside, outside float64
		for it := t.p.Rows.Iterator(); it.HasNext(); {
			if i := it.Next(); target.Rows.Contains(i) {
				inside += t.weight(i)
			} else {
				outside += t.weight(i)
			}
		}
		if !t.p.Rivals {
			inside, outside = float64(inside*target.Positive), float64(outside*target.Negative)
		}
		all := max(inside+outside, 1e-300)
		if base[k] = log(inside / all); !t.p.Rivals {
			base[k] -= log(outside / all)
		}
	}
	return base
}

// round adds a tree for every output.
func (t *training) round(ctx context.Context, number int) error {
	if t.p.Rivals {
		t.addUp()
	}
	trees := make([]Tree, len(t.p.Targets))
	err := par.Each(ctx, len(t.growers), len(trees), func(worker, k int) error {
		trees[k] = t.tree(t.growers[worker], number, k)
		return nil
	})
	if err != nil {
		return err
	}
	t.result.Forest.Trees = append(t.result.Forest.Trees, trees...)
	return ctx.Err()
}

// addUp finds log Σ_k exp of every row's margins.
func (t *training) addUp() {
	for i := range t.lse {
		t.lse[i] = t.logSum(uint32(i))
	}
}

func (t *training) logSum(i uint32) float64 {
	most := math.Inf(-1)
	for _, m := range t.margins {
		most = max(most, m[i])
	}
	var sum float64
	for _, m := range t.margins {
		sum += xmath.Exp(m[i] - most)
	}
	return most + xmath.Log(sum)
}

// leastSecond keeps second derivatives above 0.
const leastSecond = 1e-16

// derive computes the derivatives of the loss of some rows by the margins of an output.
func (t *training) derive(g *grower, rows *roaring.Bitmap, output int) {
	margins, target := t.margins[output], &t.p.Targets[output]
	g.list(rows)
	if t.p.Rivals {
		for _, i := range g.rows {
			w, y := t.weight(i), 0.0
			if int(t.class[i]) == output {
				y = 1
			}
			p := min(xmath.Exp(margins[i]-t.lse[i]), 1) // the difference is rounded
			g.g[i], g.h[i] = w*(p-y), w*max(2*p*(1-p), leastSecond)
		}
		return
	}
	positive := target.Rows.Iterator()
	for _, i := range g.rows {
		w, y := t.weight(i), 0.0
		positive.AdvanceIfNeeded(i)
		if positive.HasNext() && positive.PeekNext() == i {
			w, y = w*target.Positive, 1
		} else {
			w *= target.Negative
		}
		p := xmath.Sigmoid(margins[i])
		g.g[i], g.h[i] = w*(p-y), w*max(p*(1-p), leastSecond)
	}
}

// tree grows a tree for an output and adds its values to the margins.
func (t *training) tree(g *grower, number, output int) Tree {
	random := splitmix.Source(t.p.Seed + uint64(number*len(t.p.Targets)+output)*0x9e3779b97f4a7c15)
	random = splitmix.Source(random.Uint64())
	g.lacks = nil
	if t.o.ColSample < 1 {
		g.lacks = t.sampleColumns(&random)
	}
	t.derive(g, t.p.Rows, output)
	margins := t.margins[output]
	tree := g.grow(output, t.p.Rows.Clone(), func(rows *roaring.Bitmap, value float32) {
		addTo(margins, rows, float64(value))
	})
	if t.p.Held != nil {
		t.p.Columns.assign(&tree, t.p.Held.Clone(), margins)
	}
	return tree
}

func addTo(margins []float64, rows *roaring.Bitmap, value float64) {
	var some [256]uint32
	it := rows.ManyIterator()
	for n := it.NextMany(some[:]); n > 0; n = it.NextMany(some[:]) {
		for _, i := range some[:n] {
			margins[i] += value
		}
	}
}

// assign adds the values of a tree's leaves to the margins of rows that fall into them. The set is used up.
func (c *Columns) assign(t *Tree, rows *roaring.Bitmap, margins []float64) {
	var visit func(node uint32, rows *roaring.Bitmap)
	visit = func(node uint32, rows *roaring.Bitmap) {
		n := &t.Nodes[node]
		if rows.IsEmpty() {
			return
		}
		if n.Leaf() {
			addTo(margins, rows, float64(n.Value))
			return
		}
		beyond := c.beyond(rows, int(n.Column), n.Threshold)
		rows.AndNot(beyond)
		if n.Threshold > 0 {
			visit(n.Left, rows)
			visit(n.Left+1, beyond)
		} else {
			visit(n.Left, beyond)
			visit(n.Left+1, rows)
		}
	}
	visit(0, rows)
}

// sampleColumns leaves all columns out but a share, and takes one at least.
func (t *training) sampleColumns(random *splitmix.Source) (lacks []bool) {
	n := len(t.p.Columns.ptr) - 1
	take := max(int(math.Round(t.o.ColSample*float64(n))), 1)
	lacks = make([]bool, n)
	for j := range lacks { // Knuth's algorithm S: each of those left with the same chance
		if random.IntN(n-j) < take {
			take--
		} else {
			lacks[j] = true
		}
	}
	return lacks
}

// loss is the mean log loss of some rows, by weight, and the share of them, by weight, that all outputs classify
// rightly.
func (t *training) loss(rows *roaring.Bitmap) (loss, accuracy float64) {
	var all, right float64
	for it := rows.Iterator(); it.HasNext(); {
		i := it.Next()
		w, agree := t.weight(i), true
		if t.p.Rivals {
			own := t.margins[t.class[i]][i]
			for k, m := range t.margins {
				agree = agree && (m[i] < own || m[i] == own && k >= int(t.class[i]))
			}
			loss += float64(w * (t.logSum(i) - own))
		} else {
			for k, m := range t.margins {
				target, m := &t.p.Targets[k], m[i]
				factor, positive := target.Negative, target.Rows.Contains(i)
				agree = agree && m > 0 == positive
				if positive {
					factor, m = target.Positive, -m
				}
				loss += float64(w * factor * xmath.Log1pExp(m))
			}
		}
		if all += w; agree {
			right += w
		}
	}
	return loss / max(all, 1e-300), right / max(all, 1e-300)
}
