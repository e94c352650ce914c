package solver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/seed-167f963f/nbsvm/internal/splitmix"
	"github.com/seed-167f963f/nbsvm/kernels"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// Group solves up to kernels.GroupSize problems on one matrix side by side: the
// numbers of a feature lie next to each other, so that one pass over a row gives its
// margins for all of them. All visit the rows in one order; each stops when its own
// duality gap is certified. Not for concurrent use.
//
// A Group takes 64 bytes a shared column and 192 a row, see GroupBytes; 128 a column where
// gaps are certified in double precision, which they are below a tolerance of 1e-5.
type Group struct {
	memory
	x        *sparse.CSR
	slots    []kernels.GroupSlot // per shared column and problem
	fold     []kernels.Group64   // what slots hold, in double precision; nil until it is asked for
	rows     []groupRow
	rest     []kernels.Group64 // logistic alone: C_i − alpha_i
	near     []int32           // all rows, those that are alike next to each other
	all      []int32           // near, but for rows without mass
	order    []int32           // the active rows
	close    []int32           // rows that may become active, see findClose
	dropped  []int32           // rows left out since the last certificate that have an alpha
	full     bool              // the last epoch visited all rows
	problems []Problem
	members  [kernels.GroupSize]member
	open     uint8           // bit k: problem k has no certificate yet
	awake    uint8           // bit k: open, and not thought to be done
	bias     kernels.Group64 // u of the bias features: w_b·Bias
	opts     Options
	descent  groupDescent
	matrix   uint32 // the checksum of x and near; 0 before it is asked for
	data     uint32 // the checksum of the problems, where states are asked for

	biasSquare float64
	random     splitmix.Source
}

// member is one of the problems while it is solved.
type member struct {
	trust     trust
	primal    float64 // as last certified, or else as last seen
	estimate  float64
	seen      pass
	norms     float64 // Σ ‖x_i‖² of the rows prepared
	certified bool    // once, if not to the tolerance
	stats     Stats
}

// NewGroup returns a solver of several problems on x. near is a permutation of the rows
// that has those next to each other which share many columns, the documents of a class
// for example, so that passes over all rows find much in the cache; nil stands for the
// rows as they lie. It is to be closed when it has done its work.
func NewGroup(x *sparse.CSR, near []int32) *Group {
	if near == nil {
		near = make([]int32, x.Rows)
		for i := range near {
			near[i] = int32(i)
		}
	}
	shared := x.SharedColumns()
	g := &Group{x: x, near: near}
	g.slots = table[kernels.GroupSlot](&g.memory, shared)
	g.rows = table[groupRow](&g.memory, x.Rows)
	for i := range g.rows {
		idx, _ := x.Row(i)
		n, _ := slices.BinarySearch(idx, uint32(shared))
		g.rows[i].start, g.rows[i].head = x.Indptr[i], int32(n)
	}
	return g
}

// GroupBytes is about how much memory a Group takes for problems on x to a tolerance.
func GroupBytes(x *sparse.CSR, tol float64) int64 {
	column := unsafe.Sizeof(kernels.GroupSlot{})
	if tol < inDoubleBelow {
		column += unsafe.Sizeof(kernels.Group64{})
	}
	return int64(x.SharedColumns())*int64(column) + int64(x.Rows)*int64(unsafe.Sizeof(groupRow{}))
}

// Solve trains one classifier a problem. The problems may differ in ColScale, Positive
// and Costs alone. It fails as Solver.Solve does. Options.Threads is not used: groups are
// solved side by side. Options.Progress is told of the problem whose estimate is the
// largest. A state to resume from is that of all problems.
func (g *Group) Solve(ctx context.Context, problems []Problem, o Options) ([]Stats, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if len(problems) == 0 || len(problems) > kernels.GroupSize {
		return nil, fmt.Errorf("solver: %d problems side by side, want 1 to %d", len(problems), kernels.GroupSize)
	}
	for k := range problems {
		p, first := &problems[k], &problems[0]
		if err := p.check(g.x); err != nil {
			return nil, err
		}
		if p.UnitRows != first.UnitRows || unsafe.SliceData(p.Mass) != unsafe.SliceData(first.Mass) || unsafe.SliceData(p.RowScale) != unsafe.SliceData(first.RowScale) {
			return nil, errors.New("solver: problems side by side have masses and row scales in common")
		}
	}
	if len(g.near) != g.x.Rows {
		return nil, fmt.Errorf("solver: an order of %d rows for a matrix of %d", len(g.near), g.x.Rows)
	}
	g.problems, g.opts = problems, o
	g.random = splitmix.Source(o.Seed)
	g.prepare()
	if err := g.resume(); err != nil {
		return nil, err
	}
	if err := g.descend(ctx); err != nil {
		return nil, err
	}
	stats := make([]Stats, len(problems))
	for k := range stats {
		stats[k] = g.members[k].stats
	}
	return stats, nil
}

// Weights returns the weights of a problem and its bias feature's part of every
// decision value, as Result has them. dst is used if it is large enough.
func (g *Group) Weights(problem int, dst []float32) (weights []float32, intercept float64) {
	p := &g.problems[problem]
	dst = slices.Grow(dst[:0], g.x.Cols)[:g.x.Cols]
	clear(dst)
	for j := range g.slots {
		if c := p.colScale(j); c != 0 {
			dst[j] = float32(float64(g.slots[j][0][problem]) / c)
		}
	}
	for i := range g.rows {
		r := &g.rows[i]
		if r.alpha[problem] != 0 {
			p.unfold(dst, g.tail(i), r.alpha[problem]*float64(r.scale[problem]))
		}
	}
	return dst, g.bias[problem]
}

// Alpha returns the dual solution of a problem, for Problem.Alpha of another. dst is used
// if it is large enough.
func (g *Group) Alpha(problem int, dst []float64) []float64 {
	dst = dst[:0]
	for i := range g.rows {
		dst = append(dst, g.rows[i].alpha[problem])
	}
	return dst
}

// head and tail are the parts of a row, see Solver.
func (g *Group) head(r *groupRow) part {
	return partOf(g.x, r.start, r.start+int64(r.head))
}

func (g *Group) tail(i int) part {
	r := &g.rows[i]
	return partOf(g.x, r.start+int64(r.head), g.x.Indptr[i+1])
}
