package solver

import (
	"slices"
	"unsafe"

	"github.com/seed-167f963f/nbsvm/internal/checksum"
	"github.com/seed-167f963f/nbsvm/kernels"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// group solves up to kernels.GroupSize problems on one matrix side by side: the
// numbers of a feature lie next to each other, so that one pass over a row gives its
// margins for all of them. All take the rows in one order; each stops when its own
// duality gap is certified.
//
// It takes 64 bytes a shared column and 192 a row, see GroupBytes; 128 a column where
// gaps are certified in double precision, which they are below a tolerance of 1e-5.
type group struct {
	common
	x          *sparse.CSR
	slots      []kernels.GroupSlot // per shared column and problem
	exactU     []kernels.Group64   // what slots hold, in double precision; nil until it is asked for
	rows       []groupRow
	rest       []kernels.Group64 // logistic alone: C_i − alpha_i
	near       []int32           // all rows, those that are alike next to each other
	all        []int32           // near, but for rows without mass
	order      []int32           // the active rows
	candidates []int32           // rows that may become active, see findCandidates
	dropped    []int32           // rows left out since the last certificate that have an alpha
	full       bool              // the last epoch took all rows
	members    [kernels.GroupSize]groupMember
	open       uint8           // bit k: problem k has no certificate yet
	running    uint8           // bit k: open, and not thought to be done
	bias       kernels.Group64 // u of the bias features: w_b·Bias
	descent    groupDescent
}

// groupMember is one of the problems while it is solved.
type groupMember struct {
	solution
	estimate  float64
	certified bool // once, if not to the tolerance
}

func newGroup(x *sparse.CSR, near []int32) *group {
	if near == nil {
		near = make([]int32, x.Rows)
		for i := range near {
			near[i] = int32(i)
		}
	}
	shared := x.SharedColumns()
	g := &group{x: x, near: near}
	g.slots = table[kernels.GroupSlot](&g.common, shared)
	g.rows = table[groupRow](&g.common, x.Rows)
	for i := range g.rows {
		idx, _ := x.Row(i)
		n, _ := slices.BinarySearch(idx, uint32(shared))
		g.rows[i].start, g.rows[i].head = x.Indptr[i], int32(n)
	}
	return g
}

// GroupBytes is about how much memory several problems side by side on x take, to a tolerance.
func GroupBytes(x *sparse.CSR, tol float64) int64 {
	column := unsafe.Sizeof(kernels.GroupSlot{})
	if tol < inDoubleBelow {
		column += unsafe.Sizeof(kernels.Group64{})
	}
	return int64(x.SharedColumns())*int64(column) + int64(x.Rows)*int64(unsafe.Sizeof(groupRow{}))
}

func (g *group) checksum() uint32 { return checksum.Add(g.x.Checksum(), g.near) }

func (g *group) stats(problem int) *Stats { return &g.members[problem].solution.stats }

func (g *group) over() bool { return g.descent.done }

func (g *group) weights(problem int, dst []float32) ([]float32, float64) {
	p := &g.problems[problem]
	dst = slices.Grow(dst[:0], g.x.Cols)[:g.x.Cols]
	clear(dst[len(g.slots):])
	for j := range g.slots {
		dst[j] = p.weight(j, g.slots[j][0][problem])
	}
	for i := range g.rows {
		r := &g.rows[i]
		if r.alpha[problem] != 0 {
			p.tailWeights(dst, g.tail(i), r.alpha[problem]*float64(r.scale[problem]))
		}
	}
	return dst, g.bias[problem]
}

// head and tail are the parts of a row, see single.
func (g *group) head(r *groupRow) part {
	return partOf(g.x, r.start, r.start+int64(r.head))
}

func (g *group) tail(i int) part {
	r := &g.rows[i]
	return partOf(g.x, r.start+int64(r.head), g.x.Indptr[i+1])
}
