package nbsvm

import (
	"context"
	"math"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/internal/model/paths"
	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/internal/stage"
)

// siblingMargin is how much less a naive Bayes classifier may think of a row's best other node than of its own, for the
// node to be trained on the row as well: natural logarithms of a probability, for each feature of a row. Of .1 to 2.5,
// and of the best one to three nodes, this one cross-validates best: without, a tree of 52 topics of Reuters is .8
// points less accurate than no tree, with it .1 points more.
const siblingMargin = 1

// findNegatives finds negatives for the nodes of a grown tree: rows that belong elsewhere, but look as if they were
// below the node. Without them, outputs below a node know nothing of documents that the outputs above send there in
// error. See Yu, Zhong, Zhang, Chang and Dhillon 2022, "PECOS", on matcher-aware negatives.
func (h *hierarchy) findNegatives(ctx context.Context, f *fitted) error {
	h.negatives = make([]*roaring.Bitmap, len(h.Parents))
	t := newTrainer(f.ds, f.x, f.o, nil)
	return stage.Do(ctx, stage.Negatives, func(ctx context.Context) error {
		for _, nodes := range h.innerByDepth() {
			if err := h.findNegativesOf(ctx, t, nodes); err != nil {
				return err
			}
		}
		return nil
	})
}

// innerByDepth lists the nodes above the leaves of a grown tree by their depth, from the top.
func (h *hierarchy) innerByDepth() (nodes [][]int) {
	for k := len(h.nodes); k < len(h.Parents); k++ {
		depth := int(h.Depths[k])
		for len(nodes) < depth {
			nodes = append(nodes, nil)
		}
		nodes[depth-1] = append(nodes[depth-1], k)
	}
	return nodes
}

// findNegativesOf finds those of nodes of the same depth.
func (h *hierarchy) findNegativesOf(ctx context.Context, t *trainer, nodes []int) error {
	groups := make([]classGroup, len(nodes))
	for g, k := range nodes {
		groups[g].rows = t.rowsOfDocuments(h.below[k])
		h.negatives[k] = roaring.New()
	}
	m := t.newMatcher(groups)
	const block = 1 << 12 // rows
	rows, total := t.x.Rows(), 0
	workers := make([]nearFinder, t.o.threads())
	err := par.Map(ctx, len(workers), (rows+block-1)/block, func(w, b int) ([][]uint32, error) {
		found := make([][]uint32, len(groups))
		for i := b * block; i < min((b+1)*block, rows); i++ {
			if g := workers[w].other(m, m.known(t, i), groups, uint32(i)); g >= 0 {
				found[g] = append(found[g], uint32(i))
			}
		}
		return found, ctx.Err()
	}, func(found [][]uint32) error {
		for g, rows := range found {
			total += len(rows)
			h.negatives[nodes[g]].AddMany(rows)
		}
		return nil
	})
	if total > rows/10*9 { // the features tell little of the nodes, or only others than the most frequent ones do
		for _, k := range nodes {
			h.negatives[k].Clear()
		}
	}
	return err
}

// other is the best group that a row of some features does not belong to, if it is almost as good as the row's own; -1
// if it is not.
func (n *nearFinder) other(m *matcher, ids []uint32, groups []classGroup, row uint32) int {
	scores, least := n.score(m, ids), math.Inf(-1)
	for range groups {
		best := 0
		for g, score := range scores {
			if score > scores[best] {
				best = g
			}
		}
		switch {
		case scores[best] < least:
			return -1
		case !groups[best].rows.Contains(row):
			return best
		}
		least = max(least, scores[best]-float64(siblingMargin*float64(len(ids))))
		scores[best] = math.Inf(-1)
	}
	return -1
}

// negativesBelow are the negatives of siblings, given their outputs; nil for none.
func (h *hierarchy) negativesBelow(outputs []int32) *roaring.Bitmap {
	parent := h.Parents[h.NodeOf(int(outputs[0]))]
	if parent == paths.Root || h.negatives == nil || h.negatives[parent].IsEmpty() {
		return nil
	}
	return h.negatives[parent]
}
