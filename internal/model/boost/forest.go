package boost

import "github.com/RoaringBitmap/roaring/v2"

// Forest is trees whose values are added up, output by output.
type Forest struct {
	Outputs int
	Trees   []Tree
}

// Tree is a binary decision tree for one output. Nodes are numbered level by level, from the root on.
type Tree struct {
	Output int
	Nodes  []Node
}

// Node is a split or a leaf.
type Node struct {
	// Left is the node for values of Column below Threshold; the next one is for all others. It is 0 for a leaf.
	Left      uint32
	Column    uint32
	Threshold float32
	Value     float32 // of a leaf, times the learning rate
	Gain      float32 // of a split: what it gains, see the package comment
	Cover     float32 // sum of second derivatives over the rows that come here
}

// Leaf says whether the node is one.
func (n *Node) Leaf() bool { return n.Left == 0 }

// Depth is the largest number of splits between the root and a leaf.
func (t *Tree) Depth() int {
	depth, most := make([]int, len(t.Nodes)), 0
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.Leaf() {
			most = max(most, depth[i])
			continue
		}
		depth[n.Left], depth[n.Left+1] = depth[i]+1, depth[i]+1
	}
	return most
}

// Leaves is the number of leaves.
func (t *Tree) Leaves() int { return (len(t.Nodes) + 1) / 2 }

// Value is that of the leaf into which a row falls, whose values are 0 but for those of some columns.
func (t *Tree) Value(value func(column uint32) float32) float32 {
	n := &t.Nodes[0]
	for !n.Leaf() {
		next := n.Left
		if value(n.Column) >= n.Threshold {
			next++
		}
		n = &t.Nodes[next]
	}
	return n.Value
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
	for i := range f.Trees {
		t := &f.Trees[i]
		if t.Output != output {
			continue
		}
		means := t.means()
		for k := range t.Nodes {
			n := &t.Nodes[k]
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

// Columns are those that any tree splits on.
func (f *Forest) Columns() *roaring.Bitmap {
	used := roaring.New()
	for i := range f.Trees {
		for k := range f.Trees[i].Nodes {
			if n := &f.Trees[i].Nodes[k]; !n.Leaf() {
				used.Add(n.Column)
			}
		}
	}
	return used
}

// means are the mean values of what is below each node, over the rows that were trained on.
func (t *Tree) means() []float64 {
	means := make([]float64, len(t.Nodes))
	for k := len(t.Nodes) - 1; k >= 0; k-- { // children stand behind their parents
		n := &t.Nodes[k]
		if n.Leaf() {
			means[k] = float64(n.Value)
			continue
		}
		left, right := t.shares(n)
		means[k] = float64(left*means[n.Left]) + float64(right*means[n.Left+1])
	}
	return means
}
