package boost

import (
	"context"
	"math"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/internal/ordered"
	"github.com/seed-167f963f/nbsvm/internal/splitmix"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// Problem is rows and their classes.
type Problem struct {
	Columns *Columns
	Classes int       // 2 for one output, the log odds of class 1; more for as many outputs
	Class   []int32   // of every row
	Weights []float64 // of every row, 0 or more; nil: all 1
	Rows    *roaring.Bitmap
	// Held are rows that are not trained on, and whose loss tells when to stop; nil for none.
	Held *roaring.Bitmap
}

// Round tells of one round.
type Round struct {
	Loss float64 `json:"loss"` // mean log loss of the rows that are trained on
	Held float64 `json:"held,omitempty"`
	// Accuracy is that of held rows.
	Accuracy float64 `json:"accuracy,omitempty"`
}

// Result is what came of a training.
type Result struct {
	Forest Forest
	Base   []float64 // margin of every output before all trees
	Rounds []Round
	Best   int // number of rounds that the forest has
}

// Train trains trees. tell, unless it is nil, is told of every round; it may end the training by returning false, and
// the forest has the trees so far.
func Train(ctx context.Context, p *Problem, o Options, tell func(number int, r Round) bool) (*Result, error) {
	t := newTraining(p, o)
	best, lowest := 0, math.Inf(1)
	for number := range o.Rounds {
		if err := t.round(ctx, number); err != nil {
			return nil, err
		}
		r := Round{}
		r.Loss, _ = t.loss(p.Rows)
		judged := r.Loss
		if p.Held != nil {
			r.Held, r.Accuracy = t.loss(p.Held)
			judged = r.Held
		}
		t.result.Rounds = append(t.result.Rounds, r)
		goOn := tell == nil || tell(number, r)
		if p.Held == nil {
			best = number + 1
		} else if judged < lowest {
			best, lowest = number+1, judged
		}
		if !goOn || t.idle && o.Subsample == 1 && o.ColSample == 1 || p.Held != nil && number+1-best >= o.Patience {
			break
		}
	}
	t.result.Best = best
	t.result.Forest.Trees = t.result.Forest.Trees[:best*t.outputs]
	return &t.result, nil
}

// training is the state between rounds.
type training struct {
	p       *Problem
	o       Options
	outputs int
	growers []*grower
	margins [][]float64 // of every output, by row
	lse     []float64   // of every row, log Σ_k exp of margins; for more than one output
	rows    []uint32    // that are trained on
	idle    bool        // the last round's trees have no splits
	result  Result
}

func newTraining(p *Problem, o Options) *training {
	t := &training{p: p, o: o, outputs: p.Classes, rows: p.Rows.ToArray()}
	if p.Classes == 2 {
		t.outputs = 1
	} else {
		t.lse = make([]float64, p.Columns.rows)
	}
	t.result.Forest.Outputs = t.outputs
	// Several trees are grown at a time, each by one thread, where there are several of a round.
	growers, threads := 1, ordered.Threads(o.Threads)
	if t.outputs > 1 {
		growers, threads = min(threads, t.outputs), 1
	}
	for range growers {
		t.growers = append(t.growers, newGrower(p.Columns, &t.o, threads))
	}
	t.result.Base = t.base()
	t.margins = make([][]float64, t.outputs)
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

// base are the margins that have the least loss without a tree: the logarithms of the classes' shares, of two classes
// their difference.
func (t *training) base() []float64 {
	mass := make([]float64, t.p.Classes)
	var all float64
	for _, i := range t.rows {
		mass[t.p.Class[i]] += t.weight(i)
		all += t.weight(i)
	}
	base := make([]float64, t.p.Classes)
	for k := range base {
		base[k] = xmath.Log(max(mass[k]/max(all, 1e-300), leastShare))
	}
	if t.outputs == 1 {
		return []float64{base[1] - base[0]}
	}
	return base
}

// round adds a tree for every output.
func (t *training) round(ctx context.Context, number int) error {
	if t.lse != nil {
		t.addUp()
	}
	t.idle = true
	trees := make([]Tree, t.outputs)
	err := ordered.Each(ctx, len(t.growers), t.outputs, func(worker, k int) error {
		trees[k] = t.tree(t.growers[worker], number, k)
		return nil
	})
	if err != nil {
		return err
	}
	for _, tree := range trees {
		t.idle = t.idle && len(tree.Nodes) == 1
	}
	t.result.Forest.Trees = append(t.result.Forest.Trees, trees...)
	return ctx.Err()
}

// addUp finds log Σ_k exp of every row's margins.
func (t *training) addUp() {
	for i := range t.lse {
		most := math.Inf(-1)
		for _, m := range t.margins {
			most = max(most, m[i])
		}
		var sum float64
		for _, m := range t.margins {
			sum += xmath.Exp(m[i] - most)
		}
		t.lse[i] = most + xmath.Log(sum)
	}
}

// leastSecond keeps second derivatives above 0.
const leastSecond = 1e-16

// tree grows a tree for an output and adds its values to the margins.
func (t *training) tree(g *grower, number, output int) Tree {
	random := splitmix.Source(t.o.Seed + uint64(number*t.outputs+output)*0x9e3779b97f4a7c15)
	random = splitmix.Source(random.Uint64())
	rows := t.p.Rows
	if t.o.Subsample < 1 {
		rows = sample(rows, t.o.Subsample, &random)
	}
	g.lacks = nil
	if t.o.ColSample < 1 {
		g.lacks = t.sampleColumns(&random)
	}
	margins := t.margins[output]
	g.list(rows)
	for _, i := range g.rows {
		w := t.weight(i)
		if t.outputs == 1 {
			p := xmath.Sigmoid(margins[i])
			g.g[i], g.h[i] = w*(p-float64(t.p.Class[i])), w*max(p*(1-p), leastSecond)
			continue
		}
		y := 0.0
		if int(t.p.Class[i]) == output {
			y = 1
		}
		p := min(xmath.Exp(margins[i]-t.lse[i]), 1) // the difference is rounded
		g.g[i], g.h[i] = w*(p-y), w*max(2*p*(1-p), leastSecond)
	}
	tree := g.grow(output, rows.Clone(), func(rows *roaring.Bitmap, value float32) {
		addTo(margins, rows, float64(value))
	})
	if t.p.Held != nil {
		t.p.Columns.assign(&tree, t.p.Held.Clone(), margins)
	}
	if t.o.Subsample < 1 {
		t.p.Columns.assign(&tree, roaring.AndNot(t.p.Rows, rows), margins)
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

// sample takes every row with the same chance.
func sample(rows *roaring.Bitmap, share float64, random *splitmix.Source) *roaring.Bitmap {
	bound := uint64(share * (1 << 53))
	taken := make([]uint32, 0, int(float64(rows.GetCardinality())*share)+64)
	for it := rows.Iterator(); it.HasNext(); {
		if i := it.Next(); random.Uint64()>>11 < bound {
			taken = append(taken, i)
		}
	}
	set := roaring.New()
	set.AddMany(taken)
	return set
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

// loss is the mean log loss of some rows, by weight, and the share of them whose class has the largest margin.
func (t *training) loss(rows *roaring.Bitmap) (loss, accuracy float64) {
	var all, right float64
	for it := rows.Iterator(); it.HasNext(); {
		i := it.Next()
		w, class := t.weight(i), int(t.p.Class[i])
		all += w
		if t.outputs == 1 {
			m := t.margins[0][i]
			if class == 1 {
				m = -m
			}
			loss += float64(w * xmath.Log1pExp(m))
			if m < 0 || m == 0 && class == 0 {
				right += w
			}
			continue
		}
		most, best := math.Inf(-1), 0
		var sum float64
		for k, m := range t.margins {
			if m[i] > most {
				most, best = m[i], k
			}
		}
		for _, m := range t.margins {
			sum += xmath.Exp(m[i] - most)
		}
		loss += float64(w * (most + xmath.Log(sum) - t.margins[class][i]))
		if best == class {
			right += w
		}
	}
	return loss / max(all, 1e-300), right / max(all, 1e-300)
}
