package learn

import (
	"context"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// LeastLeaves is the least number of classes of a tree: fewer have no use for inner nodes.
const LeastLeaves = 4

// The shape of a tree.
const (
	fewLeaves  = 20  // below the lowest nodes, or
	fewNodes   = 16  // the classes divided by so many,
	mostLeaves = 128 // or so many
	mostWays   = 100 // below others at most
)

// severalScale is the divisor that turns margins of models with a hinge into log odds if a document may have several
// labels. On Reuters-21578 it gives the least log loss.
const severalScale = 0.25

// growTree grows a tree over the classes of a dataset.
func growTree(ctx context.Context, ds *dataset.Dataset, x *dataset.Matrix, p *Params) (*hierarchy, error) {
	t := newTrainer(ds, x, p, nil)
	sets := make([]*roaring.Bitmap, len(ds.Classes.Labels))
	for k := range sets {
		sets[k] = t.rowsOf(k)
	}
	centroids := centroidsOf(x.X, x.Frequencies, sets)
	tree, err := model.GrownTree(len(sets), grow(centroids, p.Solver.Seed))
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
	level := []node{{model.Root, all}}
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
	order := orderOf(some, size, seed)
	for lo := 0; lo < len(order); lo += size {
		var run []int32
		for _, i := range order[lo:min(lo+size, len(order))] {
			run = append(run, classes[i])
		}
		list = append(list, run)
	}
	return list
}
