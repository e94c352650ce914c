package model

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// anyGrown draws a tree of leaves, nodes without names behind them.
func anyGrown(t *rapid.T) *Tree {
	leaves, inner := rapid.IntRange(1, 12).Draw(t, "leaves"), rapid.IntRange(0, 5).Draw(t, "inner")
	parents := make([]int32, leaves+inner)
	for k := range parents {
		last := leaves + inner - 1
		if k >= leaves {
			last = k - 1
		}
		if parents[k] = int32(rapid.IntRange(leaves-1, last).Draw(t, "parent")); int(parents[k]) < leaves {
			parents[k] = Root
		}
	}
	for k := leaves; k < len(parents); k++ { // each has a child
		if !slices.Contains(parents, int32(k)) {
			parents[rapid.IntRange(0, leaves-1).Draw(t, "child")] = int32(k)
		}
	}
	tree, err := GrownTree(leaves, parents)
	if err != nil {
		t.Skip(err.Error()) // the child was taken from another node
	}
	return tree
}

// logShare is the logarithm of the probability of a node, given its parent, by its definition.
func logShare(tree *Tree, rule PathRule, margins []float64, k int) float64 {
	sigmoid := func(m float64) float64 { return 1 / (1 + math.Exp(-m/rule.Scale)) }
	if rule.Several {
		return -math.Log1p(math.Exp(-margins[k] / rule.Scale)) // tells apart what is near 1
	}
	sum := 0.0
	for other, parent := range tree.Parents {
		if parent == tree.Parents[k] {
			sum += sigmoid(margins[other])
		}
	}
	return math.Log(sigmoid(margins[k]) / sum)
}

// TestGrown: probabilities of leaves are products along the paths, of all nodes or of those within the beam, and those
// above their thresholds, or the best one, are predicted.
func TestGrown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tree := anyGrown(t)
		leaves, n := tree.top, len(tree.Parents)
		rule := PathRule{Scale: rapid.SampledFrom([]float64{0.25, 1}).Draw(t, "scale"), Several: rapid.Bool().Draw(t, "several")}
		rule.Beam = rapid.IntRange(0, 3).Draw(t, "beam")
		if !rule.Several {
			rule.Temperature = rapid.SampledFrom([]float64{0, 0.4, 0.5}).Draw(t, "temperature")
		}
		d := NewSearcher(tree, rule)
	draws:
		for range 3 { // scratch memory is used again
			margins := rapid.SliceOfN(rapid.Float64Range(-20, 20), n, n).Draw(t, "margins")
			log, in := make([]float64, n), make([]bool, n) // up to each node; it is reached
			for depth := int32(1); ; depth++ {
				var open []int
				for k, parent := range tree.Parents {
					if tree.Depths[k] != depth || parent != Root && !in[parent] {
						continue
					}
					if log[k], in[k] = logShare(tree, rule, margins, k), true; parent != Root {
						log[k] += log[parent]
					}
					if k >= leaves {
						open = append(open, k)
					}
				}
				slices.SortStableFunc(open, func(a, b int) int { return cmp.Compare(log[b], log[a]) })
				if rule.Beam > 0 && len(open) > rule.Beam {
					if log[open[rule.Beam-1]]-log[open[rule.Beam]] < 1e-12 {
						continue draws // rounding decides
					}
					for _, k := range open[rule.Beam:] {
						in[k] = false
					}
				}
				if len(open) == 0 && depth > int32(n) {
					break
				}
			}
			want, sum := make([]float64, leaves), 0.0
			thresholds, above := make([]float64, n), []int(nil)
			for k := range want {
				if !in[k] {
					continue
				}
				want[k] = math.Exp(log[k])
				if rule.Temperature > 0 {
					want[k] = math.Exp(log[k] / rule.Temperature)
				}
				sum += want[k]
				if thresholds[k] = 0.1; want[k] > 1/(1+math.Exp(-0.1)) {
					above = append(above, k)
				}
			}
			if !rule.Several {
				for k := range want {
					want[k] /= sum
				}
			}
			got := make([]float64, leaves)
			d.Probabilities(got, margins)
			close := 1e-12
			if rule.Beam > 0 && !rule.Several {
				close += float64(leaves) * math.Exp(-12) // of leaves that are taken for hopeless
			}
			for k := range want {
				if math.Abs(got[k]-want[k]) > close {
					t.Fatalf("leaf %d has the probability %v, want %v", k, got[k], want[k])
				}
			}
			if labels := d.Above(nil, thresholds); rule.Several && !slices.Equal(labels, above) {
				t.Fatalf("above the thresholds are %v, want %v", labels, above)
			}
			if best := d.Predict(); got[best] != slices.Max(got) || !rule.Several && want[best] < slices.Max(want)-close {
				t.Fatalf("leaf %d is predicted, of %v", best, got)
			}
		}
		visited := make([]bool, n)
		for k := range tree.BottomUp {
			if parent := tree.Parents[k]; visited[k] || parent != Root && visited[parent] {
				t.Fatalf("node %d is visited behind its parent, or again", k)
			}
			visited[k] = true
		}
	})
}

// TestGrownRefused: parents that make no tree.
func TestGrownRefused(t *testing.T) {
	for _, test := range []struct {
		leaves  int
		parents []int32
		want    string
	}{
		{0, []int32{Root}, "0 leaves"},
		{2, []int32{Root}, "2 leaves"},
		{1, nil, "1 leaves"},
		{1, []int32{0}, "parent 0"},
		{2, []int32{Root, 0}, "parent 0"},
		{1, []int32{Root, Root}, "no children"},
		{1, []int32{2, 2, Root}, "parent 2"},
		{1, []int32{1, 1}, "parent 1"},
		{1, []int32{2, Root}, "parent 2"},
		{1, []int32{-2}, "parent -2"},
		{1, []int32{1, 0}, "parent 0"},
	} {
		if _, err := GrownTree(test.leaves, test.parents); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%d leaves of %v: %v, want %q", test.leaves, test.parents, err, test.want)
		}
	}
}

// TestLogOdds compares with the definition, and at the ends.
func TestLogOdds(t *testing.T) {
	for p := 0.001; p < 1; p += 0.001 {
		if got, want := LogOdds(p), math.Log(p/(1-p)); math.Abs(got-want) > 1e-9 {
			t.Errorf("the log odds of %v are %v, want %v", p, got, want)
		}
	}
	for p, want := range map[float64]float64{1: 40, 1 - 0x1p-53: -math.Log(0x1p-53), 0x1p-200: math.Log(0x1p-200), 0: math.Inf(-1)} {
		if got := LogOdds(p); math.Abs(got-want) > 1e-12 && got != want {
			t.Errorf("the log odds of %v are %v, want %v", p, got, want)
		}
	}
}
