package scoring

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestCut keeps the share of all that is asked for, and fewer only where equal records would be divided.
func TestCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) rank {
			return rank{float64(rapid.IntRange(0, 5).Draw(t, "score")), uint64(rapid.IntRange(0, 3).Draw(t, "hash"))}
		}), 0, 30).Draw(t, "all")
		share := rapid.Float64Range(0, 1).Draw(t, "share")
		want := int(math.Round(share * float64(len(all))))
		above := func(r rank, equal bool) (n int) { // how many are above, or as high
			for _, a := range all {
				if a.score > r.score || a.score == r.score && (a.hash > r.hash || equal && a.hash == r.hash) {
					n++
				}
			}
			return n
		}
		s := group{ranks: slices.Clone(all)}
		s.cut(share)
		kept := 0
		for _, r := range all {
			is := s.kept > 0 && r.compare(s.last) >= 0
			if is != (above(r, true) <= want) {
				t.Fatalf("%v is kept: %t; %d are at least as high, %d are wanted", r, is, above(r, true), want)
			}
			if is {
				kept++
			}
		}
		if s.documents != int64(len(all)) || s.kept != int64(kept) || (s.equal > 0) != (kept < want) {
			t.Fatalf("%+v of %v, %d are wanted", s, all, want)
		}
	})
}
