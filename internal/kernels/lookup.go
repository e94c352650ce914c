package kernels

import (
	"fmt"
	"math"
	"slices"
	"unsafe"
)

const (
	// LookupBlock is how many hashes are looked up at a time at most: so few that what one stage finds stays in the first
	// cache until the next one reads it.
	LookupBlock = 512
	// LineKeys is how many keys a [BucketLine] has.
	LineKeys = 30
	// KeyBits is how many of the last bits of a bucket are its key: the buckets of a line are 2^KeyBits at most.
	KeyBits = 15
	// NoKey is no bucket's key.
	NoKey = 1<<16 - 1
	// MoreRows marks the rank of a line that has more rows than keys.
	MoreRows = 1 << 31

	maxLines  = 1 << 26 // so that an offset has 32 bits
	findAhead = 40      // hashes before its own, a line is asked for
)

// BucketLine is one line of the cache that tells which of some buckets, side by side, have a row. Rows are numbered in
// the order of their buckets, so that those of a line are neighbours.
type BucketLine struct {
	Keys [LineKeys]uint16 // of each bucket with a row, in order: its last bits; NoKey behind the last
	Rank uint32           // of rows, those before these; with MoreRows if there are more than LineKeys
}

// LineOf is the line of a bucket among so many: each has an equal share of the 2^bucketBits buckets.
func LineOf(bucket uint32, bucketBits, lines int) int {
	return int(uint64(bucket) * uint64(lines) >> bucketBits)
}

// KeyOf is the key of a bucket in its line.
func KeyOf(bucket uint32) uint16 { return uint16(bucket & (1<<KeyBits - 1)) }

// Entry is what a table has of a row.
type Entry struct {
	Content uint32 // of one output, the bits of its weight; of several, where their numbers are
	Ratio   float32
	Tag     uint32 // of its n-gram; 0 if any n-gram of the bucket is meant
}

// Found is what is found of a block of hashes, and the memory to find it in.
type Found struct {
	Queries [LookupBlock]uint32 // of each row, see [Query]
	Rows    [LookupBlock]uint32
	lines   [LookupBlock + findAhead]uint32 // of each hash, where its line begins
	keys    [LookupBlock]uint16
}

// Find finds the rows of those hashes whose bucket has one, in order, and returns their number. Beside each stands the
// [Query] of its hash. The bucket of a hash is its top bits, 1 to 32 of them; [LineOf] says which line has its row. For
// hashes of a line with MoreRows, a number from MoreRows on is found: which rows they have, if any, has to be found out
// elsewhere. The entries of rows are asked for, as they will be read next: [KeepDistinct] and [SumDistinct] look at
// tags.
func (f *Found) Find(hashes []uint64, bucketBits int, lines []BucketLine, entries []Entry) (n int) {
	if bucketBits < 1 || bucketBits > 32 || len(lines) == 0 || len(lines) > maxLines || uint64(len(lines))<<KeyBits < 1<<bucketBits ||
		uint64(len(lines)) > 1<<bucketBits || len(hashes) > LookupBlock {
		panic(fmt.Sprintf("kernels: %d hashes with %d bits of buckets in %d lines", len(hashes), bucketBits, len(lines)))
	}
	done := 0
	if onAMD64 && useVectors {
		done = len(hashes) &^ 7
		placeHashesVector(f, hashes[:done], bucketBits, len(lines))
	}
	for i, h := range hashes[done:] {
		bucket := uint32(h >> ((64 - bucketBits) & 63))
		i += done
		f.lines[i] = uint32(LineOf(bucket, bucketBits, len(lines))) << 6
		f.keys[i] = KeyOf(bucket)
		f.Queries[i] = Query(i, h)
	}
	switch {
	case onAMD64 && useAVX512:
		return findRowsAVX512(f, len(hashes), lines, entries)
	case onAMD64 && useVectors:
		return findRowsVector(f, len(hashes), lines, entries)
	}
	return f.findRows(len(hashes), lines)
}

