package boost

import "math/bits"

// Predictor scores rows by a forest. It doesn't change, and goroutines may share it. (Scorer has what changes.)
//
// Most columns of a sparse row are absent. What the trees say of a row that has none is known beforehand, and a row
// follows only trees that split on one of its columns.
type Predictor struct {
	forest *Forest
	nodes  []step
	roots  []uint32  // first node of every tree, and the number of nodes
	empty  []float64 // of every tree, its value for a row without columns
	base   []float64 // of every output, the sum of these
	ptr    []uint32  // of every column's trees
	trees  []uint32  // that split on it, ascending
}

// step is a node in the form that rows follow.
type step struct {
	column uint32 // of a split
	left   uint32 // node for values below the number; the node itself for a leaf
	number float32
}

// NewPredictor lays out a forest whose columns are below columns, and which is as Decode returns it.
func NewPredictor(f *Forest, columns int) *Predictor {
	p := &Predictor{forest: f, base: make([]float64, f.Outputs), ptr: make([]uint32, columns+1)}
	last := make([]uint32, columns) // 1 + the last tree that was seen to split on a column
	visit := func(each func(column uint32, tree int)) {
		clear(last)
		for i := range f.Trees {
			for k := range f.Trees[i].Nodes {
				if n := &f.Trees[i].Nodes[k]; !n.Leaf() && last[n.Column] != uint32(i)+1 {
					last[n.Column] = uint32(i) + 1
					each(n.Column, i)
				}
			}
		}
	}
	visit(func(column uint32, _ int) { p.ptr[column+1]++ })
	for c := range columns {
		p.ptr[c+1] += p.ptr[c]
	}
	p.trees = make([]uint32, p.ptr[columns])
	next := append([]uint32(nil), p.ptr...)
	visit(func(column uint32, tree int) {
		p.trees[next[column]] = uint32(tree)
		next[column]++
	})
	for i := range f.Trees {
		first := uint32(len(p.nodes))
		p.roots = append(p.roots, first)
		for k, n := range f.Trees[i].Nodes {
			s := step{n.Column, first + n.Left, n.Threshold}
			if n.Leaf() {
				s = step{0, first + uint32(k), n.Value}
			}
			p.nodes = append(p.nodes, s)
		}
		value := float64(f.Trees[i].Value(func(uint32) float32 { return 0 }))
		p.empty = append(p.empty, value)
		p.base[f.Trees[i].Output] += value
	}
	return p
}

// Forest is the forest that decides.
func (p *Predictor) Forest() *Forest { return p.forest }

// Scorer scores row by row; it is for one goroutine.
type Scorer struct {
	p       *Predictor
	values  []float32 // of the row, by column
	touched []uint64  // trees that split on a column of the row, as bits
}

// NewScorer returns one.
func (p *Predictor) NewScorer() *Scorer {
	return &Scorer{p: p, values: make([]float32, len(p.ptr)-1), touched: make([]uint64, (len(p.roots)+63)/64)}
}

// Margins sets dst to the sums of the trees' values, output by output, for a row of distinct columns with these
// values. The order of columns does not matter.
func (s *Scorer) Margins(dst []float64, columns []uint32, values []float64) {
	p := s.p
	copy(dst, p.base)
	for k, c := range columns {
		trees := p.trees[p.ptr[c]:p.ptr[c+1]]
		if len(trees) == 0 {
			continue
		}
		s.values[c] = float32(values[k])
		for _, t := range trees {
			s.touched[t/64] |= 1 << (t % 64)
		}
	}
	nodes, all := p.nodes, s.values
	for w, word := range s.touched {
		for ; word != 0; word &= word - 1 {
			tree := 64*w + bits.TrailingZeros64(word)
			at := p.roots[tree]
			n := &nodes[at]
			for n.left != at {
				at = n.left
				if all[n.column] >= n.number {
					at++
				}
				n = &nodes[at]
			}
			dst[p.forest.Trees[tree].Output] += float64(n.number) - p.empty[tree]
		}
		s.touched[w] = 0
	}
	for _, c := range columns {
		s.values[c] = 0
	}
}
