package learn

import (
	"context"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// OnlineProblem is documents and their classes. Features are entries times the scales of their row and column.
type OnlineProblem struct {
	X        *sparse.CSR
	RowScale []float64 // of every row; nil: all 1
	ColScale []float32 // of every column, none 0; nil: all 1
	Bias     float64   // value of the constant feature, 0 for none
	// Outputs is the number of classes, or 1 where a single output tells two sides apart.
	Outputs int
	// Class is that of every row: from 0 on or, with a single output, 1 for the positive side and 0 for the other.
	Class []int32
	// Rows are those to train on. They are put into another order.
	Rows []int32
	// Costs are those of every row's mistakes, factors of what a perceptron's document adds, and bounds of what a
	// passive-aggressive one's does; nil: all 1.
	Costs []float64
	// Aggressive takes steps that leave the document a margin of 1, if the cost allows them (Crammer et al. 2006,
	// PA-I). A perceptron takes a step of the cost where a rival wins.
	Aggressive bool
	Seed       uint64
}

// Online has the weights of a problem.
type Online struct {
	p       *OnlineProblem
	x       *sparse.CSR // entries times the scales of their columns
	w, late table       // weights, and their changes times the number of documents before
	norms   []float64   // of every row, squared, with the constant feature; nil for perceptrons
	random  xmath.SplitMix
	steps   float64 // documents so far
	margins []float64
}

// NewOnline begins with weights that are all 0.
func NewOnline(p *OnlineProblem) *Online {
	l := &Online{p: p, x: scaled(p.X, p.ColScale), random: xmath.SplitMix(p.Seed), margins: make([]float64, p.Outputs)}
	l.w, l.late = newTable(p), newTable(p)
	if p.Aggressive {
		l.norms = make([]float64, p.X.Rows)
		for _, i := range p.Rows {
			l.norms[i] = l.squaredNorm(int(i))
		}
	}
	return l
}

// scaled returns a matrix whose entries are multiplied by the scales of their columns; nil scales are all 1.
func scaled(x *sparse.CSR, scales []float32) *sparse.CSR {
	if scales == nil {
		return x
	}
	y := *x
	y.Values = make([]float32, len(x.Indices))
	for k, j := range x.Indices {
		if y.Values[k] = scales[j]; x.Values != nil {
			y.Values[k] *= x.Values[k]
		}
	}
	return &y
}

func (l *Online) squaredNorm(i int) float64 {
	ids, values := l.x.Row(i)
	sum := float64(len(ids))
	if values != nil {
		sum = 0
		for _, v := range values {
			sum += float64(float64(v) * float64(v))
		}
	}
	scale := l.scale(i)
	return float64(sum*float64(scale*scale)) + float64(l.p.Bias*l.p.Bias)
}

func (l *Online) scale(i int) float64 {
	if l.p.RowScale == nil {
		return 1
	}
	return l.p.RowScale[i]
}

// Epoch visits all rows once, in an order of its own. It tells how many a rival won when they were visited, and how
// many changed the weights.
func (l *Online) Epoch(ctx context.Context) (mistakes, changes int, err error) {
	xmath.Shuffle(&l.random, l.p.Rows)
	for n, i := range l.p.Rows {
		if n%1024 == 0 && ctx.Err() != nil {
			return mistakes, changes, ctx.Err()
		}
		mistake, change := l.learn(int(i))
		l.steps++
		if mistake {
			mistakes++
		}
		if change {
			changes++
		}
	}
	return mistakes, changes, nil
}

// learn visits a row.
func (l *Online) learn(i int) (mistake, change bool) {
	p, class := l.p, int(l.p.Class[i])
	ids, values := l.x.Row(i)
	scale := l.scale(i)
	l.w.dot(l.margins, ids, values)
	for k, m := range l.margins {
		l.margins[k] = float64(scale*m) + float64(p.Bias*l.w.bias[k])
	}
	side := float64(2*class - 1) // 1 or −1, of a single output
	rival, lead, vectors := 0, float64(side*l.margins[0]), 1.0
	if p.Outputs > 1 {
		rival = l.rival(class)
		lead, vectors = l.margins[class]-l.margins[rival], 2 // vectors that a step changes
	}
	mistake = lead <= 0
	step := 1.0
	if p.Costs != nil {
		step = p.Costs[i]
	}
	if p.Aggressive {
		if lead >= 1 || l.norms[i] == 0 {
			return mistake, false
		}
		step = min(step, (1-lead)/float64(vectors*l.norms[i]))
	} else if !mistake {
		return false, false
	}
	if p.Outputs == 1 {
		l.add(0, ids, values, scale, float64(side*step))
	} else {
		l.add(class, ids, values, scale, step)
		l.add(rival, ids, values, scale, -step)
	}
	return mistake, true
}

// rival returns the strongest of the other classes, the first of equals.
func (l *Online) rival(class int) int {
	best := -1
	for k, m := range l.margins {
		if k != class && (best < 0 || m > l.margins[best]) {
			best = k
		}
	}
	return best
}

// add moves the weights of an output along a row.
func (l *Online) add(output int, ids []uint32, values []float32, scale, step float64) {
	bias := float64(step * l.p.Bias)
	l.w.bias[output] += bias
	l.late.bias[output] += float64(l.steps * bias)
	l.w.add(output, ids, values, float64(step*scale))
	l.late.add(output, ids, values, float64(l.steps*float64(step*scale)))
}

// Average fills dst with the weights of an output, the average of those after each document, and returns its bias.
func (l *Online) Average(output int, dst []float32) (bias float64) {
	if l.steps == 0 {
		clear(dst)
		return 0
	}
	for j := range dst {
		w := l.w.at(output, j) - l.late.at(output, j)/l.steps
		dst[j] = float32(w)
	}
	return float64((l.w.bias[output] - l.late.bias[output]/l.steps) * l.p.Bias)
}

// table is a number of every column and output.
type table struct {
	one    []float64           // of the only output
	groups [][]kernels.Group64 // of several, as many side by side as kernels take
	bias   []float64
}

func newTable(p *OnlineProblem) table {
	t := table{bias: make([]float64, p.Outputs)}
	if p.Outputs == 1 {
		t.one = make([]float64, p.X.Cols)
		return t
	}
	for range (p.Outputs + kernels.GroupSize - 1) / kernels.GroupSize {
		t.groups = append(t.groups, make([]kernels.Group64, p.X.Cols))
	}
	return t
}

// at returns the number of a column.
func (t *table) at(output, column int) float64 {
	if t.one != nil {
		return t.one[column]
	}
	return t.groups[output/kernels.GroupSize][column][output%kernels.GroupSize]
}

// dot sets sums to products of the outputs with a row.
func (t *table) dot(sums []float64, ids []uint32, values []float32) {
	if t.one != nil {
		sums[0] = kernels.Dot64(t.one, ids, values)
		return
	}
	var sum kernels.Group64
	for g, group := range t.groups {
		kernels.DotGroups64(&sum, group, ids, values)
		copy(sums[g*kernels.GroupSize:], sum[:])
	}
}

// add adds a multiple of a row to an output.
func (t *table) add(output int, ids []uint32, values []float32, d float64) {
	if t.one != nil {
		kernels.Axpy64(t.one, ids, values, d)
		return
	}
	group, lane := t.groups[output/kernels.GroupSize], output%kernels.GroupSize
	if values == nil {
		for _, j := range ids {
			group[j][lane] += d
		}
		return
	}
	for k, j := range ids {
		group[j][lane] += float64(d * float64(values[k]))
	}
}
