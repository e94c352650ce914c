package nbsvm

import (
	"context"
	"errors"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/data/matrix"
	"github.com/seed-167f963f/nbsvm/internal/learn"
	"github.com/seed-167f963f/nbsvm/internal/model/paths"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// When a tree is grown by itself: from so many classes on; or from so many classes, and documents times classes, on,
// unless some class has such a share of the documents.
const (
	treeClasses = 4096
	fewClasses  = 64
	treePairs   = 1 << 26
	largeClass  = 0.25
	fewEach     = 512 // documents of a class, but for nbsvm, whose ratios are better among siblings
)

// The shape of a tree.
const (
	leastLeaves = 4   // of a tree: fewer have no use for inner nodes
	fewLeaves   = 20  // below the lowest nodes, or
	fewNodes    = 16  // the classes divided by so many,
	mostLeaves  = 128 // or so many
	mostWays    = 100 // below others at most
	treeBeam    = 10  // nodes of a depth that are gone on from
)

// severalScale is the divisor that turns margins of models with a hinge into log odds if a document may have several
// labels. On Reuters-21578 it gives the least log loss.
const severalScale = 0.25

// checkTree refuses what does not go together with a tree.
func (o *Options) checkTree() error {
	switch o.Tree {
	case "", AutoTree, NeverTree:
		return nil
	case AlwaysTree:
	default:
		return fmt.Errorf("nbsvm: unknown Options.Tree %q: use %s, %s or %s", o.Tree, AutoTree, AlwaysTree, NeverTree)
	}
	switch {
	case !o.Kind.takes("tree"):
		return o.Kind.checkTakes("tree")
	case o.Hierarchy != "":
		return errors.New("nbsvm: Options.Hierarchy has a tree already: leave out Options.Tree")
	case len(o.ClassWeight.Weights) > 0:
		return errors.New("nbsvm: a tree can't weight single classes: leave out Options.Tree or Options.ClassWeight")
	}
	return nil
}

// treeFor returns AlwaysTree if a tree is grown over the classes of a dataset, and "" otherwise.
func (o *Options) treeFor(ds *dataset.Dataset) Tree {
	classes := len(ds.Classes.Labels)
	suits := o.Kind.takes("tree") && o.Hierarchy == "" &&
		len(o.ClassWeight.Weights) == 0 && o.Memory == 0
	if o.Tree == AutoTree && !suits || classes < leastLeaves {
		return ""
	}
	var largest uint64
	for _, set := range ds.Classes.Sets {
		largest = max(largest, set.GetCardinality())
	}
	share := float64(largest) / float64(max(ds.Documents, 1))
	if o.Tree.chosenFor(o.Kind, classes, int64(ds.Documents), share, ds.Classes.Multi) == AlwaysTree {
		return AlwaysTree
	}
	return ""
}

// chosenFor returns what auto stands for, AlwaysTree or NeverTree, given the numbers of classes and documents, the
// largest class's share of the documents, and whether documents have several labels.
//
// Classes that have nothing in common lose by a tree of svm if each has few documents, and not of nbsvm where they are
// alike: see docs/explanation/solver.md.
//
// A tree saves time and memory, and costs little accuracy with so many pairs, where classes are not too unequal: if the
// largest has 40 % of the documents (Reuters-21578, multiplied), 2.3 points are lost, and none if it has 20 %.
func (t Tree) chosenFor(kind Kind, classes int, documents int64, largest float64, several bool) Tree {
	many := classes >= fewClasses && int64(classes)*documents >= treePairs && largest < largeClass &&
		(kind == NBSVM || documents >= fewEach*int64(classes))
	switch {
	case t != AutoTree:
		return t
	case classes >= treeClasses, many && !several:
		return AlwaysTree
	}
	return NeverTree
}

// grown reports whether a tree is grown over the classes.
func (o *settings) grown() bool { return o.Tree == AlwaysTree }

// growTree grows a tree over the classes of a dataset.
func growTree(ctx context.Context, ds *dataset.Dataset, x *matrix.Matrix, o *settings) (*hierarchy, error) {
	if x.Disk != nil {
		return nil, errors.New("nbsvm: Options.Tree needs all documents in memory, and they exceed Options.Memory: raise it, or leave out Options.Tree")
	}
	t := newTrainer(ds, x, o, nil)
	sets := make([]*roaring.Bitmap, len(ds.Classes.Labels))
	for k := range sets {
		sets[k] = t.rowsOf(k)
	}
	centroids := learn.Centroids(x.X, x.Frequencies, sets)
	tree, err := paths.Grown(len(sets), grow(centroids, o.Seed))
	if err != nil {
		return nil, err
	}
	h := &hierarchy{Tree: tree, nodes: ds.Classes.Labels}
	h.gather(ds.Classes.Sets)
	return h, nil
}

// grow gives every class, a row of centroids, and every inner node behind them, its parent. All classes are about
// equally deep, and similar ones are below the same nodes.
func grow(centroids *sparse.CSR, seed uint64) (parents []int32) {
	classes := centroids.Rows
	leaves := min(max(fewLeaves, (classes+fewNodes-1)/fewNodes), mostLeaves, (classes+1)/2) // below a node
	nodes, depth, ways := (classes+leaves-1)/leaves, 1, 1
	for power(mostWays, depth) < nodes {
		depth++
	}
	for power(ways, depth) < nodes {
		ways++
	}
	parents = make([]int32, classes)
	type node struct {
		number  int32
		classes []int32
	}
	all := make([]int32, classes)
	for k := range all {
		all[k] = int32(k)
	}
	level := []node{{paths.Root, all}}
	for ; depth > 0; depth-- {
		var below []node
		for _, n := range level {
			size := (len(n.classes) + ways - 1) / ways
			for _, some := range runs(centroids, n.classes, size, seed) {
				if len(some) == 1 {
					parents[some[0]] = n.number
					continue
				}
				below = append(below, node{int32(len(parents)), some})
				parents = append(parents, n.number)
			}
		}
		level = below
	}
	for _, n := range level {
		for _, k := range n.classes {
			parents[k] = n.number
		}
	}
	return parents
}

func power(base, exponent int) int {
	n := 1
	for range exponent {
		n *= base
	}
	return n
}

// runs cuts some classes into runs of similar ones, all but the last of this size.
func runs(centroids *sparse.CSR, classes []int32, size int, seed uint64) (list [][]int32) {
	some := &sparse.CSR{Values: []float32{}}
	for _, k := range classes {
		some.AppendRow(centroids.Row(int(k)))
	}
	some.Cols = centroids.Cols
	order := learn.Order(some, size, seed)
	for lo := 0; lo < len(order); lo += size {
		var run []int32
		for _, i := range order[lo:min(lo+size, len(order))] {
			run = append(run, classes[i])
		}
		list = append(list, run)
	}
	return list
}
