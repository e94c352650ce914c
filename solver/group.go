package solver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
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
// A Group takes 128 bytes a shared column and 192 a row, see GroupBytes.
type Group struct {
	memory
	x        *sparse.CSR
	slots    []kernels.GroupSlot // per shared column and problem
	fold     []kernels.Group64   // what slots hold, in double precision, as of the last certificate
	rows     []groupRow
	rest     []kernels.Group64 // logistic: C_i − alpha_i; else nil
	restOf   []kernels.Group64 // its memory
	near     []int32           // all rows, those that are alike next to each other
	all      []int32           // near, but for rows without mass
	order    []int32           // active rows first
	problems []Problem
	members  [kernels.GroupSize]member
	open     uint8           // bit k: problem k has no certificate yet
	awake    uint8           // bit k: open, and not thought to be done
	bias     kernels.Group64 // u of the bias features: w_b·Bias
	opts     Options

	biasSquare float64
	random     splitmix.Source
}

// groupRow is what a visit needs to know of a row besides its ids: one line of the cache
// where no alpha moves, three where one does.
type groupRow struct {
	start    int64 // of its ids in the matrix
	mass     float64
	head     int32 // how many of its columns are shared
	positive uint8 // bit k: y_i is +1 in problem k
	moved    uint8 // bit k: alpha_i is not 0 in problem k
	settled  uint8 // bit k: pushed out of its box, as the last certificate saw it
	calm     uint8 // visits in a row that found it pushed out of every box
	_        [8]byte
	scale    kernels.Group // y·c·a
	alpha    kernels.Group64
	norm     kernels.Group // ‖x_i‖², bias included
	own      kernels.Group // the part of it that columns of no other row have
}

// member is one of the problems while it is solved.
type member struct {
	trust    trust
	primal   float64 // as last certified
	estimate float64
	seen     pass
	stats    Stats
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
	g.fold = table[kernels.Group64](&g.memory, shared)
	g.rows = table[groupRow](&g.memory, x.Rows)
	for i := range g.rows {
		idx, _ := x.Row(i)
		n, _ := slices.BinarySearch(idx, uint32(shared))
		g.rows[i].start, g.rows[i].head = x.Indptr[i], int32(n)
	}
	return g
}

// GroupBytes is about how much memory a Group takes for problems on x.
func GroupBytes(x *sparse.CSR) int64 {
	const column = unsafe.Sizeof(kernels.GroupSlot{}) + unsafe.Sizeof(kernels.Group64{})
	return int64(x.SharedColumns())*int64(column) + int64(x.Rows)*int64(unsafe.Sizeof(groupRow{}))
}

