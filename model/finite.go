package model

import (
	"encoding/binary"
	"math"
)

// An infinity or NaN has all bits of its exponent set; adding one to the lowest
// of them then carries into the sign's place, which was masked out.
const (
	exponents32 = 0x7f800000_7f800000
	lowest32    = 0x00800000_00800000
	carries32   = 0x80000000_80000000
)

// notFinite returns the place of the first infinity or NaN, or -1. It looks at
// two numbers at a time, in any byte order.
func notFinite(s []float32) int {
	const pairs = 1024 // between looks at what was found
	b := inMemory(s)
	for base := 0; base < len(s); base += 2 * pairs {
		run := b[4*base : min(4*(base+2*pairs), len(b))]
		var found0, found1, found2, found3 uint64
		p := run
		for ; len(p) >= 32; p = p[32:] {
			ne := binary.NativeEndian
			found0 |= ne.Uint64(p)&exponents32 + lowest32
			found1 |= ne.Uint64(p[8:])&exponents32 + lowest32
			found2 |= ne.Uint64(p[16:])&exponents32 + lowest32
			found3 |= ne.Uint64(p[24:])&exponents32 + lowest32
		}
		if (found0|found1|found2|found3)&carries32 == 0 && len(p) == 0 {
			continue
		}
		for i, x := range s[base : base+len(run)/4] {
			if x-x != 0 {
				return base + i
			}
		}
	}
	return -1
}

// finite32 finds what is not finite in a large section.
func finite32(section string, s []float32) *problem {
	const chunk = chunkSize / 4
	n := (len(s) + chunk - 1) / chunk
	found := make([]int, n)
	parallel(n, func(i int) {
		found[i] = notFinite(s[i*chunk : min((i+1)*chunk, len(s))])
	})
	for i, at := range found {
		if at >= 0 {
			return infinite(section, 4, i*chunk+at, float64(s[i*chunk+at]))
		}
	}
	return nil
}

func finite64(section string, s []float64) *problem {
	for i, x := range s {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return infinite(section, 8, i, x)
		}
	}
	return nil
}

func infinite(section string, size, i int, x float64) *problem {
	return at(section, size*i, "number %d of the section is %v: all must be finite", i, x)
}
