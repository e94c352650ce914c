package sparse

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestSort sorts with and without values.
func TestSort(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, top := range []uint32{1, 2, 1<<11 - 1, 1 << 11, 1<<22 - 1, 1 << 22, 1 << 24, math.MaxInt32, 1 << 31, math.MaxUint32} {
		for _, n := range []int{0, 1, 2, 3, 31, 128, 255, 1000, 5000} {
			ids, values := make([]uint32, n), make([]float32, n)
			of := map[uint32]float32{}
			for i := range ids {
				// Distinct wherever there are enough numbers; the largest among them.
				ids[i] = top - uint32(rng.Uint64N(uint64(top)+1))
				if i == 0 {
					ids[i] = top
				}
				for top > 1<<20 && of[ids[i]] != 0 {
					ids[i]--
				}
				values[i] = float32(i + 1)
				of[ids[i]] = values[i]
			}
			want := slices.Sorted(slices.Values(ids))
			plain := slices.Clone(ids)
			SortRow(plain, []float32(nil))
			if !slices.Equal(plain, want) {
				t.Errorf("%d ids to %d: not sorted", n, top)
			}
			SortRow(ids, values)
			if !slices.Equal(ids, want) {
				t.Errorf("%d ids to %d, with values: not sorted", n, top)
			}
			for i, id := range ids {
				if top > 1<<20 && values[i] != of[id] {
					t.Fatalf("%d ids to %d: id %d got the value of another", n, top, id)
				}
			}
		}
	}
}

// TestSortIsStable: of equal ids, values keep their order.
func TestSortIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfN(rapid.Uint32Range(0, 5000), 0, 400).Draw(t, "ids")
		values := make([]float32, len(ids))
		type pair struct {
			id    uint32
			value float32
		}
		pairs := make([]pair, len(ids))
		for i := range values {
			values[i] = float32(i)
			pairs[i] = pair{ids[i], values[i]}
		}
		slices.SortStableFunc(pairs, func(a, b pair) int { return int(a.id) - int(b.id) })
		SortRow(ids, values)
		for i, p := range pairs {
			if ids[i] != p.id || values[i] != p.value {
				t.Fatalf("place %d: id %d value %v, want %v", i, ids[i], values[i], p)
			}
		}
	})
}
