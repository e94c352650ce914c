package nbsvm

import (
	"math/rand/v2"
	"testing"
)

func TestHashSet(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{0, 1, 7, 5000} {
		s, members := newHashSet(n), map[uint64]bool{}
		for range n {
			hash := random.Uint64()
			members[hash] = true
			s.add(hash)
		}
		for hash := range members {
			if !s.has(hash) {
				t.Fatalf("%#x of %d is missing", hash, n)
			}
		}
		passed := 0
		for range 100_000 {
			hash := random.Uint64()
			if s.has(hash) != members[hash] {
				t.Fatalf("%#x of %d: another answer than the map's", hash, n)
			}
			if at := locations(hash); s.filter.TestLocations(at[:]) {
				passed++
			}
		}
		if n == 5000 && passed > 100_000/20 {
			t.Errorf("%d of 100,000 hashes pass the filter", passed)
		}
	}
}
