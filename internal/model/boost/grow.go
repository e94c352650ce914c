package boost

import (
	"math"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/internal/par"
)

// sum is the sum of first derivatives of some rows, in the upper half, with a sign, and that of their second
// derivatives, in the lower half, without.
type sum uint64

func (s sum) g() int32  { return int32(s >> 32) }
func (s sum) h() uint32 { return uint32(s) }

// grower grows trees on the rows of some columns. It is for one goroutine, and starts others.
type grower struct {
	c       *Columns
	o       *Options
	threads int

	g, h     []float64 // derivatives of every row
	rounded  []sum     // these, as integers
	gUnit    float64   // what 1 stands for
	hUnit    float64
	lacks    []bool // columns that this tree may not split on; nil for none
	rows     []uint32
	addends  []sum   // of rows
	spare    [][]sum // sums of all bins, block behind block, to be used again
	bounds   []int   // first bin of every block
	pending  []found // of every block, for either side of a split
	nodes    []Node  // of the tree so far, children behind their parents
	finished func(leaf *roaring.Bitmap, value float32)
}

// found is the best split of a node, if its gain is above 0.
type found struct {
	gain      float64
	quotients float64 // what the gain is the difference of to the node's own quotient; decides between blocks
	column    int
	threshold float32
	beyond    sum // of the rows on the side of the threshold where 0 does not belong
}

// branch is a node that may be split.
type branch struct {
	node  int
	depth int
	rows  *roaring.Bitmap
	total sum
	sums  []sum // of all bins; nil if they are not known
	best  found
}

func newGrower(c *Columns, o *Options, threads int) *grower {
	g := &grower{c: c, o: o, threads: threads}
	g.g, g.h, g.rounded = make([]float64, c.rows), make([]float64, c.rows), make([]sum, c.rows)
	bins := 0
	for b := range c.blocks {
		g.bounds = append(g.bounds, bins)
		bins += c.blocks[b].bins
	}
	g.bounds = append(g.bounds, bins)
	g.pending = make([]found, 2*len(c.blocks))
	return g
}

// round rounds the derivatives of some rows to integers, whose sums over all of these rows fit in 32 bits.
func (g *grower) round(rows []uint32) {
	var sumG, sumH float64
	for _, i := range rows {
		sumG += math.Abs(g.g[i])
		sumH += g.h[i]
	}
	// Every rounding adds ½ at most.
	room := float64(math.MaxInt32 - len(rows)/2 - 1)
	scaleG, scaleH := scale(room, sumG), scale(2*room, sumH)
	g.gUnit, g.hUnit = 1/scaleG, 1/scaleH
	for _, i := range rows {
		g.rounded[i] = sum(uint32(int32(math.RoundToEven(g.g[i]*scaleG))))<<32 + sum(uint32(math.RoundToEven(g.h[i]*scaleH)))
	}
}

// scale is room/sum, within what has an inverse.
func scale(room, sum float64) float64 { return min(room/max(sum, 1e-200), 1e200) }

// grow grows a tree on some rows. What comes into a leaf is told to finished, leaf by leaf.
func (g *grower) grow(output int, rows *roaring.Bitmap, finished func(rows *roaring.Bitmap, value float32)) Tree {
	g.nodes, g.finished = append(g.nodes[:0], Node{}), finished
	root := branch{rows: rows}
	g.list(rows)
	g.round(g.rows)
	root.total = g.gather()
	if g.splittable(&root) {
		root.sums = g.room()
		g.search(&root, nil)
	}
	g.split(&root)
	return Tree{Output: output, Nodes: breadthFirst(g.nodes)}
}

// breadthFirst numbers nodes level by level.
func breadthFirst(nodes []Node) []Node {
	order := make([]Node, 1, len(nodes))
	order[0] = nodes[0]
	for i := 0; i < len(order); i++ {
		if n := &order[i]; !n.Leaf() {
			left := n.Left
			n.Left = uint32(len(order))
			order = append(order, nodes[left], nodes[left+1])
		}
	}
	return order
}

// list lists the rows of a set.
func (g *grower) list(set *roaring.Bitmap) {
	n := int(set.GetCardinality())
	if cap(g.rows) < n {
		g.rows = make([]uint32, n, n+n/4)
	}
	g.rows = g.rows[:n]
	it := set.ManyIterator()
	for k := 0; k < n; {
		k += it.NextMany(g.rows[k:])
	}
}

// gather lists the rounded derivatives of the rows that are listed, and returns their sum.
func (g *grower) gather() (total sum) {
	g.addends = g.addends[:0]
	for _, i := range g.rows {
		s := g.rounded[i]
		g.addends = append(g.addends, s)
		total += s
	}
	return total
}

