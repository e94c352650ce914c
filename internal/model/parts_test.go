package model

import (
	"math"
	"testing"
)

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
