package boost

// Forest is trees whose values are added up, output by output.
type Forest struct {
	Outputs int
	Trees   []Tree // round by round, one for each output
}

// Tree is a binary decision tree for one output. Children stand behind their parents; encode.go has
// their order.
type Tree struct{ Nodes []Node }

// Node is a split or a leaf.
type Node struct {
	// Left is the node for values of Column below the threshold; the next one is for all others. It is 0 for a leaf.
	Left   uint32
	Column uint32
	Number float32 // threshold of a split, or value of a leaf, times the learning rate
	Gain   float32 // of a split: what it gains, see the package comment
	Cover  float32 // sum of second derivatives over the rows that come here
}

// Leaf reports whether the node is one.
func (n *Node) Leaf() bool { return n.Left == 0 }

// Of lists the trees of an output.
func (f *Forest) Of(output int) (trees []*Tree) {
	for i := output; i < len(f.Trees); i += f.Outputs {
		trees = append(trees, &f.Trees[i])
	}
	return trees
}

// Depth returns the largest number of splits between the root and a leaf.
func (t *Tree) Depth() (most int) {
	depth := make([]int, len(t.Nodes))
	for i, n := range t.Nodes {
		if most = max(most, depth[i]); !n.Leaf() {
			depth[n.Left], depth[n.Left+1] = depth[i]+1, depth[i]+1
		}
	}
	return most
}

// Leaves returns the number of leaves.
func (t *Tree) Leaves() int { return (len(t.Nodes) + 1) / 2 }

// Value returns the value of the leaf that a row with these values by column reaches.
func (t *Tree) Value(values []float32) float32 {
	n := &t.Nodes[0]
	for !n.Leaf() {
		next := n.Left
		if values[n.Column] >= n.Number {
			next++
		}
		n = &t.Nodes[next]
	}
	return n.Number
}

// Use is what a forest makes of a column for an output.
type Use struct {
	Splits int
	Gain   float64 // of all these splits
	Net    float64 // the same, less twice that of splits above whose threshold the mean value is lower
	Cover  float64 // of all these splits
}

// Uses lists, by column, what the trees of an output make of it.
func (f *Forest) Uses(output, columns int) []Use {
	uses := make([]Use, columns)
	for _, t := range f.Of(output) {
		means := t.means()
		for _, n := range t.Nodes {
			if n.Leaf() {
				continue
			}
			u, gain := &uses[n.Column], float64(n.Gain)
			u.Splits++
			u.Gain += gain
			u.Cover += float64(n.Cover)
			if means[n.Left+1] < means[n.Left] {
				gain = -gain
			}
			u.Net += gain
		}
	}
	return uses
}

// Columns says of each column whether a tree splits on it.
func (f *Forest) Columns(columns int) []bool {
	used := make([]bool, columns)
	for _, t := range f.Trees {
		for _, n := range t.Nodes {
			if !n.Leaf() {
				used[n.Column] = true
			}
		}
	}
	return used
}

// means returns the mean values of what is below each node, over the rows that were trained on.
func (t *Tree) means() []float64 {
	means := make([]float64, len(t.Nodes))
	for k := len(t.Nodes) - 1; k >= 0; k-- { // children stand behind their parents
		n := &t.Nodes[k]
		if means[k] = float64(n.Number); !n.Leaf() {
			left, right := t.shares(n)
			means[k] = float64(left*means[n.Left]) + float64(right*means[n.Left+1])
		}
	}
	return means
}
