package model

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/seed-167f963f/nbsvm/internal/file/checksum"
	"github.com/seed-167f963f/nbsvm/internal/file/views"
	"github.com/seed-167f963f/nbsvm/internal/model/half"
)

// chunkSize is how much of a section one processor checks at a time.
const chunkSize = 1 << 20

// computeSums computes the checksums of sections that lie wholly within data.
func computeSums(data []byte, sections []Section) {
	type chunk struct {
		section, lo, hi int // within data
		sum             uint32
	}
	var chunks []chunk
	for i, s := range sections {
		if s.Offset+s.Length > int64(len(data)) {
			continue
		}
		for lo, end := int(s.Offset), int(s.Offset+s.Length); lo < end; lo += chunkSize {
			chunks = append(chunks, chunk{section: i, lo: lo, hi: min(lo+chunkSize, end)})
		}
		sections[i].OK = true
	}
	sum := func(i int) {
		c := &chunks[i]
		c.sum = crc32.Checksum(data[c.lo:c.hi], checksum.Castagnoli)
	}
	if len(data) <= chunkSize { // many small sections are not worth a goroutine
		for i := range chunks {
			sum(i)
		}
	} else {
		parallel(len(chunks), sum)
	}
	for _, c := range chunks {
		s := &sections[c.section]
		s.Computed = joinSums(s.Computed, c.sum, c.hi-c.lo)
	}
	for i := range sections {
		sections[i].OK = sections[i].OK && sections[i].Computed == sections[i].Stored
	}
}

// joinSums is the CRC-32C of the bytes of two runs, the second n bytes long. A
// checksum is a polynomial over GF(2) modulo P; that of the first run moves up
// by 8n places, which is multiplication by x^8n, and the second is added.
func joinSums(first, second uint32, n int) uint32 {
	power := uint32(1) << 31                   // x^0; the bits are in reverse
	for p := uint32(1) << 23; n > 0; n >>= 1 { // p = x^8, then its squares
		if n&1 != 0 {
			power = timesModP(power, p)
		}
		p = timesModP(p, p)
	}
	return timesModP(first, power) ^ second
}

// timesModP multiplies polynomials over GF(2), whose bits are in reverse, modulo
// that of CRC-32C.
func timesModP(a, b uint32) (product uint32) {
	for ; a != 0; a <<= 1 {
		if a>>31 != 0 {
			product ^= b
		}
		b = b>>1 ^ crc32.Castagnoli&-(b&1)
	}
	return product
}

// parallel calls job for 0 to n-1, on all processors. A panic of a job, or a
// fault in mapped memory, becomes a panic of the caller, where mmap.Guard sees
// it.
func parallel(n int, job func(i int)) {
	var (
		next   atomic.Int64
		wait   sync.WaitGroup
		once   sync.Once
		caught any
	)
	work := func() {
		for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
			job(int(i))
		}
	}
	for range min(n, runtime.GOMAXPROCS(0)) - 1 {
		wait.Go(func() {
			debug.SetPanicOnFault(true)
			defer func() {
				if r := recover(); r != nil {
					once.Do(func() { caught = r })
					next.Store(int64(n))
				}
			}()
			work()
		})
	}
	defer func() {
		next.Store(int64(n)) // if work panics, the others stop too
		wait.Wait()
		if caught != nil {
			panic(caught)
		}
	}()
	work()
}

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
	b := views.Memory(s)
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
		size := views.SizeOf[T]()
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
	code, ok := any(x).(uint16)
	if !ok {
		return float32(x)
	}
	if code&half.Infinity == half.Infinity {
		return math.Float32frombits(uint32(code&half.Sign)<<16 | 0xff<<23 | uint32(code&^(half.Sign|half.Infinity))<<13)
	}
	return half.Float(code)
}

// finite finds what is not finite in the numbers of a large section, which begin at
// an offset.
func finite[T float32 | uint16](section string, offset int, s []T, p precision) *problem {
	size := views.SizeOf[T]()
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

// moderate finds what is beyond the range of a float32. In a margin, values of features (float32), times idf (float32),
// over at most 2^31 rows, are multiplied by weights and a base, and by what brings the row to unit length, which is 2^537 at
// most, as no square above 0 is less than 2^-1074. If all numbers of the model are within the range of a float32, which ends
// at 2^128, the margin is below 2^(128+128+31+128+537) = 2^952, and a float64 holds it.
func moderate(section string, s []float64) *problem {
	if p := finite64(section, s); p != nil {
		return p
	}
	for i, x := range s {
		if math.Abs(x) > math.MaxFloat32 {
			return at(section, 8*i, "number %d of the section is %v: all must be from %v to %v, or scores could overflow",
				i, x, -math.MaxFloat32, math.MaxFloat32)
		}
	}
	return nil
}

func infinite(section string, size, i int, x float64) *problem {
	return at(section, size*i, "number %d of the section is %v: all must be finite", i, x)
}
