package boost

import (
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// sum is the sum of first derivatives of some rows, in the upper half, with a sign, and that of their second
// derivatives, in the lower half, without.
type sum uint64

func (s sum) h() uint32 { return uint32(s) }

// grower grows trees, one after the other.
type grower struct {
	c *columns
	o *Options

	g, h         []float64  // derivatives of every row
	rounded      []sum      // these, as integers
	gUnit, hUnit float64    // what 1 stands for
	least        uint32     // of the second derivatives of one side of a split, as integers
	sampled      [][]uint32 // of every part, the columns that the tree may split on
	rows, spare  []uint32   // of nodes, side by side; and room for some
	marked       []bool     // rows on the side of a split where 0 does not belong
	sums         [][]sum    // of all bins, for a node of each depth
	margins      []float64  // of every row, to which leaves add their values
	nodes        []Node     // of the tree so far
}

// branch is a node that is to be grown.
type branch struct {
	depth int
	rows  []uint32
	total sum
	sums  []sum // of all bins, if it is splittable
}

func newGrower(c *columns, o *Options) *grower {
	return &grower{
		c: c, o: o, g: make([]float64, c.rows), h: make([]float64, c.rows), rounded: make([]sum, c.rows),
		sampled: make([][]uint32, len(c.parts)), rows: make([]uint32, c.rows), marked: make([]bool, c.rows),
	}
}

// tree grows a tree for the derivatives of all rows, and adds its values to their margins.
func (g *grower) tree(random *xmath.SplitMix, margins []float64) Tree {
	g.margins, g.nodes = margins, make([]Node, 1)
	g.sample(random)
	root := branch{rows: g.rows, total: g.round()}
	g.add(&root, &branch{depth: g.o.Depth})
	g.grow(0, &root)
	return Tree{g.nodes}
}

// sample chooses a share of the columns, and one at least.
func (g *grower) sample(random *xmath.SplitMix) {
	n := len(g.c.starts) - 1
	take := max(int(math.Round(g.o.ColSample*float64(n))), 1)
	for k, p := range g.c.parts {
		g.sampled[k] = g.sampled[k][:0]
		for j := p.first; j < p.end; j++ { // Knuth's algorithm S: each of those left with the same chance
			if random.IntN(n-j) >= take {
				continue
			}
			if take--; g.c.starts[j] < g.c.starts[j+1] {
				g.sampled[k] = append(g.sampled[k], uint32(j))
			}
		}
	}
}

// round rounds the derivatives to integers, whose sums over all rows fit in 32 bits.
func (g *grower) round() (total sum) {
	var sumG, sumH float64
	for i, h := range g.h {
		sumG += math.Abs(g.g[i])
		sumH += h
	}
	// Every rounding adds ½ at most.
	room := float64(math.MaxInt32 - len(g.rows)/2 - 1)
	scaleG, scaleH := min(room/max(sumG, 1e-200), 1e200), min(2*room/max(sumH, 1e-200), 1e200)
	g.gUnit, g.hUnit = 1/scaleG, 1/scaleH
	g.least = uint32(max(math.Ceil(min(g.o.MinChildWeight*scaleH, math.MaxUint32)), 1))
	for i, h := range g.h {
		g.rows[i] = uint32(i)
		g.rounded[i] = sum(uint32(int32(math.RoundToEven(g.g[i]*scaleG))))<<32 + sum(uint32(math.RoundToEven(h*scaleH)))
		total += g.rounded[i]
	}
	return total
}

// splittable reports whether a split of the node could be taken.
func (g *grower) splittable(b *branch) bool {
	return b.depth < g.o.Depth && uint64(b.total.h()) >= 2*uint64(g.least)
}

// add finds the sums of the two sides of a split, or of a root, if one of them is splittable. The larger side has those
// of the parent, and keeps what the smaller one leaves.
func (g *grower) add(small, large *branch) {
	if !g.splittable(small) && !g.splittable(large) {
		return
	}
	if small.depth == len(g.sums) {
		g.sums = append(g.sums, make([]sum, len(g.c.most)))
	}
	small.sums = g.sums[small.depth]
	par.Do(len(g.c.parts), func(k int) {
		p := &g.c.parts[k]
		lo, hi := g.c.starts[p.first], g.c.starts[p.end]
		sums := small.sums[lo:hi]
		clear(sums)
		p.add(sums, small.rows, g.rounded)
		if large.sums != nil {
			rest := large.sums[lo:hi]
			for bin, s := range sums {
				rest[bin] -= s
			}
		}
	})
}

// add adds what rows have to the sums of their bins.
func (p *part) add(sums []sum, rows []uint32, rounded []sum) {
	ptr, bins := p.ptr, p.bins
	for _, i := range rows {
		s := rounded[i]
		for _, bin := range bins[ptr[i]:ptr[i+1]] {
			sums[bin] += s
		}
	}
}

// grow splits a node, and all below it, as long as that pays.
func (g *grower) grow(node int, b *branch) {
	best := g.search(b)
	if best.gain <= leastGain {
		g.leaf(node, b)
		return
	}
	lo, hi := g.c.starts[best.column], g.c.starts[best.column+1]
	n, _ := slices.BinarySearch(g.c.most[lo:hi], best.threshold)
	bin := lo + uint32(n)
	if bin < hi { // bins are not cut, also not those that only held rows are in
		best.threshold = min(best.threshold, g.c.least[bin])
	}
	if lo = bin; best.threshold <= 0 {
		lo, hi = g.c.starts[best.column], bin
	}
	near, far := g.part(b, g.c.rowIDs[g.c.rowPtr[lo]:g.c.rowPtr[hi]])
	small, large := near, far
	if len(near.rows) > len(far.rows) {
		small, large = far, near
	}
	large.sums = b.sums
	g.add(small, large)
	left, first := uint32(len(g.nodes)), len(g.nodes)
	g.nodes = append(g.nodes, Node{}, Node{})
	g.nodes[node] = Node{
		Left: left, Column: uint32(best.column), Number: best.threshold, Gain: float32(best.gain),
		Cover: float32(float64(b.total.h()) * g.hUnit),
	}
	if best.threshold <= 0 {
		near, far = far, near
	}
	g.grow(first, near)
	g.grow(first+1, far)
}

// part parts the rows of a node: into those that are not, and those that are, among some rows of a column.
func (g *grower) part(b *branch, column []uint32) (near, far *branch) {
	near, far = &branch{depth: b.depth + 1}, &branch{depth: b.depth + 1}
	for _, i := range column {
		g.marked[i] = true
	}
	near.rows, g.spare = b.rows[:0], g.spare[:0]
	for _, i := range b.rows {
		if g.marked[i] {
			g.spare = append(g.spare, i)
			far.total += g.rounded[i]
		} else {
			near.rows = append(near.rows, i)
		}
	}
	far.rows = b.rows[len(near.rows):]
	copy(far.rows, g.spare)
	for _, i := range column {
		g.marked[i] = false
	}
	near.total = b.total - far.total
	return near, far
}

// leaf ends a branch.
func (g *grower) leaf(node int, b *branch) {
	var sumG, sumH float64
	for _, i := range b.rows {
		sumG += g.g[i]
		sumH += g.h[i]
	}
	n := &g.nodes[node]
	if n.Cover = float32(sumH); sumH > 0 {
		n.Number = float32(-g.o.Rate * sumG / (sumH + g.o.Lambda))
	}
	for _, i := range b.rows {
		g.margins[i] += float64(n.Number)
	}
}

// leastGain is what a split gains at least, as in XGBoost. What gains less, gains rounding errors.
const leastGain = 1e-6

// split is the best one of a node so far.
type split struct {
	gain      float64
	column    int
	threshold float32
}

// search finds the best split of a node. Among equally good ones it is the first.
func (g *grower) search(b *branch) (best split) {
	if !g.splittable(b) {
		return split{}
	}
	found := make([]split, len(g.sampled))
	par.Do(len(found), func(k int) {
		sums, starts, least := b.sums, g.c.starts, g.least
		for _, j := range g.sampled[k] {
			bins := sums[starts[j]:starts[j+1]]
			present := bins[0]
			for _, s := range bins[1:] {
				present += s
			}
			if present.h() >= least { // else one side of every split has too little
				g.try(&found[k], b, int(j), b.total-present)
			}
		}
	})
	for _, s := range found {
		if s.gain > best.gain {
			best = s
		}
	}
	return best
}

// try tries the thresholds of a column, which some rows of the node lack. Values that no row of the node has are passed
// over, so that thresholds are in the middle between values that rows have.
func (g *grower) try(best *split, b *branch, column int, absent sum) {
	var below sum
	var last float32
	own := g.quotient(b.total)
	meet := func(s sum, least, most float32) {
		if s == 0 {
			return
		}
		if h := below.h(); h >= g.least && b.total.h()-h >= g.least {
			if gain := g.quotient(below) + g.quotient(b.total-below) - own; gain > best.gain {
				*best = split{gain, column, middle(last, least)}
			}
		}
		below += s
		last = most
	}
	for bin := g.c.starts[column]; bin < g.c.starts[column+1]; bin++ { // in the order of values; absent ones are 0
		if g.c.least[bin] > 0 {
			meet(absent, 0, 0)
			absent = 0
		}
		meet(b.sums[bin], g.c.least[bin], g.c.most[bin])
	}
	meet(absent, 0, 0)
}

// quotient returns G²/(H+λ).
func (g *grower) quotient(s sum) float64 {
	first, second := float64(float64(int32(s>>32))*g.gUnit), float64(float64(s.h())*g.hUnit)
	return first * first / (second + g.o.Lambda)
}

// middle returns a threshold between two values, of which it is above the first.
func middle(a, b float32) float32 {
	if m := float32((float64(a) + float64(b)) / 2); m > a {
		return m
	}
	return b
}
