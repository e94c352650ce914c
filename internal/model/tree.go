package model

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/display"
)

// mostParts is how many parts a label may have: more are no hierarchy.
const mostParts = 1024

// PathNodes lists the labels and all their ancestors, in ascending bytewise order, at most so many. A label must have a
// part before, between and behind separators.
func PathNodes(labels []string, separator string, most int) ([]string, error) {
	seen := map[string]struct{}{}
	for _, label := range labels {
		if err := checkPath(label, separator); err != nil {
			return nil, err
		}
		for node, ok := label, true; ok; node, ok = parentOf(node, separator) {
			if _, again := seen[node]; again {
				break
			}
			if len(seen) == most {
				return nil, fmt.Errorf("the labels have more than %d nodes: is %s the right separator?",
					most, display.Label(separator))
			}
			seen[node] = struct{}{}
		}
	}
	nodes := make([]string, 0, len(seen))
	for node := range seen {
		nodes = append(nodes, node)
	}
	slices.Sort(nodes)
	return nodes, nil
}

// checkPath refuses a label with an empty part, or with more parts than any hierarchy has.
func checkPath(label, separator string) error {
	parts := 0
	for part := range strings.SplitSeq(label, separator) {
		if part == "" {
			return fmt.Errorf("the label %s has an empty part: no part of a path, separated by %s, may be empty; correct the labels, or leave out the hierarchy",
				display.Label(label), display.Label(separator))
		}
		if parts++; parts > mostParts {
			return fmt.Errorf("the label %s has more than %d parts: is %s the right separator?",
				display.Label(label[:min(len(label), 60)]), mostParts, display.Label(separator))
		}
	}
	return nil
}

// parentOf returns a path without its last part; ok is false where it has one part only.
func parentOf(path, separator string) (parent string, ok bool) {
	cut := strings.LastIndex(path, separator)
	if cut < 0 {
		return "", false
	}
	return path[:cut], true
}

// Above returns a label and all its ancestors, the nearest first.
func Above(label, separator string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for node, ok := label, true; ok && yield(node); node, ok = parentOf(node, separator) {
		}
	}
}

// Root is the parent of nodes whose path has one part.
const Root = -1

// Tree is the nodes of a hierarchy, by number. The root has none.
type Tree struct {
	Separator string  // "" of a grown tree
	Parents   []int32 // of every node; see top
	Depths    []int32 // parts of every node's path
	// Inner are the nodes with children that are labels themselves, ascending: a path may end there.
	Inner []int32

	// top is the number of a node from which on parents come before their children, up to the last node, whom those
	// before top follow: 0, or of a grown tree the number of leaves, which come first.
	top int
	// ways are the alternatives below each node that exclude each other, as outputs, of Root first: its children, and
	// that a path ends there.
	ways  [][]int32
	stop  []int32 // of every node: the output that says that a path ends there; -1 without
	leaf  []bool  // of every node
	alone []bool  // of every output: it has no alternative
	ends  []int32 // nodes at which paths may end, ascending
	last  []int32 // of every node at which paths may end: the last output on the path that has an alternative
}

// NewTree makes the tree of nodes, which ascend bytewise and have all their ancestors among them. inner are those with
// children at which paths may end, ascending.
func NewTree(nodes []string, separator string, inner []int32) (*Tree, error) {
	if separator == "" {
		return nil, errors.New("the separator of paths is empty")
	}
	t := &Tree{Separator: separator, Inner: inner, Parents: make([]int32, len(nodes))}
	number := make(map[string]int32, len(nodes))
	for k, node := range nodes {
		if k > 0 && node <= nodes[k-1] {
			return nil, fmt.Errorf("the path %.100q follows %.100q: paths must be sorted", node, nodes[k-1])
		}
		if err := checkPath(node, separator); err != nil {
			return nil, err
		}
		number[node] = int32(k)
		t.Parents[k] = Root
		if parent, ok := parentOf(node, separator); ok {
			p, known := number[parent]
			if !known {
				return nil, fmt.Errorf("the path %.100q has no parent: %.100q is missing", node, parent)
			}
			t.Parents[k] = p
		}
	}
	t.link()
	for i, k := range inner {
		if k < 0 || int(k) >= len(nodes) || i > 0 && k <= inner[i-1] || t.leaf[k] {
			return nil, fmt.Errorf("node %d can't be an inner node at which paths end", k)
		}
	}
	t.findEnds()
	return t, nil
}

// GrownTree makes the tree of so many leaves, which are the first nodes. Behind them are the others, each behind its
// parent. All nodes have an output.
func GrownTree(leaves int, parents []int32) (*Tree, error) {
	t := &Tree{Parents: parents, top: leaves}
	if leaves < 1 || leaves > len(parents) {
		return nil, fmt.Errorf("a tree of %d nodes has %d leaves", len(parents), leaves)
	}
	for k := range t.topDown {
		parent := parents[k]
		behind := k < leaves || int(parent) < k
		if parent != Root && (int(parent) < leaves || int(parent) >= len(parents) || !behind) {
			return nil, fmt.Errorf("node %d can't have the parent %d", k, parent)
		}
	}
	t.link()
	for k := leaves; k < len(parents); k++ {
		if t.leaf[k] {
			return nil, fmt.Errorf("node %d has no children", k)
		}
	}
	t.findEnds()
	return t, nil
}

