package model

import (
	"errors"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-167f963f/nbsvm/internal/base/idset"
	"github.com/seed-167f963f/nbsvm/internal/file/checksum"
	"github.com/seed-167f963f/nbsvm/internal/model/half"
)

// TestSet compares with a map.
func TestSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		universe := rapid.Uint64Range(1, 3000).Draw(t, "universe")
		ids := rapid.SliceOfNDistinct(rapid.Uint32Range(0, uint32(universe-1)), 0, int(universe), rapid.ID).Draw(t, "ids")
		slices.Sort(ids)
		s, err := NewSet(universe, ids)
		if err != nil {
			t.Fatal(err)
		}
		if p := checkSet(&s, universe); p != nil || s.Size != len(ids) {
			t.Fatalf("%d ids instead of %d; %+v", s.Size, len(ids), p)
		}
		rows := map[uint32]int{}
		for i, id := range ids {
			rows[id] = i
		}
		for id := range uint32(universe + 600) {
			row, ok := s.Rank(id)
			if want, in := rows[id]; ok != in || row != want {
				t.Fatalf("id %d has row %d, %v; want %d, %v", id, row, ok, want, in)
			}
		}
		i := 0
		for row, id := range s.All() {
			if row != i || id != ids[i] {
				t.Fatalf("All yields %d, %d, want %d, %d", row, id, i, ids[i])
			}
			if i++; i == 5 {
				break
			}
		}
		if i != min(5, len(ids)) {
			t.Fatalf("All yields %d of %d ids", i, len(ids))
		}
	})
}

func TestSetBounds(t *testing.T) {
	var empty idset.Set
	for _, id := range []uint32{0, 63, 64, math.MaxUint32} {
		if row, ok := empty.Rank(id); ok || row != 0 {
			t.Errorf("the empty set has id %d in row %d", id, row)
		}
	}
	for range empty.All() {
		t.Error("the empty set has a member")
	}
	const last = 1<<24 - 1
	s, err := NewSet(last+1, []uint32{7, last})
	if err != nil {
		t.Fatal(err)
	}
	if row, ok := s.Rank(last); !ok || row != 1 {
		t.Errorf("the last id has row %d, %v", row, ok)
	}
	for _, id := range []uint32{last + 1, last + 64, maxUniverse, math.MaxUint32} {
		if _, ok := s.Rank(id); ok {
			t.Errorf("id %d beyond the universe is a member", id)
		}
	}
	for _, c := range []struct {
		universe uint64
		ids      []uint32
	}{
		{maxUniverse + 1, nil}, {10, []uint32{10}}, {0, []uint32{0}}, {10, []uint32{3, 3}}, {10, []uint32{3, 9, 3}},
	} {
		if _, err := NewSet(c.universe, c.ids); err == nil {
			t.Errorf("a set of %v below %d", c.ids, c.universe)
		}
	}
	if s, err := NewSet(10, []uint32{4, 9, 3}); err != nil || s.Size != 3 {
		t.Errorf("ids in any order: %v", err)
	} else if row, ok := s.Rank(4); row != 1 || !ok {
		t.Errorf("id 4 is in row %d, %v", row, ok)
	}
}

// TestJoinSums compares with the checksum of the whole.
func TestJoinSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for n := range 3000 {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		cut := rng.IntN(n + 1)
		sum := func(b []byte) uint32 { return crc32.Checksum(b, checksum.Castagnoli) }
		if got := joinSums(sum(b[:cut]), sum(b[cut:]), n-cut); got != sum(b) {
			t.Fatalf("%d and %d bytes: %08x, want %08x", cut, n-cut, got, sum(b))
		}
	}
}

// TestComputeSums compares sections of several chunks with the plain checksum.
func TestComputeSums(t *testing.T) {
	data := make([]byte, 5*chunkSize/2)
	rng := rand.New(rand.NewPCG(7, 8))
	for i := range data {
		data[i] = byte(rng.Uint32())
	}
	sections := []Section{
		{Offset: 3, Length: chunkSize},
		{Offset: 0, Length: int64(len(data))},
		{Offset: 64, Length: 0},
		{Offset: 100, Length: chunkSize + 1},
		{Offset: 1, Length: int64(len(data))},
	}
	for i := range sections[:4] {
		s := &sections[i]
		s.Stored = crc32.Checksum(data[s.Offset:s.Offset+s.Length], checksum.Castagnoli)
	}
	computeSums(data, sections)
	for i, s := range sections {
		if want := i != 4; s.OK != want || s.Computed != s.Stored {
			t.Errorf("section %d: %+v, want OK %v", i, s, want)
		}
	}
}

