package boost

import "math/bits"

// Predictor scores rows by a forest. It doesn't change, and goroutines may share it. (Scorer has what changes.)
//
// Most columns of a sparse row are absent. What the trees say of a row that has none is known beforehand, and a row
// follows only trees that split on one of its columns.
type Predictor struct {
	Forest *Forest
	empty  []float64  // of every tree, its value for a row without columns
	base   []float64  // of every output, the sum of these
	trees  [][]uint32 // that split on a column, ascending
}

// NewPredictor lays out a forest whose columns are below columns, and which is as Decode returns it.
func NewPredictor(f *Forest, columns int) *Predictor {
	p := &Predictor{Forest: f, base: make([]float64, f.Outputs), trees: make([][]uint32, columns)}
	zeros := make([]float32, columns)
	for i, t := range f.Trees {
		value := float64(t.Value(zeros))
		p.empty = append(p.empty, value)
		p.base[i%f.Outputs] += value
		for _, n := range t.Nodes {
			if n.Leaf() {
				continue
			}
			if trees := p.trees[n.Column]; len(trees) == 0 || trees[len(trees)-1] != uint32(i) {
				p.trees[n.Column] = append(trees, uint32(i))
			}
		}
	}
	return p
}

// Scorer scores row by row; it is for one goroutine.
type Scorer struct {
	p       *Predictor
	values  []float32 // of the row, by column
	touched []uint64  // trees that split on a column of the row, as bits
}

// NewScorer returns one.
func (p *Predictor) NewScorer() *Scorer {
	return &Scorer{p: p, values: make([]float32, len(p.trees)), touched: make([]uint64, (len(p.empty)+63)/64)}
}

// Margins sets dst to the sums of the trees' values, output by output, for a row of distinct columns with these
// values. The order of columns does not matter.
func (s *Scorer) Margins(dst []float64, columns []uint32, values []float64) {
	p := s.p
	copy(dst, p.base)
	for k, c := range columns {
		s.values[c] = float32(values[k])
		for _, t := range p.trees[c] {
			s.touched[t/64] |= 1 << (t % 64)
		}
	}
	for w, word := range s.touched {
		for ; word != 0; word &= word - 1 {
			tree := 64*w + bits.TrailingZeros64(word)
			dst[tree%p.Forest.Outputs] += float64(p.Forest.Trees[tree].Value(s.values)) - p.empty[tree]
		}
		s.touched[w] = 0
	}
	for _, c := range columns {
		s.values[c] = 0
	}
}
