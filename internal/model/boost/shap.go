package boost

import "slices"

// Contributions sets dst, by column, to what each column adds to the margin of an output for a row of distinct
// columns with these values, and returns what the margin is beside that: the mean of the trees' values over the rows
// that were trained on. Columns that a row lacks contribute, too. These are the Shapley values of the columns in the
// game that a set of columns is worth the mean value of a tree if no other column is known: a split on an unknown
// column goes both ways, by cover (Lundberg et al. 2018, "Consistent individualized feature attribution for tree
// ensembles", algorithm 2). len(dst) is the number of columns.
func (s *Scorer) Contributions(dst []float64, output int, columns []uint32, values []float64) (bias float64) {
	clear(dst)
	for k, c := range columns {
		s.values[c] = float32(values[k])
	}
	shares := sharer{dst: dst, values: s.values}
	for _, t := range s.p.Forest.Of(output) {
		shares.tree = t
		bias += t.means()[0]
		shares.visit(0, nil)
	}
	for _, c := range columns {
		s.values[c] = 0
	}
	return bias
}

// shares returns the shares of a split's rows that go to the left and to the right.
func (t *Tree) shares(n *Node) (left, right float64) {
	l, r := float64(t.Nodes[n.Left].Cover), float64(t.Nodes[n.Left+1].Cover)
	if l+r == 0 {
		return 0.5, 0.5
	}
	return l / (l + r), r / (l + r)
}

// sharer divides the value of a row among its columns.
type sharer struct {
	tree   *Tree
	dst    []float64
	values []float32
}

// element is a column that nodes on the way to a node split on.
type element struct {
	column uint32
	zero   float64 // share of rows that come this way if the column is unknown
	one    float64 // 1 if the row comes this way, else 0
}

// visit shares out the values of all leaves below a node, to which a path of distinct columns leads.
func (s *sharer) visit(node uint32, path []element) {
	n := &s.tree.Nodes[node]
	if n.Leaf() {
		for k, e := range path {
			s.dst[e.column] += float64(without(path, k) * (e.one - e.zero) * float64(n.Number))
		}
		return
	}
	left, right := s.tree.shares(n)
	isLeft := s.values[n.Column] < n.Number
	s.visit(n.Left, extended(path, n.Column, left, isLeft))
	s.visit(n.Left+1, extended(path, n.Column, right, !isLeft))
}

// extended returns the path to a side of a split on a column, to which a share of the rows goes, and perhaps the row.
func extended(path []element, column uint32, share float64, hasRow bool) []element {
	path = slices.Clone(path)
	k := slices.IndexFunc(path, func(e element) bool { return e.column == column })
	if k < 0 {
		k, path = len(path), append(path, element{column, 1, 1})
	}
	if path[k].zero *= share; !hasRow {
		path[k].one = 0
	}
	return path
}

// without returns how much of the rows comes to the end of a path if one of its columns is left out, on average over
// the sets of known columns: each number of known columns counts the same, and each set of so many (the paper's EXTEND,
// for one column after the other, and the sum of what it makes).
func without(path []element, column int) (sum float64) {
	weights := []float64{1} // by the number of known columns
	for k, e := range path {
		if k == column {
			continue
		}
		l := len(weights)
		weights = append(weights, 0)
		for i := l - 1; i >= 0; i-- {
			weights[i+1] += float64(e.one*weights[i]) * float64(i+1) / float64(l+1)
			weights[i] = e.zero * weights[i] * float64(l-i) / float64(l+1)
		}
	}
	for _, w := range weights {
		sum += w
	}
	return sum
}
