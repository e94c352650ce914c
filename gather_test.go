package nbsvm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"pgregory.net/rapid"

	"github.com/seed-167f963f/nbsvm/hashing"
)

// TestRowSorter sorts with and without values, at lengths around the one from
// which digits are counted.
func TestRowSorter(t *testing.T) {
	var sorter rowSorter
	rng := rand.New(rand.NewPCG(1, 1))
	for _, top := range []uint32{1, 2, 1<<11 - 1, 1 << 11, 1<<22 - 1, 1 << 22, 1 << 24, math.MaxInt32, 1 << 31, math.MaxUint32} {
		for _, n := range []int{0, 1, 2, 3, 31, 126, 127, 128, 129, 130, 255, 1000, 5000} {
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
			sorter.sort(plain)
			if !slices.Equal(plain, want) {
				t.Errorf("%d ids to %d: not sorted", n, top)
			}
			sorter.sortWith(ids, values)
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

// TestRowSorterIsStable: of equal ids, values keep their order.
func TestRowSorterIsStable(t *testing.T) {
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
		new(rowSorter).sortWith(ids, values)
		for i, p := range pairs {
			if ids[i] != p.id || values[i] != p.value {
				t.Fatalf("place %d: id %d value %v, want %v", i, ids[i], values[i], p)
			}
		}
	})
}

// TestGatherer maps entries to columns through a table with many collisions, and
// compares with maps.
func TestGatherer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const columns = 5
		b := &batch{first: rapid.IntRange(0, 9).Draw(t, "first")}
		rows := roaring.New()
		valued := rapid.Bool().Draw(t, "valued")
		type want struct {
			columns []uint32
			values  map[uint32]float32
		}
		var wants []want
		for k := range rapid.IntRange(0, 12).Draw(t, "documents") {
			w := want{values: map[uint32]float32{}}
			for range rapid.IntRange(0, 8).Draw(t, "entries") {
				id := rapid.Uint32Range(0, 29).Draw(t, "id")
				n := rapid.Uint32Range(1, 4).Draw(t, "count")
				b.ids = append(b.ids, id)
				b.hashes = append(b.hashes, uint64(id))
				b.counts = append(b.counts, n)
				if id%7 == 6 {
					continue // does not count
				}
				j := id % columns
				if _, seen := w.values[j]; !seen {
					w.columns = append(w.columns, j)
				}
				w.values[j] += float32(n)
			}
			b.ends = append(b.ends, len(b.ids))
			if rapid.Bool().Draw(t, "in rows") {
				rows.Add(uint32(b.first + k))
				wants = append(wants, w)
			}
		}
		column := func(dst []uint32, b *batch, lo, hi int) []uint32 {
			for _, id := range b.ids[lo:hi] {
				if id%7 == 6 {
					dst = append(dst, hashing.NotSelected)
				} else {
					dst = append(dst, id%columns)
				}
			}
			return dst
		}
		g := gatherer{seen: make([]uint32, columns)}
		if rapid.Bool().Draw(t, "late") {
			// The marks start again from 1 on the way.
			g.mark = math.MaxUint32 - 2
			g.seen = []uint32{1, 2, math.MaxUint32 - 2, 3, 0}
		}
		s := g.strip(b, rows, column, valued)
		if len(s.ends) != len(wants) || !valued && len(s.values) > 0 {
			t.Fatalf("%d rows for %d documents, %d values", len(s.ends), len(wants), len(s.values))
		}
		lo := 0
		for i, w := range wants {
			if got := s.columns[lo:s.ends[i]]; !slices.Equal(got, w.columns) {
				t.Fatalf("row %d holds %v, want %v", i, got, w.columns)
			}
			for k, j := range w.columns {
				if valued && s.values[lo+k] != w.values[j] {
					t.Fatalf("row %d: column %d has the value %v, want %v", i, j, s.values[lo+k], w.values[j])
				}
			}
			lo = s.ends[i]
		}
	})
}

func BenchmarkRowSorter(b *testing.B) {
	for _, n := range []int{32, 64, 128, 256, 1024} {
		rng := rand.New(rand.NewPCG(1, 1))
		source := make([]uint32, n)
		for i := range source {
			source[i] = uint32(math.Exp(rng.Float64() * 14)) // as frequent columns are
		}
		ids := make([]uint32, n)
		for name, sort := range map[string]func(r *rowSorter){
			"compare": func(*rowSorter) { slices.Sort(ids) },
			"digits":  func(r *rowSorter) { r.radix(ids, nil) },
		} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				var r rowSorter
				b.SetBytes(int64(4 * n))
				for b.Loop() {
					copy(ids, source)
					sort(&r)
				}
			})
		}
	}
}
