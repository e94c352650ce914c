package rowsort

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestSorter sorts with and without values, at lengths around the one from
// which digits are counted.
func TestSorter(t *testing.T) {
	var sorter Sorter
	rng := rand.New(rand.NewPCG(1, 1))
	for _, top := range []uint32{1, 2, 1<<11 - 1, 1 << 11, 1<<22 - 1, 1 << 22, 1 << 24, math.MaxInt32, 1 << 31, math.MaxUint32} {
		for _, n := range []int{0, 1, 2, 3, 31, radixFrom - 1, radixFrom, radixFrom + 1, 128, 255, 1000, 5000} {
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
			plain, none := sorter.Sort(slices.Clone(ids), nil)
			if none != nil {
				t.Errorf("%d ids to %d: values out of nothing", n, top)
			}
			if !slices.Equal(plain, want) {
				t.Errorf("%d ids to %d: not sorted", n, top)
			}
			ids, values = sorter.Sort(ids, values)
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

// TestSorterIsStable: of equal ids, values keep their order.
func TestSorterIsStable(t *testing.T) {
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
		ids, values = new(Sorter).Sort(ids, values)
		for i, p := range pairs {
			if ids[i] != p.id || values[i] != p.value {
				t.Fatalf("place %d: id %d value %v, want %v", i, ids[i], values[i], p)
			}
		}
	})
}

// TestAddEqual compares with a map.
func TestAddEqual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.SliceOfN(rapid.Uint32Range(0, 9), 0, 20).Draw(t, "columns")
		values := make([]float32, len(columns))
		want := map[uint32]float32{}
		slices.Sort(columns)
		for i, j := range columns {
			values[i] = float32(i + 1)
			want[j] += values[i]
		}
		columns, values = AddEqual(columns, values)
		if !slices.Equal(columns, slices.Sorted(maps.Keys(want))) {
			t.Fatalf("columns %v, want those of %v", columns, want)
		}
		for i, j := range columns {
			if values[i] != want[j] {
				t.Fatalf("column %d has the value %v, want %v", j, values[i], want[j])
			}
		}
	})
}

// TestAddEqualInAnyOrder: sums of large whole numbers don't depend on their order.
func TestAddEqualInAnyOrder(t *testing.T) {
	want := float32(1<<24 + 4) // of 2^24+3, which is as far from 2^24+2
	for _, values := range [][]float32{{1 << 24, 1, 1, 1}, {1, 1, 1, 1 << 24}, {1, 1 << 24, 1, 1}} {
		if _, got := AddEqual([]uint32{5, 5, 5, 5}, slices.Clone(values)); !slices.Equal(got, []float32{want}) {
			t.Errorf("%v add up to %v, want %v", values, got, want)
		}
	}
}

func BenchmarkSorter(b *testing.B) {
	for _, n := range []int{16, 32, 64, 128, 256, 512, 1024} {
		// So many rows that the processor can't learn their order.
		rng := rand.New(rand.NewPCG(1, 1))
		sources := make([]uint32, 256*n)
		for i := range sources {
			sources[i] = uint32(math.Exp(rng.Float64() * 14)) // as frequent columns are
		}
		ids := make([]uint32, n)
		for name, sort := range map[string]func(r *Sorter){
			"compare": func(*Sorter) { slices.Sort(ids) },
			"digits":  func(r *Sorter) { r.radix(ids, nil) },
		} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				var r Sorter
				at := 0
				for b.Loop() {
					copy(ids, sources[at:])
					sort(&r)
					at = (at + n) % len(sources)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/id")
			})
		}
	}
}

func TestSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfDistinct(rapid.Uint32(), rapid.ID).Draw(t, "ids")
		values := make([]float64, len(ids))
		want := map[uint32]float64{}
		for k, j := range ids {
			values[k] = float64(k)
			want[j] = float64(k)
		}
		Sort(ids, values)
		if !slices.IsSorted(ids) {
			t.Errorf("not sorted: %v", ids)
		}
		for k, j := range ids {
			if v, there := want[j]; !there || v != values[k] {
				t.Errorf("%v went with id %d, want %v", values[k], j, v)
			}
		}
	})
}
