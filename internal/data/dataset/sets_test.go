package dataset

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/RoaringBitmap/roaring/v2/roaring64"
)

// TestSets: sets that are converted and moved as a whole are the same bytes as if their numbers were added one by one.
func TestSets(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for k := range 300 {
		n, small, moved := rng.IntN(200_000), roaring.New(), roaring64.New()
		offset := uint64(rng.Int64N(1 << 31))
		if k%3 == 0 {
			offset &^= 0xffff
		}
		large := roaring64.New()
		for i, share := 0, rng.Float64(); i < n; i++ {
			if i%70_000 < 30_000 && k%2 == 0 || rng.Float64() < share {
				small.Add(uint32(i))
				large.Add(uint64(i))
				moved.Add(offset + uint64(i))
			}
		}
		small.RunOptimize()
		large.RunOptimize()
		moved.RunOptimize()
		read := roaring64.New()
		b, err := large.ToBytes()
		if err == nil {
			err = read.UnmarshalBinary(b)
		}
		if err != nil {
			t.Fatal(err)
		}
		got := roaring64.New()
		got.Or(wide(roaring.AddOffset64(narrow(read), int64(offset))))
		got.RunOptimize()
		for what, pair := range map[string][2]interface{ ToBytes() ([]byte, error) }{
			"narrow": {narrow(read), small}, "wide": {wide(small), large}, "moved": {got, moved},
		} {
			a, err := pair[0].ToBytes()
			if err != nil {
				t.Fatal(err)
			}
			if b, err := pair[1].ToBytes(); err != nil || !bytes.Equal(a, b) {
				t.Fatalf("set %d of %d, offset %d: %s: %d bytes, want %d; %v", k, n, offset, what, len(a), len(b), err)
			}
		}
	}
}
