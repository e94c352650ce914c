package xmath_test

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"testing"
)

// TestChecksum runs the functions over arguments made from integers alone and
// compares a checksum of all results' bits with a constant. It is the same on
// every architecture, or something was fused or replaced by assembly; scripts/nofma.sh looks for what is fused.
func TestChecksum(t *testing.T) {
	want := map[string]uint64{
		"Exp":      0xc481a478b36bfbe6,
		"Log":      0xc8622ac688839658,
		"Log1p":    0x6141c7e373fa0c8e,
		"Sigmoid":  0x6a0c58934ec3bc94,
		"Log1pExp": 0x37e96cb0a79e9c6f,
	}
	for _, fn := range functions {
		h := fnv.New64a()
		var buf [8]byte
		state := uint64(0)
		for range 200_000 {
			state = state*6364136223846793005 + 1442695040888963407
			// 53 bits scaled by powers of two: exact.
			x := math.Ldexp(float64(int64(state)>>11), -52+int(state>>3&15)-6)
			if !(x > fn.lo && x <= fn.hi) {
				x = math.Abs(x)
			}
			binary.LittleEndian.PutUint64(buf[:], math.Float64bits(fn.f(x)))
			h.Write(buf[:])
		}
		if got := h.Sum64(); got != want[fn.name] {
			t.Errorf("%s: checksum %#x, want %#x", fn.name, got, want[fn.name])
		}
	}
}
