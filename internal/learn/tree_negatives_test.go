package learn

import (
	"math"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"pgregory.net/rapid"

	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// TestOther compares with the definition: the best node that does not have the row, unless its score is too far below
// that of the best node that has it.
func TestOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "nodes")
		length := rapid.IntRange(0, 3).Draw(t, "features")
		scores, rows := make([]float64, n), make([]*roaring.Bitmap, n)
		own, best, want := math.Inf(-1), math.Inf(-1), -1
		for g := range rows {
			scores[g] = float64(rapid.IntRange(-4, 4).Draw(t, "score"))
			rows[g] = roaring.New()
			if rapid.Bool().Draw(t, "own") {
				rows[g].Add(7)
				own = max(own, scores[g])
			} else if scores[g] > best {
				best, want = scores[g], g
			}
		}
		if best < own-float64(siblingMargin*float64(length)) {
			want = -1
		}
		if got := other(scores, length, rows, 7); got != want {
			t.Fatalf("%d, want %d", got, want)
		}
	})
}

// TestNodeNegatives: a node has the rows of others that look like its own as negatives, but its ratios do not count
// them; and none has any where all rows look like those of all nodes.
func TestNodeNegatives(t *testing.T) {
	const rows, classes, cols = 40, 4, 5
	parents := []int32{4, 4, 5, 5, model.Root, model.Root}
	fit := func(features func(i, class int) []uint32) *hierarchy {
		x := &dataset.Matrix{Documents: roaring.New(), Keys: make([]uint64, cols)}
		x.X = &sparse.CSR{Cols: cols, Indptr: []int64{0}}
		ds, sets := &dataset.Dataset{Documents: rows}, make([]*roaring.Bitmap, classes)
		for k := range sets {
			sets[k] = roaring.New()
		}
		x.Frequencies = make([]uint32, cols)
		for i := range rows {
			class := i % classes
			sets[class].Add(uint32(i))
			x.Documents.Add(uint32(i))
			x.X.AppendRow(features(i, class), nil)
		}
		for _, j := range x.X.Indices {
			x.Frequencies[j]++
		}
		ds.Classes = dataset.ClassesOf([]string{"a", "b", "c", "d"}, sets, rows, false)
		tree, err := model.GrownTree(classes, parents)
		must.OK(t, err)
		h := &hierarchy{Tree: tree, nodes: ds.Classes.Labels}
		h.gather(sets)
		p := testParams(NBSVM)
		p.Normalize, p.Threads = false, 2
		f := &Fitted{Params: p, ds: ds, x: x, outputs: make([]output, tree.Outputs()), tree: h}
		must.OK(t, h.findNegatives(t.Context(), f))
		return h
	}
	// Features 0 and 1 are of a, b and of c, d; rows 3 and 7, of d, look like a and b.
	h := fit(func(i, class int) []uint32 {
		node := uint32(class / 2)
		if i == 3 || i == 7 {
			node = 0
		}
		return []uint32{node, uint32(2 + class%2)}
	})
	if got := h.negatives[4].ToArray(); !slices.Equal(got, []uint32{3, 7}) {
		t.Errorf("negatives of the first node: %v", got)
	}
	if got := h.negatives[5].ToArray(); len(got) != 0 {
		t.Errorf("negatives of the second node: %v", got)
	}
	h = fit(func(int, int) []uint32 { return []uint32{0, 4} })
	for k := 4; k < 6; k++ {
		if n := h.negatives[k].GetCardinality(); n != 0 {
			t.Errorf("where all rows are alike, node %d has %d negatives", k, n)
		}
	}
	some, all := roaring.BitmapOf(2, 5, 9), roaring.BitmapOf(1, 2, 5, 7, 9)
	if got := ranks(some, all).ToArray(); !slices.Equal(got, []uint32{1, 2, 4}) {
		t.Errorf("ranks %v", got)
	}
}
