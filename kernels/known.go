package kernels

import (
	"fmt"
	"math/bits"
)

// CellBuckets is how many buckets a [Cell] tells of.
const CellBuckets = 32

// Cell says which of 32 buckets have a row, and how many rows those before them have. It
// is one word to read.
type Cell struct {
	Known uint32 // bit bucket%32
	Rows  uint32
}

// Record is what a row holds.
type Record struct {
	Weight, Ratio float32
	Tag           uint32 // less than 2^16
}

// KnownRows writes to rows those of the hashes that have one, in order, and returns their
// number. The bucket of a hash is its top bits, 1 to 32 of them, and lies in
// cells[bucket/32]; rows are numbered in the order of the buckets. A row must have the
// tag of the hash, its low 16 bits or 1 instead of 0, or the tag 0; rows behind the
// records are left out.
//
// rows and tags, which is scratch memory, have room for as many as there are hashes; what
// they hold behind the rows returned is not promised.
func KnownRows(rows, tags []uint32, hashes []uint64, topBits int, cells []Cell, records []Record) int {
	if topBits < 1 || topBits > 32 || uint64(len(cells)) < (1<<topBits+CellBuckets-1)/CellBuckets || len(records) > 1<<29 || min(len(rows), len(tags)) < len(hashes) {
		panic(fmt.Sprintf("kernels: room for %d rows and %d tags of %d hashes, %d bits of which %d cells tell, %d records", len(rows), len(tags), len(hashes), topBits, len(cells), len(records)))
	}
	if len(records) == 0 {
		return 0
	}
	n := knownBuckets(rows, tags, hashes, 64-topBits, cells)
	return taggedRows(rows[:n], tags[:n], records)
}

// knownBuckets leaves the rows of the buckets that have one, and the tags of their
// hashes.
func knownBuckets(rows, tags []uint32, hashes []uint64, shift int, cells []Cell) int {
	done, n := 0, 0
	if useAVX512 {
		done, n = knownBucketsAVX512(rows, tags, hashes, shift, parts[uint64](cells))
	}
	for _, h := range hashes[done:] {
		bucket := h >> (shift & 63)
		cell := cells[bucket/CellBuckets]
		rows[n] = cell.Rows + uint32(bits.OnesCount32(cell.Known&(1<<(bucket%CellBuckets)-1)))
		tags[n] = uint32(max(uint16(h), 1))
		n += int(cell.Known >> (bucket % CellBuckets) & 1)
	}
	return n
}

// taggedRows keeps the rows that have these tags, or the tag 0.
func taggedRows(rows, tags []uint32, records []Record) int {
	done, kept := 0, 0
	if useAVX512 {
		done, kept = taggedRowsAVX512(rows, tags, parts[[3]uint32](records))
	}
	last := uint32(len(records) - 1)
	for k, row := range rows[done:] {
		place := min(row, last)
		tag, own := uint64(records[place].Tag), uint64(tags[done+k])
		rows[kept] = row
		// Arithmetic, as nothing here can be guessed: (x-1)>>63 is 1 for 0 alone.
		kept += int(((uint64(row^place) - 1) & ((tag - 1) | ((tag ^ own) - 1))) >> 63)
	}
	return kept
}
