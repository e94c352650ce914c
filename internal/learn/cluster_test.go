package learn

import (
	"math"
	"slices"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/xmath"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// planted are points around so many centres, per points around each, in random order; centre says whose a point is.
func planted(centres, per int, noise float64, seed uint64) (x *sparse.CSR, centre []int) {
	random := xmath.SplitMix(seed)
	for c := range centres {
		centre = append(centre, slices.Repeat([]int{c}, per)...)
	}
	xmath.Shuffle(&random, centre)
	x = &sparse.CSR{Values: []float32{}}
	for _, c := range centre {
		values := make([]float64, centres+8)
		values[c] = 1
		for range 3 {
			values[random.IntN(len(values))] += noise
		}
		square := 0.0
		for _, v := range values {
			square += float64(v * v)
		}
		var ids []uint32
		var unit []float32
		for j, v := range values {
			if v > 0 {
				ids, unit = append(ids, uint32(j)), append(unit, float32(v/math.Sqrt(square)))
			}
		}
		x.AppendRow(ids, unit)
		x.Cols = centres + 8
	}
	return x, centre
}

// TestOrder: rows are permuted, the same way each time, and points of a centre make up a leaf.
func TestOrder(t *testing.T) {
	const centres, per = 16, 8
	x, centre := planted(centres, per, 0.2, 1)
	order := orderOf(x, per, 1)
	if again := orderOf(x, per, 1); !slices.Equal(again, order) {
		t.Errorf("two orders differ: %v and %v", order, again)
	}
	sorted := slices.Sorted(slices.Values(order))
	for i, row := range sorted {
		if int(row) != i {
			t.Fatalf("%v is no permutation", order)
		}
	}
	together := 0
	for lo := 0; lo < len(order); lo += per {
		counts := make([]int, centres)
		for _, row := range order[lo : lo+per] {
			counts[centre[row]]++
		}
		together += slices.Max(counts)
	}
	// In a random order two of a leaf's eight points share a centre, rarely three.
	if share := float64(together) / float64(len(order)); share < 0.75 {
		t.Errorf("%.2f of the points are with others of their centre: too few", share)
	}
}

// TestOrderSizes: any number of rows is ordered, with rows that are empty or all the same.
func TestOrderSizes(t *testing.T) {
	for n := range 40 {
		for leaf := range 9 {
			x := &sparse.CSR{Values: []float32{}}
			for i := range n {
				if i%3 == 0 {
					x.AppendRow(nil, []float32{})
				} else {
					x.AppendRow([]uint32{0}, []float32{1})
				}
				x.Cols = 1
			}
			order := orderOf(x, leaf, 7)
			for i, row := range slices.Sorted(slices.Values(order)) {
				if int(row) != i {
					t.Fatalf("%d rows, leaves of %d: %v is no permutation", n, leaf, order)
				}
			}
			if len(order) != n {
				t.Fatalf("%d rows became %d", n, len(order))
			}
		}
	}
}
