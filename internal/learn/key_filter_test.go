package learn

import (
	"math/rand/v2"
	"testing"
)

// TestKeyFilter compares the filter with a map, and counts the keys that pass the Bloom filter.
func TestKeyFilter(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{0, 1, 7, 5000} {
		f, members := newKeyFilter(n), map[uint64]uint32{}
		for i := range uint32(n) {
			key := random.Uint64() >> 24
			members[key] = i
			f.add(key, i)
		}
		for key, want := range members {
			if row, ok := f.row(key); !ok || row != want {
				t.Fatalf("%#x of %d: row %d, %t", key, n, row, ok)
			}
		}
		passed := 0
		for range 100_000 {
			key := random.Uint64() >> 24
			_, want := members[key]
			if _, ok := f.row(key); ok != want {
				t.Fatalf("%#x of %d: another answer than the map's", key, n)
			}
			if at := locations(key); f.filter.TestLocations(at[:]) {
				passed++
			}
		}
		if n == 5000 && passed > 100_000/20 {
			t.Errorf("%d of 100,000 keys pass the filter", passed)
		}
	}
}
