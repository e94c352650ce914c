package model

import (
	"hash/crc32"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// TestComputeSums compares sections with the plain checksum.
func TestComputeSums(t *testing.T) {
	data := make([]byte, 5<<19)
	rng := rand.New(rand.NewPCG(7, 8))
	for i := range data {
		data[i] = byte(rng.Uint32())
	}
	sections := []Section{
		{Offset: 3, Length: 1 << 20},
		{Offset: 0, Length: int64(len(data))},
		{Offset: 64, Length: 0},
		{Offset: 100, Length: 1<<20 + 1},
		{Offset: 1, Length: int64(len(data))},
	}
	for i := range sections[:4] {
		s := &sections[i]
		s.Stored = crc32.Checksum(data[s.Offset:s.Offset+s.Length], osfile.Castagnoli)
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
		if p := finite("X", s); p != nil {
			t.Fatalf("%d numbers: %+v", n, p)
		}
		for i := range s {
			kept := s[i]
			s[i] = []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), math.Float32frombits(0xff800001)}[i%4]
			if p := finite("X", s); p == nil || p.Offset != int64(4*i) {
				t.Fatalf("%d numbers: found %+v, want %d", n, p, i)
			}
			s[i] = kept
		}
	}
	const most = 1 << 20
	large := make([]float32, most)
	large[most/2+5] = float32(math.Inf(1))
	large[most-1] = float32(math.NaN())
	if p := Float32s(large).check("X"); p == nil || p.Offset != int64(4*(most/2+5)) {
		t.Errorf("in a large section: %+v", p)
	}
}
