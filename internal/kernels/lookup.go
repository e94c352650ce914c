package kernels

import (
	"fmt"
	"math"
)

// LineKeys is how many keys a [TagLine] has.
const LineKeys = 15

// TagLine is one line of the cache that tells which rows belong to some buckets, side by side. Rows are numbered in
// the order of their buckets, so that those of a line are neighbours.
type TagLine struct {
	Rank uint32           // of rows, those before these; with MoreRows if there are more than LineKeys
	Keys [LineKeys]uint32 // of each row, ascending: its bucket's last bits above the 16 of its tag; NoKey behind the last
}

// Entry is what a table has of a row.
type Entry struct {
	Content uint32 // of one output, the bits of its weight; of several, where their numbers are
	Ratio   float32
}

const (
	// NoKey is no row's key.
	NoKey = 1<<32 - 1
	// MoreRows marks the rank of a line that has more rows than keys.
	MoreRows = 1 << 31
	// MaxSubBits is how many bits a bucket has at most that its line does not tell.
	MaxSubBits = 15
	// maxLookup is how many hashes [FindRows] takes.
	maxLookup = 1 << 16
)

// FindRows writes the rows of those hashes that have one to rows, in order, and returns their number. Beside each,
// it writes the [Query] of the hash to queries. The bucket of a hash is its top bits, 1 to 32 of them, and its line
// are the first of these, 1 or more and 15 fewer at most. A row must have the tag of the hash, its low 16 bits or 1
// instead of 0, or the tag 0. For hashes of a line with MoreRows that none of its keys is meant by, a number from
// MoreRows on is written: whether they have rows, and which, has to be found elsewhere. The entries of rows are
// asked for, as they will be read next.
//
// There are at most 2^16 hashes, and room for as many rows and queries; what they hold behind the rows returned is
// not promised.
func FindRows(rows, queries []uint32, hashes []uint64, bucketBits, lineBits int, lines []TagLine, entries []Entry) (n int) {
	subBits := bucketBits - lineBits
	if bucketBits > 32 || lineBits < 1 || subBits < 0 || subBits > MaxSubBits || uint64(len(lines)) < 1<<lineBits || len(hashes) > maxLookup || min(len(rows), len(queries)) < len(hashes) {
		panic(fmt.Sprintf("kernels: room for %d rows and %d queries of %d hashes, %d bits of buckets, %d of %d lines", len(rows), len(queries), len(hashes), bucketBits, lineBits, len(lines)))
	}
	lineShift, keyShift, subMask := 64-lineBits, 64-bucketBits, 1<<subBits-1
	if onAMD64 && useVectors {
		eights := len(hashes) &^ 7
		lineKeysVector(queries, hashes[:eights], keyShift, subMask)
		for i, h := range hashes[eights:] {
			queries[eights+i] = lineKey(h, keyShift, subMask)
		}
		return findRowsVector(rows, queries, hashes, lineShift, lines, entries)
	}
	return findRows(rows, queries, hashes, lineShift, keyShift, subMask, lines)
}

// Query is a hash and its place among the hashes: its tag and, 16 bits higher, the place.
func Query(place int, hash uint64) uint32 { return uint32(place)<<16 | uint32(max(uint16(hash), 1)) }

// QueryTag is the tag of a query.
func QueryTag(query uint32) uint16 { return uint16(query) }

// lineKey is what a line has of the bucket and the tag of a hash.
func lineKey(hash uint64, keyShift, subMask int) uint32 {
	return uint32(hash>>(keyShift&63))&uint32(subMask)<<16 | uint32(QueryTag(Query(0, hash)))
}

// findRows is FindRows in Go.
func findRows(rows, queries []uint32, hashes []uint64, lineShift, keyShift, subMask int, lines []TagLine) (n int) {
	for i, h := range hashes {
		line := &lines[h>>(lineShift&63)]
		queries[n] = Query(i, h)
		key := lineKey(h, keyShift, subMask)
		anyTag := key &^ (1<<16 - 1)
		place := 0
		for place < LineKeys && line.Keys[place] < anyTag { // keys ascend
			place++
		}
		rows[n] = line.Rank | MoreRows
		if place < LineKeys && (line.Keys[place] == key || line.Keys[place] == anyTag) {
			rows[n] = line.Rank&^MoreRows + uint32(place)
			n++
		} else if line.Rank >= MoreRows {
			n++
		}
	}
	return n
}

// SumDistinct adds up what the entries of rows have, each as often as it has no bit in seen, which is set then: their
// contents as float32 weights to one sum, and the squares of their ratios to the other, one after the other. It returns
// the sums, and how many entries it added. Seen has a bit for every entry.
func SumDistinct(seen []uint64, rows []uint32, entries []Entry, weights, squares float64) (w, s float64, n int) {
	if len(seen) < (len(entries)+63)/64 {
		panic(fmt.Sprintf("kernels: %d words of bits for %d entries", len(seen), len(entries)))
	}
	if onAMD64 && useVectors && len(rows) > 0 {
		var done int
		w, s, n, done = sumDistinctVector(seen, rows, entries, weights, squares)
		if done < len(rows) {
			panic(fmt.Sprintf("kernels: row %d of %d", rows[done], len(entries)))
		}
		return w, s, n
	}
	return sumDistinct(seen, rows, entries, weights, squares)
}

// sumDistinct is SumDistinct in Go.
func sumDistinct(seen []uint64, rows []uint32, entries []Entry, weights, squares float64) (w, s float64, n int) {
	for _, row := range rows {
		e := &entries[row]
		word, bit := &seen[row/64], row%64
		fresh := ^*word >> bit & 1
		*word |= 1 << bit
		n += int(fresh)
		// A zero changes no sum, as none is a negative zero; a branch would be guessed wrong.
		mask := -uint32(fresh)
		weights += float64(math.Float32frombits(e.Content & mask))
		ratio := float64(math.Float32frombits(math.Float32bits(e.Ratio) & mask))
		squares += float64(ratio * ratio)
	}
	return weights, squares, n
}
