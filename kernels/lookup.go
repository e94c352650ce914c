package kernels

import (
	"fmt"
	"math/bits"
)

// RankBuckets is how many buckets a [RankWord] tells of.
const RankBuckets = 32

// RankWord says which of 32 buckets have a row, and how many rows the buckets before them
// have. It is one word to read.
type RankWord struct {
	Bits uint32 // bit bucket%32
	Rank uint32
}

// Entry is what the table of a lookup holds of a row.
type Entry struct {
	Content uint32 // of one output, the bits of its weight; of several, where their numbers are
	Ratio   float32
	Tag     uint32 // less than 2^16
}

// maxLookup is how many hashes [LookupRows] takes.
const maxLookup = 1 << 16

// LookupRows writes the rows of those hashes that have one to rows, in order, and returns
// their number. Beside each, it writes the [Query] of the hash to queries.
// The bucket of a hash is its top bits, 1 to 32 of them, and lies in
// words[bucket/RankBuckets]; rows are numbered in the order of the buckets. A row must
// have the tag of the hash, its low 16 bits or 1 instead of 0, or the tag 0; rows behind
// the entries are left out.
//
// There are at most 2^16 hashes, and room for as many rows and queries; what they
// hold behind the rows returned is not promised.
func LookupRows(rows, queries []uint32, hashes []uint64, topBits int, words []RankWord, entries []Entry) int {
	if topBits < 1 || topBits > 32 || uint64(len(words)) < (1<<topBits+RankBuckets-1)/RankBuckets || len(entries) > 1<<29 || len(hashes) > maxLookup || min(len(rows), len(queries)) < len(hashes) {
		panic(fmt.Sprintf("kernels: room for %d rows and %d queries of %d hashes, %d bits of which %d words tell, %d entries", len(rows), len(queries), len(hashes), topBits, len(words), len(entries)))
	}
	if len(entries) == 0 {
		return 0
	}
	n := lookupBuckets(rows, queries, hashes, 64-topBits, words)
	return taggedRows(rows[:n], queries[:n], entries)
}

// Query is a hash and its place among the hashes: its tag and, 16 bits higher, the place.
func Query(place int, hash uint64) uint32 { return uint32(place)<<16 | uint32(max(uint16(hash), 1)) }

// QueryTag is the tag of a query.
func QueryTag(query uint32) uint16 { return uint16(query) }

// lookupBuckets leaves the rows of the buckets that have one, and the queries of their
// hashes.
func lookupBuckets(rows, queries []uint32, hashes []uint64, shift int, words []RankWord) int {
	done, n := 0, 0
	if useAVX512 {
		done, n = lookupBucketsAVX512(rows, queries, hashes, shift, parts[uint64](words))
	}
	for i, h := range hashes[done:] {
		bucket := h >> (shift & 63)
		word := words[bucket/RankBuckets]
		rows[n] = word.Rank + uint32(bits.OnesCount32(word.Bits&(1<<(bucket%RankBuckets)-1)))
		queries[n] = Query(done+i, h)
		n += int(word.Bits >> (bucket % RankBuckets) & 1)
	}
	return n
}

// taggedRows keeps the rows that have these tags, or the tag 0.
func taggedRows(rows, queries []uint32, entries []Entry) int {
	done, kept := 0, 0
	if useAVX512 {
		done, kept = taggedRowsAVX512(rows, queries, parts[[3]uint32](entries))
	}
	last := uint32(len(entries) - 1)
	for k, row := range rows[done:] {
		place, query := min(row, last), queries[done+k]
		tag, own := uint64(entries[place].Tag), uint64(QueryTag(query))
		rows[kept], queries[kept] = row, query
		// Arithmetic, as nothing here can be guessed: (x-1)>>63 is 1 for 0 alone.
		kept += int(((uint64(row^place) - 1) & ((tag - 1) | ((tag ^ own) - 1))) >> 63)
	}
	return kept
}
