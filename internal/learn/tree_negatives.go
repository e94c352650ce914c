package learn

import (
	"context"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// siblingMargin is how much less a naive Bayes classifier may think of a row's best other node than of its own, for the
// node to be trained on the row as well: natural logarithms of a probability, for each feature of a row. Of .1 to 2.5,
// and of the best one to three nodes, this one cross-validates best: without, a tree of 52 topics of Reuters is .8
// points less accurate than no tree, with it .1 points more.
const siblingMargin = 1

// findNegatives finds negatives for the nodes of a grown tree: rows that belong elsewhere, but look as if they were
// below the node. Without them, outputs below a node know nothing of documents that the outputs above send there in
// error. See Yu, Zhong, Zhang, Chang and Dhillon 2022, "PECOS", on matcher-aware negatives.
func (h *hierarchy) findNegatives(ctx context.Context, f *Fitted) error {
	h.negatives = make([]*roaring.Bitmap, len(h.Parents))
	t := newTrainer(f.ds, f.x, f.Params, nil)
	for _, nodes := range h.innerByDepth() {
		if err := h.findNegativesOf(ctx, t, nodes); err != nil {
			return err
		}
	}
	return nil
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

// findNegativesOf finds the negatives of nodes of the same depth.
func (h *hierarchy) findNegativesOf(ctx context.Context, t *trainer, nodes []int) error {
	own := make([]*roaring.Bitmap, len(nodes))
	for g, k := range nodes {
		own[g] = t.rowsOfDocuments(h.below[k])
		h.negatives[k] = roaring.New()
	}
	m := t.newMatcher(own)
	const block = 1 << 12 // rows
	rows, total := t.x.Rows(), 0
	scores := make([][]float64, t.Threads)
	err := par.Map(ctx, len(scores), (rows+block-1)/block, func(w, b int) ([][]uint32, error) {
		found := make([][]uint32, len(nodes))
		for i := b * block; i < min((b+1)*block, rows); i++ {
			ids := m.known(t, i)
			scores[w] = m.score(scores[w], ids)
			if g := other(scores[w][:len(own)], len(ids), own, uint32(i)); g >= 0 {
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

// Limits of the matcher's table.
const (
	matchedColumns = 1 << 18
	matchedNumbers = 1 << 26
)

// matcher is a multinomial naive Bayes classifier of nodes, of the most frequent features.
type matcher struct {
	columns int
	pitch   int
	table   []float32 // by column and node: logarithms of probabilities
	prior   []float64 // of every node, likewise
}

// newMatcher fits the classifier to the rows of each node.
func (t *trainer) newMatcher(own []*roaring.Bitmap) *matcher {
	const smoothing = 0.1
	pitch := (len(own) + kernels.RowUnit - 1) / kernels.RowUnit * kernels.RowUnit
	m := &matcher{pitch: pitch, columns: min(len(t.x.Keys), max(matchedNumbers/pitch, 1), matchedColumns)}
	m.table, m.prior = make([]float32, m.columns*pitch), make([]float64, pitch)
	for g, rows := range own {
		total := 0
		for it := rows.Iterator(); it.HasNext(); {
			for _, j := range m.known(t, int(it.Next())) {
				m.table[int(j)*pitch+g]++
				total++
			}
		}
		m.prior[g] = xmath.Log(1 + float64(rows.GetCardinality()))
		all := xmath.Log(float64(total) + float64(smoothing*float64(m.columns)))
		logs := map[float32]float32{}
		for j := range m.columns {
			n := &m.table[j*pitch+g]
			log, ok := logs[*n]
			if !ok {
				log = float32(xmath.Log(float64(*n)+smoothing) - all)
				logs[*n] = log
			}
			*n = log
		}
	}
	return m
}

// known returns the features of a row that the matcher looks at.
func (m *matcher) known(t *trainer, row int) []uint32 {
	ids, _ := t.x.X.Row(row)
	n, _ := slices.BinarySearch(ids, uint32(m.columns))
	return ids[:n]
}

// score gives each node's logarithm of a probability for a row of some features, less a number that all share. It
// uses the memory of dst.
func (m *matcher) score(dst []float64, ids []uint32) []float64 {
	dst = append(dst[:0], m.prior...)
	kernels.AddRows(dst, m.table, m.pitch, ids, len(ids))
	return dst
}

// other returns the best node that a row of so many features does not belong to, if it is almost as good as the row's
// own; -1 if it is not. It changes the scores.
func other(scores []float64, features int, own []*roaring.Bitmap, row uint32) int {
	least := math.Inf(-1)
	for range own {
		best := 0
		for g, score := range scores {
			if score > scores[best] {
				best = g
			}
		}
		switch {
		case scores[best] < least:
			return -1
		case !own[best].Contains(row):
			return best
		}
		least = max(least, scores[best]-float64(siblingMargin*float64(features)))
		scores[best] = math.Inf(-1)
	}
	return -1
}

// negativesBelow returns the negatives of siblings, given their outputs; nil for none.
func (h *hierarchy) negativesBelow(outputs []int32) *roaring.Bitmap {
	parent := h.Parents[h.NodeOf(int(outputs[0]))]
	if parent == model.Root || h.negatives == nil || h.negatives[parent].IsEmpty() {
		return nil
	}
	return h.negatives[parent]
}