// room is memory for the sums of all bins, to be given back.
func (g *grower) room() []sum {
	if last := len(g.spare) - 1; last >= 0 {
		sums := g.spare[last]
		g.spare = g.spare[:last]
		return sums
	}
	return make([]sum, g.bounds[len(g.c.blocks)])
}

func (g *grower) giveBack(sums []sum) {
	if sums != nil {
		g.spare = append(g.spare, sums)
	}
}

// splittable says whether a split of the node could be taken.
func (g *grower) splittable(b *branch) bool {
	return b.depth < g.o.Depth && float64(b.total.h())*g.hUnit >= 2*g.o.MinChildWeight && b.total.h() > 0
}

// search sums up the derivatives of the rows that are listed, which are those of a node, in that node's sums, and
// finds its best split. If there is another node, its sums are those of the parent; they become its own, and its best
// split is found, too.
func (g *grower) search(b, other *branch) {
	blocks := g.c.blocks
	work := func(k int) {
		block, lo, hi := &blocks[k], g.bounds[k], g.bounds[k+1]
		sums := b.sums[lo:hi:hi]
		clear(sums)
		block.add(sums, g.rows, g.addends)
		g.pending[2*k] = g.best(block, sums, b)
		if other != nil {
			rest := other.sums[lo:hi:hi]
			for j, s := range sums {
				rest[j] -= s
			}
			g.pending[2*k+1] = g.best(block, rest, other)
		}
	}
	threads := g.threads
	if len(g.rows)+g.bounds[len(blocks)] <= 2000 {
		threads = 1
	}
	par.Chunks(threads, len(blocks), 1, func(k, _, _ int) { work(k) })
	for k := range blocks {
		if f := &g.pending[2*k]; f.quotients > b.best.quotients {
			b.best = *f
		}
		if f := &g.pending[2*k+1]; other != nil && f.quotients > other.best.quotients {
			other.best = *f
		}
	}
}

// add adds to each bin's sum what rows have that have an entry in it.
func (b *block) add(sums []sum, rows []uint32, addends []sum) {
	ptr, ids := b.ptr, b.ids
	for k, i := range rows {
		s := addends[k]
		for _, bin := range ids[ptr[i]:ptr[i+1]] {
			sums[bin] += s
		}
	}
}

// split splits a node whose best split is known, and all below it; where there is none that pays, it is a leaf.
func (g *grower) split(b *branch) {
	if b.best.gain <= 0 {
		g.giveBack(b.sums)
		g.leaf(b)
		return
	}
	first := len(g.nodes)
	g.nodes = append(g.nodes, Node{}, Node{})
	g.nodes[b.node] = Node{
		Left: uint32(first), Column: uint32(b.best.column), Threshold: b.best.threshold,
		Gain: float32(b.best.gain), Cover: float32(float64(b.total.h()) * g.hUnit),
	}
	beyond := branch{depth: b.depth + 1, rows: g.c.beyond(b.rows, b.best.column, b.best.threshold), total: b.best.beyond}
	rest := branch{depth: b.depth + 1, rows: b.rows, total: b.total - b.best.beyond}
	rest.rows.AndNot(beyond.rows)
	left, right := &rest, &beyond
	if b.best.threshold <= 0 {
		left, right = right, left
	}
	left.node, right.node = first, first+1
	g.searchBoth(left, right, b.sums)
	g.split(left)
	g.split(right)
}

// searchBoth finds the best splits of a split's two sides. The parent's sums are given back, or become those of a
// side.
func (g *grower) searchBoth(left, right *branch, sums []sum) {
	small, large := left, right
	if right.rows.GetCardinality() < left.rows.GetCardinality() {
		small, large = right, left
	}
	if !g.splittable(small) && !g.splittable(large) {
		g.giveBack(sums)
		return
	}
	small.sums = g.room()
	g.list(small.rows)
	g.gather()
	if g.splittable(large) {
		large.sums = sums
		g.search(small, large)
	} else {
		g.giveBack(sums)
		g.search(small, nil)
	}
	if !g.splittable(small) {
		g.giveBack(small.sums)
		small.sums = nil
	}
}

// leaf ends a branch.
func (g *grower) leaf(b *branch) {
	var sumG, sumH float64
	g.list(b.rows)
	for _, i := range g.rows {
		sumG += g.g[i]
		sumH += g.h[i]
	}
	value := float32(0)
	if sumH > 0 {
		value = float32(-g.o.Rate * sumG / (sumH + g.o.Lambda))
	}
	g.nodes[b.node] = Node{Value: value, Cover: float32(sumH)}
	g.finished(b.rows, value)
}
