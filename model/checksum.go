package model

import (
	"hash/crc32"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/seed-167f963f/nbsvm/internal/checksum"
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