// Solve trains one classifier a problem. The problems may differ in ColScale, Positive
// and Costs alone. It fails as Solver.Solve does. Options.Progress is told of the
// problem whose estimate is the largest.
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
func (g *Group) Weights(problem int, dst []float64) (weights []float64, intercept float64) {
	p := &g.problems[problem]
	dst = slices.Grow(dst[:0], g.x.Cols)[:g.x.Cols]
	clear(dst)
	for j := range g.fold {
		if c := p.colScale(j); c != 0 {
			dst[j] = g.fold[j][problem] / c // fold is w·s
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

// head and tail are the parts of a row, see Solver.
func (g *Group) head(r *groupRow) part {
	return partOf(g.x, r.start, r.start+int64(r.head))
}

func (g *Group) tail(i int) part {
	r := &g.rows[i]
	return partOf(g.x, r.start+int64(r.head), g.x.Indptr[i+1])
}

// prepare lays out slots, rows and the starting alpha.
func (g *Group) prepare() {
	first := &g.problems[0]
	for j := range g.slots {
		g.slots[j] = kernels.GroupSlot{}
		for k := range g.problems {
			c := g.problems[k].colScale(j)
			g.slots[j][1][k] = float32(c * c)
		}
	}
	g.biasSquare = g.opts.Bias * g.opts.Bias
	g.open = 1<<len(g.problems) - 1
	g.awake = g.open
	g.members, g.bias = [kernels.GroupSize]member{}, kernels.Group64{}
	for k := range g.problems {
		g.members[k].trust = newTrust()
	}
	g.all = g.all[:0]
	for at, i := range g.near {
		if at+1 < len(g.near) {
			kernels.PrefetchGroups(g.slots, g.head(&g.rows[g.near[at+1]]).idx, hotGroups)
		}
		r := &g.rows[i]
		*r = groupRow{start: r.start, head: r.head, mass: 1}
		if first.Mass != nil {
			r.mass = first.Mass[i]
		}
		if r.mass > 0 {
			g.all = append(g.all, i)
		}
		head := g.squaresOf(g.head(r))
		for k := range g.problems {
			p := &g.problems[k]
			own := p.squares(g.tail(int(i)))
			scale := 1.0
			switch {
			case p.UnitRows:
				scale = inverseRoot(float64(head[k]) + own) // a_i cancels
			case p.RowScale != nil:
				scale = p.RowScale[i]
			}
			y := -1.0
			if p.Positive[i] {
				y = 1
				r.positive |= 1 << k
			}
			r.scale[k] = float32(y * scale)
			square := float64(r.scale[k]) * float64(r.scale[k])
			r.own[k] = float32(own * square)
			r.norm[k] = float32(float64(float64(head[k])*square) + float64(r.own[k]) + g.biasSquare)
		}
	}
	if g.rest = nil; g.opts.Loss == Logistic {
		g.startLogistic()
	}
}

// inverseRoot is 1/√x, and 0 for 0.
func inverseRoot(x float64) float64 {
	if x <= 0 {
		return 0
	}
	return 1 / math.Sqrt(x)
}

// startLogistic puts alpha where it starts, and the slots, too.
func (g *Group) startLogistic() {
	if g.restOf == nil {
		g.restOf = table[kernels.Group64](&g.memory, len(g.rows))
	}
	g.rest = g.restOf
	for _, i := range g.all {
		r := &g.rows[i]
		var d kernels.Group
		for k := range g.problems {
			cost := g.cost(k, r)
			if cost == 0 {
				continue
			}
			r.alpha[k] = logisticStart(cost)
			g.rest[i][k] = cost - r.alpha[k]
			d[k] = float32(r.alpha[k]) * r.scale[k]
			r.moved |= 1 << k
			g.bias[k] += float64(r.alpha[k] * r.y(k) * g.biasSquare)
		}
		g.add(r, &d)
	}
}

// y is the row's side in a problem.
func (r *groupRow) y(problem int) float64 {
	if r.positive>>problem&1 != 0 {
		return 1
	}
	return -1
}

// cost is C_i of a problem.
func (g *Group) cost(problem int, r *groupRow) float64 {
	costs := &g.problems[problem].Costs
	if r.positive>>problem&1 != 0 {
		return costs.Positive * r.mass
	}
	return costs.Negative * r.mass
}

// squaresOf is Σ X_ij²·s_j² over a part of a row, in all problems.
func (g *Group) squaresOf(row part) (sum kernels.Group) {
	if row.val == nil {
		kernels.SumGroupScales(&sum, g.slots, row.idx)
		return sum
	}
	for k, j := range row.idx {
		square := row.val[k] * row.val[k]
		for l, s := range &g.slots[j][1] {
			sum[l] += float32(square * s)
		}
	}
	return sum
}

// dots are the sums of a row's slots.
func (g *Group) dots(r *groupRow) (sum kernels.Group) {
	row := g.head(r)
	if row.val == nil {
		kernels.SumGroups(&sum, g.slots, row.idx)
	} else {
		kernels.DotGroups(&sum, g.slots, row.idx, row.val)
	}
	return sum
}

// add adds a row's steps to the slots.
func (g *Group) add(r *groupRow, d *kernels.Group) {
	row := g.head(r)
	if row.val == nil {
		kernels.AddGroups(g.slots, row.idx, d)
	} else {
		kernels.AxpyGroups(g.slots, row.idx, row.val, d)
	}
}

// epoch visits the first so many rows of the order, and returns how many of them are
// still active: all but those that were found pushed out of every box several times in
// a row.
func (g *Group) epoch(active int) int {
	for k := range g.members {
		g.members[k].seen = pass{}
	}
	hinge := g.opts.Loss != Logistic
	for at := 0; at < active; {
		g.prefetch(g.order[:active], at)
		i := g.order[at]
		r := &g.rows[i]
		dots := g.dots(r)
		concerned := g.awake
		if hinge {
			concerned = g.concerned(r, &dots)
		}
		if concerned != 0 && !g.visit(i, r, &dots, concerned) {
			r.calm = 0
			at++
			continue
		}
		if r.calm = min(r.calm+1, groupPatience); g.opts.Shrinking && hinge && r.calm >= groupPatience {
			active--
			g.order[at], g.order[active] = g.order[active], i
			continue
		}
		at++
	}
	return active
}

// concerned are the problems that are awake, but for those where alpha is 0 and the
// margin beyond 1: the row is pushed out of its box there and adds nothing to any sum,
// which is so of most rows in most problems.
func (g *Group) concerned(r *groupRow, dots *kernels.Group) uint8 {
	concerned := r.moved & g.awake
	for left := g.awake &^ r.moved; left != 0; left &= left - 1 {
		k := bits.TrailingZeros8(left) % kernels.GroupSize
		if float64(r.scale[k]*dots[k])+float64(r.y(k)*g.bias[k]) <= 1 {
			concerned |= 1 << k
		}
	}
	return concerned
}

// visit looks at a row's alpha in the problems that it concerns and moves those that
// gain by it. It says whether all are pushed out of their boxes.
func (g *Group) visit(i int32, r *groupRow, dots *kernels.Group, concerned uint8) (pushed bool) {
	pushed = true
	steps := false
	var d kernels.Group
	for left := concerned; left != 0; left &= left - 1 {
		k := bits.TrailingZeros8(left) % kernels.GroupSize
		cost := g.cost(k, r)
		if cost == 0 {
			continue
		}
		margin := float64(r.scale[k]*dots[k]) + float64(r.alpha[k]*float64(r.own[k])) + float64(r.y(k)*g.bias[k])
		var v visit
		if g.rest != nil {
			v = logisticVisit(r.alpha[k], g.rest[i][k], cost, float64(r.norm[k]), margin)
			g.rest[i][k] = v.rest
		} else {
			v = g.opts.Loss.hingeVisit(r.alpha[k], cost, float64(r.norm[k]), margin)
		}
		m := &g.members[k]
		m.seen.primal += v.primal
		m.seen.gap += v.gap
		pushed = pushed && v.pushed
		if v.delta == 0 {
			continue
		}
		steps = true
		r.alpha[k] = v.next
		r.moved &^= 1 << k
		if v.next != 0 {
			r.moved |= 1 << k
		}
		d[k] = float32(v.delta) * r.scale[k]
		g.bias[k] += float64(v.delta * r.y(k) * g.biasSquare)
	}
	if steps {
		g.add(r, &d)
	}
	return pushed
}

// prefetch asks for what the next rows need, as Solver does.
func (g *Group) prefetch(order []int32, k int) {
	if len(g.slots) <= hotGroups {
		return
	}
	if next := k + idsAhead; next < len(order) {
		r := &g.rows[order[next]]
		kernels.Prefetch(&r.start)
	}
	if next := k + slotsAhead; next < len(order) {
		kernels.PrefetchIDs(g.head(&g.rows[order[next]]).idx)
	}
	if next := k + 1; next < len(order) {
		kernels.PrefetchGroups(g.slots, g.head(&g.rows[order[next]]).idx, hotGroups)
	}
}

// hotGroups is how many of the most frequent columns stay in the cache by themselves.
const hotGroups = 1 << 13
