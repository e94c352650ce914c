package kernels

import (
	"math/rand/v2"
	"testing"
)

// TestAddCodes has sums of all lengths around those of registers, and such that are as large as sums may be.
func TestAddCodes(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(79, 80))
		for n := range 300 {
			sums, intact := guarded[uint16](n, 0xabcd)
			codes, factor := make([]uint8, n), uint16(r.UintN(1<<16))
			if n%7 == 0 {
				factor = 1<<16 - 1
			}
			want := make([]uint16, n)
			for i := range sums {
				codes[i], sums[i] = uint8(r.UintN(256)), uint16(r.UintN(1<<16))
				if i%5 == 0 {
					codes[i], sums[i] = 255, 1<<16-1
				}
				want[i] = uint16(min(int(sums[i])+int(codes[i])*int(factor)/256, 65535))
			}
			AddCodes(sums, codes, factor)
			for i := range want {
				if sums[i] != want[i] {
					t.Fatalf("sum %d of %d is %d, want %d", i, n, sums[i], want[i])
				}
			}
			if !intact() {
				t.Fatalf("something was written beside %d sums", n)
			}
		}
	})
}

func BenchmarkAddCodes(b *testing.B) {
	sums, codes := make([]uint16, 8192), make([]uint8, 8192)
	b.SetBytes(int64(len(codes)))
	for b.Loop() {
		AddCodes(sums, codes, 300)
	}
}
