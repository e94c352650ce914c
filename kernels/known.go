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
	Content uint32 // of one output, the bits of its weight; of several, where their numbers are
	Ratio   float32
	Tag     uint32 // less than 2^16
}

// MaxKnown is how many hashes [KnownRows] takes.
const MaxKnown = 1 << 16

// KnownRows writes to rows those of the hashes that have one, in order, and returns their
// number; beside each, to origins, the tag of the hash and, 16 bits higher, its place.
// The bucket of a hash is its top bits, 1 to 32 of them, and lies in
// cells[bucket/CellBuckets]; rows are numbered in the order of the buckets. A row must
// have the tag of the hash, its low 16 bits or 1 instead of 0, or the tag 0; rows behind
// the records are left out.
//
// There are at most [MaxKnown] hashes, and room for as many rows and origins; what they
// hold behind the rows returned is not promised.
func KnownRows(rows, origins []uint32, hashes []uint64, topBits int, cells []Cell, records []Record) int {
	if topBits < 1 || topBits > 32 || uint64(len(cells)) < (1<<topBits+CellBuckets-1)/CellBuckets || len(records) > 1<<29 || len(hashes) > MaxKnown || min(len(rows), len(origins)) < len(hashes) {
		panic(fmt.Sprintf("kernels: room for %d rows and %d origins of %d hashes, %d bits of which %d cells tell, %d records", len(rows), len(origins), len(hashes), topBits, len(cells), len(records)))
	}
	if len(records) == 0 {
		return 0
	}
	n := knownBuckets(rows, origins, hashes, 64-topBits, cells)
	return taggedRows(rows[:n], origins[:n], records)
}

// Origin is what [KnownRows] tells of a hash at a place.
func Origin(place int, hash uint64) uint32 { return uint32(place)<<16 | uint32(max(uint16(hash), 1)) }

// OriginPlace and OriginTag are what an origin is of.
func OriginPlace(origin uint32) int  { return int(origin >> 16) }
func OriginTag(origin uint32) uint16 { return uint16(origin) }

// knownBuckets leaves the rows of the buckets that have one, and the origins of their
// hashes.
func knownBuckets(rows, origins []uint32, hashes []uint64, shift int, cells []Cell) int {
	done, n := 0, 0
	if useAVX512 {
		done, n = knownBucketsAVX512(rows, origins, hashes, shift, parts[uint64](cells))
	}
	for i, h := range hashes[done:] {
		bucket := h >> (shift & 63)
		cell := cells[bucket/CellBuckets]
		rows[n] = cell.Rows + uint32(bits.OnesCount32(cell.Known&(1<<(bucket%CellBuckets)-1)))
		origins[n] = Origin(done+i, h)
		n += int(cell.Known >> (bucket % CellBuckets) & 1)
	}
	return n
}

// taggedRows keeps the rows that have these tags, or the tag 0.
func taggedRows(rows, origins []uint32, records []Record) int {
	done, kept := 0, 0
	if useAVX512 {
		done, kept = taggedRowsAVX512(rows, origins, parts[[3]uint32](records))
	}
	last := uint32(len(records) - 1)
	for k, row := range rows[done:] {
		place, origin := min(row, last), origins[done+k]
		tag, own := uint64(records[place].Tag), uint64(OriginTag(origin))
		rows[kept], origins[kept] = row, origin
		// Arithmetic, as nothing here can be guessed: (x-1)>>63 is 1 for 0 alone.
		kept += int(((uint64(row^place) - 1) & ((tag - 1) | ((tag ^ own) - 1))) >> 63)
	}
	return kept
}