// TestNotFinite puts each kind of number at each place.
func TestNotFinite(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7, 8, 9, 15, 16, 17, 2047, 2048, 2049, 5000} {
		s := make([]float32, n)
		for i := range s {
			s[i] = []float32{0, -0.1, math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32}[i%5]
		}
		if at := notFinite(s, floatBits); at != -1 {
			t.Fatalf("%d numbers: number %d, %v, is not finite", n, at, s[at])
		}
		for i := range s {
			kept := s[i]
			s[i] = []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), math.Float32frombits(0xff800001)}[i%4]
			if at := notFinite(s, floatBits); at != i {
				t.Fatalf("%d numbers: found %d, want %d", n, at, i)
			}
			s[i] = kept
		}
	}
	for _, n := range []int{1, 15, 16, 17, 4095, 4096, 4097, 9000} {
		s := make([]uint16, n)
		for i := range s {
			s[i] = []uint16{0, half.Largest, half.Largest | half.Sign, 1, half.Sign}[i%5]
		}
		if at := notFinite(s, halfBits); at != -1 {
			t.Fatalf("%d halves: number %d, %04x, is not finite", n, at, s[at])
		}
		for i := 0; i < n; i += 7 {
			kept := s[i]
			s[i] = []uint16{half.Infinity, half.Infinity | half.Sign, 0xffff, half.Infinity | 1}[i%4]
			if at := notFinite(s, halfBits); at != i {
				t.Fatalf("%d halves: found %d, want %d", n, at, i)
			}
			s[i] = kept
		}
	}
	large := make([]float32, chunkSize)
	large[chunkSize/2+5] = float32(math.Inf(1))
	large[chunkSize-1] = float32(math.NaN())
	if p := Float32s(large).check("X"); p == nil || p.offset != 4*(chunkSize/2+5) {
		t.Errorf("in a large section: %+v", p)
	}
}

// TestInOrder compares with a look at one entry after the other.
func TestInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const outputs = 5
		s := &Sparse{
			RowPtr: rapid.SliceOfN(rapid.Uint64Range(0, 7), 2, 7).Draw(t, "rows"),
			Output: rapid.SliceOfN(rapid.Uint16Range(0, outputs), 5, 5).Draw(t, "outputs"),
		}
		if rapid.Bool().Draw(t, "ascending") {
			slices.Sort(s.RowPtr)
		}
		lo := rapid.IntRange(0, len(s.RowPtr)-2).Draw(t, "lo")
		hi := rapid.IntRange(lo+1, len(s.RowPtr)-1).Draw(t, "hi")
		if got, p := s.inOrder(lo, hi, outputs), s.search(weightSections, lo, hi, outputs); got != (p == nil) {
			t.Fatalf("in order: %v; found %+v", got, p)
		}
	})
}

// TestSparseInChunks has a mistake in the second chunk of rows.
func TestSparseInChunks(t *testing.T) {
	const rows = 1<<16 + 100
	s := &Sparse{RowPtr: make([]uint64, rows+1), Output: make([]uint16, rows), Value: make(Float32s, rows)}
	for r := range s.RowPtr {
		s.RowPtr[r] = uint64(r)
	}
	if p := s.check(weightSections, rows, 1); p != nil {
		t.Fatalf("found %+v", p)
	}
	s.Output[rows-7] = 1
	for name, in := range map[string]sparseSections{"OUTPUT": weightSections, "RIDX": pairSections} {
		if p := s.check(in, rows, 1); p == nil || p.section != name || p.offset != 2*(rows-7) {
			t.Errorf("found %+v, want a problem of %s", p, name)
		}
	}
}

func TestParallel(t *testing.T) {
	for _, n := range []int{0, 1, 2, 1000} {
		seen := make([]atomic.Int32, n)
		parallel(n, func(i int) { seen[i].Add(1) })
		for i := range seen {
			if seen[i].Load() != 1 {
				t.Errorf("job %d of %d was done %d times", i, n, seen[i].Load())
			}
		}
	}
	// Whoever does the job that panics, the caller gets it, when all others rest.
	mine := errors.New("mine")
	for bad := range 50 {
		var running atomic.Int32
		var r any
		func() {
			defer func() { r = recover() }()
			parallel(50, func(i int) {
				defer running.Add(-1)
				running.Add(1)
				if i == bad {
					panic(mine)
				}
			})
		}()
		if r != mine || running.Load() != 0 {
			t.Fatalf("recovered %v, %d jobs still run", r, running.Load())
		}
	}
}
