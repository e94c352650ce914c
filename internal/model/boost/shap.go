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
	for i := range s.p.forest.Trees {
		if t := &s.p.forest.Trees[i]; t.Output == output {
			shares.tree = t
			bias += t.means()[0]
			shares.visit(0, nil)
		}
	}
	for _, c := range columns {
		s.values[c] = 0
	}
	return bias
}

// leastPart is the least share of a split's rows that is taken to go to a side.
const leastPart = 1e-9

// shares are those of the rows of a split that go to either side.
func (t *Tree) shares(n *Node) (left, right float64) {
	l, r := float64(t.Nodes[n.Left].Cover), float64(t.Nodes[n.Left+1].Cover)
	if l+r == 0 {
		return 0.5, 0.5
	}
	left = min(max(l/(l+r), leastPart), 1-leastPart) // unwinding divides by shares
	return left, 1 - left
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
		weights := weightsOf(path)
		for _, e := range path {
			s.dst[e.column] += float64(sumWithout(weights, e) * (e.one - e.zero) * float64(n.Value))
		}
		return
	}
	left, right := s.tree.shares(n)
	isLeft := s.values[n.Column] < n.Threshold
	s.visit(n.Left, extended(path, n.Column, left, isLeft))
	s.visit(n.Left+1, extended(path, n.Column, right, !isLeft))
}

// extended is the path to a side of a split on a column, to which a share of the rows goes, and perhaps the row.
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

// weightsOf are, by the number of known columns of a path, the shares of the sets of so many, times how much of the
// rows comes to the end of the path if these are known (the paper's EXTEND, for one column after the other).
func weightsOf(path []element) []float64 {
	weights := []float64{1}
	for _, e := range path {
		l := len(weights)
		weights = append(weights, 0)
		for i := l - 1; i >= 0; i-- {
			weights[i+1] += float64(e.one*weights[i]) * float64(i+1) / float64(l+1)
			weights[i] = e.zero * weights[i] * float64(l-i) / float64(l+1)
		}
	}
	return weights
}

// sumWithout is the sum of the weights that a path has without one of its columns (the paper's UNWIND).
func sumWithout(weights []float64, e element) (total float64) {
	l := len(weights) - 1
	next := weights[l]
	for i := l - 1; i >= 0; i-- {
		if e.one != 0 {
			weight := next * float64(l+1) / (float64(i+1) * e.one)
			total += weight
			next = weights[i] - float64(weight*e.zero*float64(l-i)/float64(l+1))
		} else {
			total += weights[i] / (e.zero * float64(l-i) / float64(l+1))
		}
	}
	return total
}
