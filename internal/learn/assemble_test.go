package learn

import (
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// TestVisit: every value is visited once, in whichever range of columns, outputs ascend in each row, and parts may be
// full, sparse or empty.
func TestVisit(t *testing.T) {
	const columns = 2*visitedColumns + 100
	random := xmath.SplitMix(1)
	rowOf := make([]uint32, columns)
	for j := range rowOf {
		rowOf[j] = uint32(j)
	}
	xmath.Shuffle(&random, rowOf)
	full, some, last := part{values: make([]float32, columns)}, part{}, part{columns: []uint32{columns - 1}, values: []float32{7}}
	for j := range full.values {
		full.values[j] = float32(j + 1)
		if random.IntN(3) == 0 {
			some.columns, some.values = append(some.columns, uint32(j)), append(some.values, float32(-j-1))
		}
	}
	parts := []part{full, {}, some, {columns: []uint32{}}, last}
	type entry struct {
		row    uint32
		output int
	}
	want := map[entry]float32{}
	for i, p := range parts {
		p.each(func(j uint32, v float32) { want[entry{rowOf[j], i}] = v })
	}
	latest := map[uint32]int{}
	check := func(row uint32, output int, v float32) {
		e := entry{row, output}
		if w, ok := want[e]; !ok || w != v {
			t.Fatalf("row %d, output %d: %v is visited, want %v", row, output, v, w)
		}
		if before, ok := latest[row]; ok && before >= output {
			t.Fatalf("row %d: output %d follows %d", row, output, before)
		}
		latest[row] = output
		delete(want, e)
	}
	const cut = visitedColumns / 3
	visit(parts, rowOf, 0, cut)(check)
	visit(parts, rowOf, cut, columns)(check)
	if len(want) > 0 {
		t.Errorf("%d values are not visited", len(want))
	}
}
