package solver

import (
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// group solves up to kernels.GroupSize problems on one matrix side by side: the
// numbers of a feature lie next to each other, so that one pass over a row gives its
// margins for all of them. All take the rows in one order; each stops when its own
// duality gap is certified.
//
// It takes 36 bytes a shared column and 192 a row.
type group struct {
	common
	x          *sparse.CSR
	slots      []kernels.Group // per shared column and problem: u
	scales     []float32       // per shared column: s²
	rows       []groupRow
	rest       []kernels.Group64 // logistic alone: C_i − alpha_i
	near       []int32           // all rows, those that are alike next to each other
	all        []int32           // near, but for rows without mass
	order      []int32           // the active rows
	candidates []int32           // rows that may become active, see findCandidates
	dropped    []int32           // rows left out since the last certificate that have an alpha
	full       bool              // the last epoch took all rows
	offsets    bool              // rows have offsets or targets in some problem
	members    [kernels.GroupSize]member
	open       uint8           // bit k: problem k has no certificate yet
	running    uint8           // bit k: open, and not thought to be done
	bias       kernels.Group64 // u of the bias features: w_b·Bias
	descent    groupDescent
}

// member is one of several problems while they are solved.
type member struct {
	solution
	estimate  float64 // of the relative gap, by the last pass
	certified bool    // once, if not to the tolerance
}

func newGroup(m Matrix) *group {
	x, near := m.X, m.Near
	if near == nil {
		near = make([]int32, x.Rows)
		for i := range near {
			near[i] = int32(i)
		}
	}
	shared := x.SharedColumns()
	g := &group{common: common{matrix: m}, x: x, near: near}
	g.slots, g.scales = table[kernels.Group](&g.common, shared), table[float32](&g.common, shared)
	g.rows = rowTable[groupRow](&g.common, x.Rows)
	if g.err != nil {
		return g
	}
	for i := range g.rows {
		idx, _ := x.Row(i)
		n, _ := slices.BinarySearch(idx, uint32(shared))
		g.rows[i].start, g.rows[i].head = x.Indptr[i], int32(n)
	}
	return g
}

func (g *group) stats(problem int) *Stats { return &g.members[problem].solution.stats }

func (g *group) over() bool { return g.descent.done }

func (g *group) weights(problem int, dst []float32) []float32 {
	p := &g.problems[problem]
	dst = slices.Grow(dst[:0], g.x.Cols)[:g.x.Cols]
	clear(dst[len(g.slots):])
	for j := range g.slots {
		dst[j] = p.weight(j, g.slots[j][problem])
	}
	for _, i := range g.all {
		r := &g.rows[i]
		if r.alpha[problem] != 0 {
			p.tailWeights(dst, g.tail(int(i)), r.alpha[problem]*float64(r.scale[problem]))
		}
	}
	return dst
}

func (g *group) intercepts(problem int) []float64 { return g.bias[problem : problem+1] }

func (g *group) alpha(problem int, dst []float64) []float64 {
	for i := range g.rows {
		dst = append(dst, g.rows[i].alpha[problem])
	}
	return dst
}

// started reports whether problems start from other solutions.
func (g *group) started() bool {
	return slices.ContainsFunc(g.problems, func(p Problem) bool { return p.Start != nil })
}

// head and tail are the parts of a row, see single.
func (g *group) head(r *groupRow) part {
	return part{g.x, r.start, r.start + int64(r.head)}
}

func (g *group) tail(i int) part {
	r := &g.rows[i]
	return part{g.x, r.start + int64(r.head), g.x.Indptr[i+1]}
}

// groupRow is what a coordinate update needs to know of a row besides its ids: one line of the cache
// where no alpha moves, three where one does.
type groupRow struct {
	start        int64 // of its ids in the matrix
	mass         float64
	head         int32 // how many of its columns are shared
	positive     uint8 // bit k: y_i is +1 in problem k
	nonzero      uint8 // bit k: alpha_i is not 0 in problem k
	atBound      uint8 // bit k: alpha is at a bound in problem k, by the last certificate
	timesAtBound uint8 // epochs in succession that found it at a bound in every problem
	active       bool
	initialised  bool
	// slack is by how much all margins were beyond 1 in the last pass over all rows; 0 if not all were.
	slack float32
	scale kernels.Group // y·c·a
	alpha kernels.Group64
	norm  kernels.Group // ‖x_i‖², bias included
	own   kernels.Group // the part of it that columns of no other row have
}

// begin lays out slots and what all rows have in common.
func (g *group) begin() {
	clear(g.slots)
	for j := range g.scales {
		g.scales[j] = g.problems[0].slot(j).S
	}
	g.offsets = slices.ContainsFunc(g.problems, func(p Problem) bool { return p.Offset != nil || p.Target != nil })
	g.open = 1<<len(g.problems) - 1
	g.running = g.open
	g.bias = kernels.Group64{}
	g.full, g.descent = false, groupDescent{}
	for k := range g.members {
		g.members[k] = member{solution: solution{gapRatio: newGapRatio(g.opts.Loss)}}
	}
	mass := g.problems[0].Mass
	g.all, g.order, g.candidates, g.dropped = g.all[:0], g.order[:0], g.candidates[:0], g.dropped[:0]
	for _, i := range g.near {
		r := &g.rows[i]
		*r = groupRow{start: r.start, head: r.head, mass: 1}
		if mass != nil {
			r.mass = mass[i]
		}
		if r.mass > 0 {
			g.all = append(g.all, i)
		}
	}
	if g.opts.Loss == Logistic && g.rest == nil {
		if g.rest = rowTable[kernels.Group64](&g.common, len(g.rows)); g.err != nil {
			return
		}
	}
	if !g.started() {
		g.sample()
		return
	}
	for at, i := range g.all {
		g.prefetch(g.all, at)
		g.prepareRow(i, &g.rows[i])
	}
	g.running = 0
}

// prepareRow lays out a row, with the alpha that it starts from.
func (g *group) prepareRow(i int32, r *groupRow) {
	g.initialise(i, r)
	var d kernels.Group
	for k := range g.problems {
		cost := g.cost(k, r)
		if cost == 0 {
			continue
		}
		r.alpha[k] = g.loss.start(cost)
		if start := g.problems[k].Start; start != nil {
			r.alpha[k] = g.loss.nearest(start[i], cost)
		}
		if r.alpha[k] != 0 {
			if g.opts.Loss == Logistic {
				g.rest[i][k] = cost - r.alpha[k]
			}
			r.nonzero |= 1 << k
			d[k] = float32(r.alpha[k]) * r.scale[k]
			g.bias[k] += float64(r.alpha[k] * r.y(k) * g.biasSquare)
		}
	}
	if r.nonzero != 0 {
		g.add(g.head(r), &d)
	}
}

// initialise computes what does not change of a row.
func (g *group) initialise(i int32, r *groupRow) {
	r.initialised = true
	head := g.squaresOf(g.head(r))
	for k := range g.problems {
		p := &g.problems[k]
		own := p.squares(g.tail(int(i)))
		if p.positive(int(i)) {
			r.positive |= 1 << k
		}
		r.scale[k] = float32(r.y(k) * p.rowScale(int(i), float64(head[k])+own))
		square := float64(r.scale[k]) * float64(r.scale[k])
		r.own[k] = float32(own * square)
		r.norm[k] = float32(float64(float64(head[k])*square) + float64(r.own[k]) + g.biasSquare)
		g.members[k].norms += float64(r.norm[k])
	}
}

// y returns the row's side in a problem.
func (r *groupRow) y(problem int) float64 {
	if r.positive>>problem&1 != 0 {
		return 1
	}
	return -1
}

// offset returns what a margin is in a problem besides y_i·wᵀx_i.
func (g *group) offset(problem int, i int32) float64 {
	if !g.offsets {
		return 0
	}
	return g.problems[problem].offset(int(i))
}

// cost returns C_i of a problem.
func (g *group) cost(problem int, r *groupRow) float64 {
	costs := &g.problems[problem].Costs
	if r.positive>>problem&1 != 0 {
		return costs.Positive * r.mass
	}
	return costs.Negative * r.mass
}

// squaresOf returns Σ X_ij²·s_j² over a part of a row, in all problems.
func (g *group) squaresOf(row part) (sum kernels.Group) {
	var parts [4]float32 // as the kernels of groups have them
	val := row.val()
	for k, j := range row.idx() {
		if val == nil {
			parts[k%4] += g.scales[j]
		} else {
			parts[0] += float32(float32(val[k]*val[k]) * g.scales[j])
		}
	}
	one := (parts[0] + parts[2]) + (parts[1] + parts[3])
	for l := range sum {
		sum[l] = one
	}
	return sum
}

// dots returns Σ X_ij·u_j in all problems.
func (g *group) dots(row part) (sum kernels.Group) {
	kernels.DotGroups(&sum, g.slots, row.idx(), row.val())
	return sum
}

// add adds a row's steps to the slots.
func (g *group) add(row part, d *kernels.Group) {
	kernels.AxpyGroups(g.slots, g.scales, row.idx(), row.val(), d)
}
