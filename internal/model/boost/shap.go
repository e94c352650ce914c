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
			shares.visit(0, nil, 1, 1, -1)
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

// element is a column on the way from the root to a node.
type element struct {
	column int     // −1 for the one before the root
	zero   float64 // share of rows that come this way if the column is unknown
	one    float64 // 1 if the row comes this way, else 0
	weight float64 // share of sets of columns of a size, see the paper
}

// visit is the paper's RECURSE.
func (s *sharer) visit(node uint32, path []element, zero, one float64, column int) {
	path = extend(slices.Clone(path), zero, one, column)
	n := &s.tree.Nodes[node]
	if n.Leaf() {
		for i := 1; i < len(path); i++ {
			e := &path[i]
			s.dst[e.column] += float64(unwoundSum(path, i) * (e.one - e.zero) * float64(n.Value))
		}
		return
	}
	hot, cold := n.Left, n.Left+1
	hotShare, coldShare := s.tree.shares(n)
	if s.values[n.Column] >= n.Threshold {
		hot, cold = cold, hot
		hotShare, coldShare = coldShare, hotShare
	}
	zero, one = 1, 1
	if k := slices.IndexFunc(path, func(e element) bool { return e.column == int(n.Column) }); k >= 0 {
		zero, one = path[k].zero, path[k].one
		path = unwind(path, k)
	}
	s.visit(hot, path, zero*hotShare, one, int(n.Column))
	s.visit(cold, path, zero*coldShare, 0, int(n.Column))
}

// extend adds a column to a path.
func extend(path []element, zero, one float64, column int) []element {
	l := len(path)
	e := element{column, zero, one, 0}
	if l == 0 {
		e.weight = 1
	}
	path = append(path, e)
	for i := l - 1; i >= 0; i-- {
		path[i+1].weight += float64(one*path[i].weight) * float64(i+1) / float64(l+1)
		path[i].weight = zero * path[i].weight * float64(l-i) / float64(l+1)
	}
	return path
}

// unwind takes a column out of a path.
func unwind(path []element, k int) []element {
	l := len(path) - 1
	zero, one := path[k].zero, path[k].one
	next := path[l].weight
	path = slices.Clone(path)
	for i := l - 1; i >= 0; i-- {
		if one != 0 {
			before := path[i].weight
			path[i].weight = next * float64(l+1) / (float64(i+1) * one)
			next = before - float64(path[i].weight*zero*float64(l-i)/float64(l+1))
		} else {
			path[i].weight = path[i].weight * float64(l+1) / (zero * float64(l-i))
		}
	}
	for i := k; i < l; i++ {
		path[i].column, path[i].zero, path[i].one = path[i+1].column, path[i+1].zero, path[i+1].one
	}
	return path[:l]
}

// unwoundSum is the sum of the weights of a path without a column.
func unwoundSum(path []element, k int) (total float64) {
	l := len(path) - 1
	zero, one := path[k].zero, path[k].one
	next := path[l].weight
	for i := l - 1; i >= 0; i-- {
		if one != 0 {
			weight := next * float64(l+1) / (float64(i+1) * one)
			total += weight
			next = path[i].weight - float64(weight*zero*float64(l-i)/float64(l+1))
		} else if zero != 0 {
			total += path[i].weight / (zero * float64(l-i) / float64(l+1))
		}
	}
	return total
}
