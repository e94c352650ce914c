package parquetfile

import (
	"encoding/binary"
	"math"
	"testing"
)

// TestHalf: half-precision numbers of all kinds, the infinite ones and those that are none among them.
func TestHalf(t *testing.T) {
	for code := range 1 << 16 {
		exponent, fraction, sign := code>>10&31, float64(code&1023), 1-2*float64(code>>15)
		want := sign * math.Ldexp(1024+fraction, exponent-25)
		switch {
		case exponent == 0:
			want = sign * math.Ldexp(fraction, -24)
		case exponent == 31 && fraction == 0:
			want = math.Inf(int(sign))
		case exponent == 31:
			want = math.NaN()
		}
		got := half(binary.LittleEndian.AppendUint16(nil, uint16(code)))
		if got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Fatalf("half %04x is %v, want %v", code, got, want)
		}
	}
	if got := half([]byte{1}); !math.IsNaN(got) {
		t.Errorf("one byte is %v", got)
	}
}