// Query is a hash and its place among the hashes: its tag, which is its low 16 bits or 1 instead of 0, and, 16 bits
// higher, the place.
func Query(place int, hash uint64) uint32 { return uint32(place)<<16 | uint32(max(uint16(hash), 1)) }

// QueryPlace is the place of a query.
func QueryPlace(query uint32) int { return int(query >> 16) }

// QueryTag is the tag of a query.
func QueryTag(query uint32) uint16 { return uint16(query) }

// findRows finds the rows of hashes whose lines, keys and queries are known.
func (f *Found) findRows(size int, lines []BucketLine) (n int) {
	for i, at := range f.lines[:size] {
		line := &lines[at>>6]
		f.Queries[n] = f.Queries[i]
		f.Rows[n] = line.Rank
		if line.Rank >= MoreRows {
			n++
			continue
		}
		if place := line.place(f.keys[i]); place >= 0 {
			f.Rows[n] += uint32(place)
			n++
		}
	}
	return n
}

// place is where a line has a key, or -1. Most that are asked for are not there, so four at a time are compared until
// one is: halves of 16 bits less 1 have a sign that they had not before if they were 0.
func (l *BucketLine) place(key uint16) int {
	const ones = 0x0001_0001_0001_0001
	fours := (*[LineKeys / 4]uint64)(unsafe.Pointer(&l.Keys))
	keys := uint64(key) * ones
	equal := uint64(0)
	for _, four := range fours {
		differ := four ^ keys
		equal |= (differ - ones) &^ differ
	}
	if equal&(ones<<15) == 0 && l.Keys[28] != key && l.Keys[29] != key {
		return -1
	}
	return slices.Index(l.Keys[:], key)
}

// checkDistinct refuses what has too few bits or queries.
func checkDistinct(seen []uint64, rows, queries []uint32, entries []Entry) {
	if len(seen) < (len(entries)+63)/64 || len(queries) < len(rows) {
		panic(fmt.Sprintf("kernels: %d words of bits for %d entries, %d queries for %d rows", len(seen), len(entries), len(queries), len(rows)))
	}
}

// KeepDistinct writes to kept those of rows, in order, that have the tag of their query or one for any, and that have no
// bit in seen, which is set then. It returns how many these are, and ends before the first row that has no entry: done
// are the rows before it. Seen has a bit for every entry, and kept has room for all rows; what it holds behind those
// that are kept is not promised.
func KeepDistinct(kept []uint32, seen []uint64, rows, queries []uint32, entries []Entry) (n, done int) {
	checkDistinct(seen, rows, queries, entries)
	if len(kept) < len(rows) {
		panic(fmt.Sprintf("kernels: room for %d of %d rows", len(kept), len(rows)))
	}
	if onAMD64 && useVectors && len(rows) > 0 {
		return keepDistinctVector(kept, seen, rows, queries, entries)
	}
	for i, row := range rows {
		if int(row) >= len(entries) {
			return n, i
		}
		if !entries[row].means(queries[i]) {
			continue
		}
		word, bit := &seen[row/64], row%64
		kept[n] = row
		n += int(^*word >> bit & 1)
		*word |= 1 << bit
	}
	return n, len(rows)
}

// means tells whether the n-gram of a query, with the entry's bucket, has the entry.
func (e *Entry) means(query uint32) bool { return e.Tag == uint32(QueryTag(query)) || e.Tag == 0 }

// SumDistinct adds up what the entries of those rows have that KeepDistinct would keep: their contents as float32
// weights to one sum, and the squares of their ratios to the other, one after the other. It returns the sums, how many
// entries it added, and how many rows are done.
func SumDistinct(seen []uint64, rows, queries []uint32, entries []Entry, weights, squares float64) (w, s float64, n, done int) {
	checkDistinct(seen, rows, queries, entries)
	if onAMD64 && useVectors && len(rows) > 0 {
		return sumDistinctVector(seen, rows, queries, entries, weights, squares)
	}
	for i, row := range rows {
		if int(row) >= len(entries) {
			return weights, squares, n, i
		}
		e := &entries[row]
		if !e.means(queries[i]) {
			continue
		}
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
	return weights, squares, n, len(rows)
}
