package rowsort

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestBitRow compares rows with sorted ones.
func TestBitRow(t *testing.T) {
	var r BitRow
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.SliceOf(rapid.OneOf(rapid.Uint32Range(0, LowColumns-1), rapid.Uint32Range(0, 70))).Draw(t, "columns")
		again := 0
		for _, c := range columns {
			again += int(r.Add(c))
		}
		got := r.AppendAndClear([]uint32{7})
		want := slices.Compact(slices.Sorted(slices.Values(columns)))
		if !slices.Equal(got[1:], want) || got[0] != 7 || again != len(columns)-len(want) {
			t.Fatalf("%v, %d of them again, want %v", got, again, want)
		}
		if left := r.AppendAndClear(nil); left != nil {
			t.Fatalf("%v are left", left)
		}
	})
}
