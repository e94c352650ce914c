package model

import (
	"encoding/binary"
	"math"
)

// precision is where the exponents are in a word of several numbers. An infinity or
// NaN has all bits of its exponent set; adding one to the lowest of them then carries
// into the sign's place, which was masked out.
type precision struct{ exponents, lowest, carries uint64 }

var (
	floatBits = precision{0x7f800000_7f800000, 0x00800000_00800000, 0x80000000_80000000}
	halfBits  = precision{0x7c00_7c00_7c00_7c00, 0x0400_0400_0400_0400, 0x8000_8000_8000_8000}
)

// notFinite returns the place of the first infinity or NaN, or -1. It looks at
// a word of numbers at a time, in any byte order.
func notFinite[T float32 | uint16](s []T, p precision) int {
	const block = 8192 // bytes between looks at what was found
	b := inMemory(s)
	for base := 0; base < len(b); base += block {
		run := b[base:min(base+block, len(b))]
		var found0, found1, found2, found3 uint64
		rest := run
		for ; len(rest) >= 32; rest = rest[32:] {
			ne := binary.NativeEndian
			found0 |= ne.Uint64(rest)&p.exponents + p.lowest
			found1 |= ne.Uint64(rest[8:])&p.exponents + p.lowest
			found2 |= ne.Uint64(rest[16:])&p.exponents + p.lowest
			found3 |= ne.Uint64(rest[24:])&p.exponents + p.lowest
		}
		if (found0|found1|found2|found3)&p.carries == 0 && len(rest) == 0 {
			continue
		}
		size := sizeOf[T]()
		for i, x := range s[base/size : (base+len(run))/size] {
			if wide := widened(x); wide-wide != 0 {
				return base/size + i
			}
		}
	}
	return -1
}

// widened is a number or a half, an infinite or undefined one as well.
func widened[T float32 | uint16](x T) float32 {
	half, ok := any(x).(uint16)
	if !ok {
		return float32(x)
	}
	if half&halfInfinity == halfInfinity {
		return math.Float32frombits(uint32(half&halfSign)<<16 | 0xff<<23 | uint32(half&^(halfSign|halfInfinity))<<13)
	}
	return fromHalf(half)
}

// finite finds what is not finite in the numbers of a large section, which begin at
// an offset.
func finite[T float32 | uint16](section string, offset int, s []T, p precision) *problem {
	size := sizeOf[T]()
	chunk := chunkSize / size
	n := (len(s) + chunk - 1) / chunk
	found := make([]int, n)
	parallel(n, func(i int) {
		found[i] = notFinite(s[i*chunk:min((i+1)*chunk, len(s))], p)
	})
	for i, at := range found {
		if at >= 0 {
			bad := infinite(section, size, i*chunk+at, float64(widened(s[i*chunk+at])))
			bad.offset += offset
			return bad
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
