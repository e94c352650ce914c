package dataset

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestSets: sets that are moved as a whole are the same bytes as if their numbers were added one by one.
func TestSets(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for k := range 300 {
		n, set, moved := rng.IntN(200_000), roaring.New(), roaring.New()
		offset := uint32(rng.Int64N(1<<31 - 1<<18))
		if k%3 == 0 {
			offset &^= 0xffff
		}
		for i, share := 0, rng.Float64(); i < n; i++ {
			if i%70_000 < 30_000 && k%2 == 0 || rng.Float64() < share {
				set.Add(uint32(i))
				moved.Add(offset + uint32(i))
			}
		}
		set.RunOptimize()
		moved.RunOptimize()
		got := roaring.New()
		got.Or(roaring.AddOffset64(set, int64(offset)))
		got.RunOptimize()
		a, err := got.ToBytes()
		must.OK(t, err)
		if b, err := moved.ToBytes(); err != nil || !bytes.Equal(a, b) {
			t.Fatalf("set %d of %d, offset %d: %d bytes, want %d; %v", k, n, offset, len(a), len(b), err)
		}
	}
}