// topDown visits the nodes, each behind its parent.
func (t *Tree) topDown(visit func(k int) bool) {
	n := len(t.Parents)
	for i := range n {
		if !visit((t.top + i) % n) {
			return
		}
	}
}

// BottomUp visits the nodes, each before its parent.
func (t *Tree) BottomUp(visit func(k int) bool) {
	n := len(t.Parents)
	for i := range n {
		if !visit((t.top + n - 1 - i) % n) {
			return
		}
	}
}

// link finds the depth and the children of each node.
func (t *Tree) link() {
	n := len(t.Parents)
	t.Depths, t.leaf, t.ways = make([]int32, n), slices.Repeat([]bool{true}, n), make([][]int32, n+1)
	for k := range t.topDown {
		parent := t.Parents[k]
		if t.Depths[k] = 1; parent != Root {
			t.Depths[k] += t.Depths[parent]
			t.leaf[parent] = false
		}
		t.ways[parent+1] = append(t.ways[parent+1], int32(k))
	}
}

// findEnds finds where paths may end, once the tree is linked.
func (t *Tree) findEnds() {
	n := len(t.Parents)
	t.stop = slices.Repeat([]int32{-1}, n)
	for i, k := range t.Inner {
		t.stop[k] = int32(n + i)
		t.ways[k+1] = append(t.ways[k+1], t.stop[k])
	}
	t.findLast()
	for k := range t.Parents {
		if t.Ends(k) {
			t.ends = append(t.ends, int32(k))
		}
	}
}

// findLast finds the last output with an alternative of every path.
func (t *Tree) findLast() {
	alone := slices.Repeat([]bool{true}, t.Outputs())
	for g := range t.Groups {
		for _, o := range g {
			alone[o] = false
		}
	}
	t.alone, t.last = alone, make([]int32, len(t.Parents))
	upTo := make([]int32, len(t.Parents)) // the last such output on the way to a node
	for k := range t.topDown {
		parent := t.Parents[k]
		switch {
		case !alone[k]:
			upTo[k] = int32(k)
		case parent == Root:
			upTo[k] = -1
		default:
			upTo[k] = upTo[parent]
		}
		t.last[k] = upTo[k]
		if o := t.stop[k]; o >= 0 {
			t.last[k] = o // its node's children are alternatives
		}
	}
}

// Grown reports whether the tree was grown over its leaves, which are no paths.
func (t *Tree) Grown() bool { return t.top > 0 }

// Outputs returns how many outputs a model of the tree has: one for each node, and behind them one for each of Inner,
// that a path ends there.
func (t *Tree) Outputs() int { return len(t.Parents) + len(t.Inner) }

// OutputOf returns the output that speaks for a node: its own, or that of the nearest ancestor that is not the only way
// on;
// -1 where there is none.
func (t *Tree) OutputOf(node int) int {
	for k := int32(node); k != Root; k = t.Parents[k] {
		if !t.alone[k] {
			return int(k)
		}
	}
	return -1
}

// Ends reports whether paths may end at a node.
func (t *Tree) Ends(node int) bool { return t.leaf[node] || t.stop[node] >= 0 }

// Within reports whether a node, -1 for one that is not known, is another one or below it.
func (t *Tree) Within(node, other int) bool {
	for k := int32(node); k != Root; k = t.Parents[k] {
		if int(k) == other {
			return true
		}
	}
	return false
}

// Groups visits the alternatives below each node that has several, as outputs.
func (t *Tree) Groups(visit func(outputs []int32) bool) {
	for _, outputs := range t.ways {
		if len(outputs) > 1 && !visit(outputs) {
			return
		}
	}
}

// Children returns the outputs of a node's children, or of Root's, and that a path ends there.
func (t *Tree) Children(node int) []int32 { return t.ways[node+1] }

// NodeOf returns the node of an output.
func (t *Tree) NodeOf(output int) int {
	if n := len(t.Parents); output >= n {
		return int(t.Inner[output-n])
	}
	return output
}

// SharedParts returns how many parts two paths have in common from their beginnings, and how many each has.
func SharedParts(a, b, separator string) (shared, partsOfA, partsOfB int) {
	x, y := strings.Split(a, separator), strings.Split(b, separator)
	for shared < min(len(x), len(y)) && x[shared] == y[shared] {
		shared++
	}
	return shared, len(x), len(y)
}

// TreeOf returns the nodes of labels, at most so many, and their tree.
func TreeOf(labels []string, separator string, most int) (nodes []string, t *Tree, err error) {
	if nodes, err = PathNodes(labels, separator, most); err != nil {
		return nil, nil, err
	}
	above := map[string]struct{}{}
	for _, node := range nodes {
		if parent, ok := parentOf(node, separator); ok {
			above[parent] = struct{}{}
		}
	}
	var inner []int32
	for _, label := range slices.Sorted(slices.Values(labels)) {
		if _, ok := above[label]; ok {
			k, _ := slices.BinarySearch(nodes, label)
			inner = append(inner, int32(k))
		}
	}
	t, err = NewTree(nodes, separator, inner)
	return nodes, t, err
}
