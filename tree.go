package nbsvm

import (
	"errors"
	"fmt"

	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/learn"
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
	if o.Tree == AutoTree && !suits || classes < learn.LeastLeaves {
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
