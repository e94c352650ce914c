package vocab

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSortByKey: columns are sorted as the standard library does, whatever order they have.
func TestSortByKey(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var spare []partColumn
	for n := range 400 {
		columns := make([]partColumn, n)
		run := 1 + random.IntN(n+1)
		for i := range columns {
			columns[i] = partColumn{key: random.Uint64N(uint64(1 + n/2)), column: uint32(i)}
		}
		for some := range slices.Chunk(columns, run) {
			slices.SortFunc(some, func(a, b partColumn) int { return cmp.Compare(a.key, b.key) })
		}
		want := slices.Clone(columns)
		slices.SortStableFunc(want, func(a, b partColumn) int { return cmp.Compare(a.key, b.key) })
		if spare = sortByKey(columns, spare); !slices.Equal(columns, want) {
			t.Fatalf("%d columns in runs of %d: %v", n, run, columns)
		}
	}
}
