package fasttext

// tree is the Huffman tree of hierarchical softmax. Labels are its leaves, numbered as they are; node n behind them has
// the inner number n - labels, and the last node is the root.
type tree struct {
	labels int
	left   []int32 // of inner nodes
	right  []int32
	parent []int32 // of all nodes but the root
}

// unbuilt is the count of nodes that do not exist yet.
const unbuilt = 1e15

// newTree builds the tree of labels with these counts, which fall. It returns nil if the counts are not such that there
// is one.
func newTree(counts []int64) *tree {
	n := len(counts)
	t := &tree{n, make([]int32, n-1), make([]int32, n-1), make([]int32, 2*n-2)}
	sums := make([]int64, n-1)
	of := func(node int) int64 {
		if node < n {
			return counts[node]
		}
		return sums[node-n]
	}
	for i := range sums {
		sums[i] = unbuilt
	}
	leaf, node := n-1, n
	for i := range sums {
		var children [2]int
		for k := range children {
			if leaf >= 0 && (node >= n+len(sums) || of(leaf) < of(node)) {
				children[k] = leaf
				leaf--
				continue
			}
			if node >= n+i {
				return nil
			}
			children[k] = node
			node++
		}
		t.parent[children[0]], t.parent[children[1]] = int32(n+i), int32(n+i)
		t.left[i], t.right[i] = int32(children[0]), int32(children[1])
		a, b := of(children[0]), of(children[1])
		if a < 0 || b < 0 || a >= unbuilt || b >= unbuilt {
			return nil
		}
		sums[i] = a + b
	}
	return t
}

// root returns the number of the root among all nodes.
func (t *tree) root() int { return 2*t.labels - 2 }
