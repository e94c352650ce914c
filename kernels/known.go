package kernels

import (
	"fmt"
	"math/bits"
	"unsafe"
)

// Cell says which of 64 buckets have a row, and how many rows those before them have.
type Cell struct {
	Known uint64 // bit bucket%64
	Rows  uint64 // less than 2^32
}

// Record is what a row holds.
type Record struct {
	Weight, Ratio float32
	Tag           uint32 // less than 2^16
}

// KnownRows writes to dst the rows of those hashes that have one, in order, and returns
// their number. The bucket of a hash is its top bits, 1 to 32 of them, and lies in
// cells[bucket/64]; rows are numbered in the order of the buckets. A row must have the
// tag of the hash, its low 16 bits or 1 instead of 0, or the tag 0; rows behind the
// records are left out.
//
// dst has room for as many rows as there are hashes; what it holds behind those returned
// is not promised.
func KnownRows(dst []uint32, hashes []uint64, topBits int, cells []Cell, records []Record) int {
	if topBits < 1 || topBits > 32 || uint64(len(cells)) < (1<<topBits+63)/64 || len(records) > 1<<29 || len(dst) < len(hashes) {
		panic(fmt.Sprintf("kernels: room for %d rows of %d hashes, %d bits of which %d cells tell, %d records", len(dst), len(hashes), topBits, len(cells), len(records)))
	}
	if len(records) == 0 {
		return 0
	}
	shift := 64 - topBits
	done, n := 0, 0
	if useAVX512 {
		done, n = knownRowsAVX512(dst, hashes, shift, parts[[2]uint64](cells), parts[[3]uint32](records))
	}
	for _, h := range hashes[done:] {
		bucket := h >> (shift & 63)
		cell := &cells[bucket/64]
		row := uint32(cell.Rows) + uint32(bits.OnesCount64(cell.Known&(1<<(bucket%64)-1)))
		place := min(row, uint32(len(records)-1))
		tag, own := uint64(records[place].Tag), uint64(max(uint16(h), 1))
		// Arithmetic, as nothing here can be guessed: (x-1)>>63 is 1 for 0 alone.
		known := cell.Known >> (bucket % 64) & ((uint64(row^place) - 1) >> 63) & ((tag-1)>>63 | ((tag^own)-1)>>63)
		dst[n] = row
		n += int(known)
	}
	return n
}

// parts is a slice seen as the numbers that its entries are made of.
func parts[W, T any](s []T) []W {
	return unsafe.Slice((*W)(unsafe.Pointer(unsafe.SliceData(s))), len(s))
}
