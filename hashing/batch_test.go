package hashing

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestBatches has documents of fewer and of more n-grams than a batch, and batches of
// several sizes.
func TestBatches(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 52))
	for _, words := range []int{0, 1, 2, 10, 300, 2000, maxBatch/2 - 1, maxBatch / 2, maxBatch/2 + 1, maxBatch/2 + blockTokens, maxBatch} {
		for _, kinds := range []int{1, 2, 30, 100000} {
			var doc []byte
			for range words {
				doc = fmt.Appendf(doc, "w%d ", r.IntN(kinds))
			}
			e := newExtractor(t, DefaultOptions())
			all := e.AppendHashes(nil, doc)
			want := []uint64{7}
			met := map[uint64]bool{}
			for _, h := range all {
				if !met[h] {
					want = append(want, h)
					met[h] = true
				}
			}
			for _, size := range []int{maxBatch, 0, 1, 700, 5000} {
				e.batchSize = size
				if got, _ := e.AppendDistinct([]uint64{7}, nil, doc); !slices.Equal(got, want) {
					t.Fatalf("%d words of %d, batches of %d: other hashes", words, kinds, size)
				}
			}
		}
	}
}

// TestBatchOfOneEntry has hashes that all find one entry of the table under the first
// key.
func TestBatchOfOneEntry(t *testing.T) {
	b := batch{key: 1}
	hashes := make([]uint64, maxBatch)
	for i := range hashes {
		hashes[i] = uint64(i / 2)
	}
	if n := b.distinct(hashes); n != maxBatch/2 {
		t.Fatalf("%d are distinct, want %d", n, maxBatch/2)
	}
	for i, h := range hashes[:maxBatch/2] {
		if h != uint64(i) {
			t.Fatalf("hash %d is %d", i, h)
		}
	}
}
