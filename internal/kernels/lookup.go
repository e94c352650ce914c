package kernels

import (
	"fmt"
	"slices"
	"unsafe"
)

const (
	// LookupBlock is how many hashes are looked up at a time at most: so few that what one stage finds stays in the
	// first cache until the next one reads it.
	LookupBlock = 512
	// LineKeys is how many keys a [BucketLine] has.
	LineKeys = 30
	// KeyBits is how many of the last bits of a bucket are its key: the buckets of a line are 2^KeyBits at most.
	KeyBits = 15
	// NoKey is no bucket's key.
	NoKey = 1<<16 - 1
	// MoreRows marks the First of a line that has more rows than keys.
	MoreRows = 1 << 31

	maxLines  = 1 << 26 // so that an offset has 32 bits
	findAhead = 40      // hashes before its own, a line is asked for
	packLanes = 16      // most hashes that assembly takes at a time of those that were compared
)

// BucketLine is one line of the cache that tells which of some buckets, side by side, have a row. Their rows are
// numbered from the first one on.
type BucketLine struct {
	// Keys are the last bits of each bucket with a row, or NoKey.
	Keys [LineKeys]uint16
	// First is the row of the first key; or MoreRows.
	First uint32
}

// LineOf returns the line of a bucket among so many: each has an equal share of the 2^bucketBits buckets.
func LineOf(bucket uint32, bucketBits, lines int) int {
	return int(uint64(bucket) * uint64(lines) >> bucketBits)
}

// KeyOf returns the key of a bucket in its line.
func KeyOf(bucket uint32) uint16 { return uint16(bucket & (1<<KeyBits - 1)) }

// Entry is what a table has of a row.
type Entry struct {
	Content uint32 // of one output, the bits of its weight; of several, where their numbers are
	Ratio   float32
	Tag     uint32 // the last 16 bits of its key
}

// Found is what is found of a block of hashes, and the memory to find it in.
type Found struct {
	Queries [LookupBlock]uint32 // of each row, see [Query]
	Rows    [LookupBlock]uint32
	lines   [LookupBlock + findAhead]uint32 // of each hash, where its line begins
	keys    [LookupBlock]uint16

	// For assembly: of each hash, a bit for each key of its line that is its own, and First of the line.
	_ [LookupBlock + packLanes]uint32
	_ [LookupBlock + packLanes]uint32
}

// Find finds the rows of those hashes whose bucket has one, in order, and returns their number. Beside each stands the
// [Query] of its key. The key of a hash is its top bits, and its bucket the top bits of the key, 1 to 32 of them, and
// all but 16 or more; [LineOf] says which line has its row. For hashes of a line with MoreRows, a number from MoreRows
// on is found: which rows they have, if any, has to be found out elsewhere. Meanwhile, the entries of soon's rows are
// asked for: those that were found of the hashes before, and will be read next.
func (f *Found) Find(
	hashes []uint64, keyBits, bucketBits int, lines []BucketLine, entries []Entry, soon *Found,
) (n int) {
	if keyBits > 64 || bucketBits < max(keyBits-16, 1) || bucketBits > keyBits || bucketBits > 32 || len(lines) == 0 ||
		len(lines) > maxLines || uint64(len(lines))<<KeyBits < 1<<bucketBits ||
		uint64(len(lines)) > 1<<bucketBits || len(hashes) > LookupBlock {
		panic(fmt.Sprintf("kernels: %d hashes with %d bits of keys and %d of buckets in %d lines",
			len(hashes), keyBits, bucketBits, len(lines)))
	}
	done := 0
	if onAMD64 && useVectors {
		done = len(hashes) &^ 7
		placeHashesVector(f, hashes[:done], keyBits, bucketBits, len(lines))
	}
	for i, h := range hashes[done:] {
		bucket := uint32(h >> ((64 - bucketBits) & 63))
		i += done
		f.lines[i] = uint32(LineOf(bucket, bucketBits, len(lines))) << 6
		f.keys[i] = KeyOf(bucket)
		f.Queries[i] = Query(i, h>>((64-keyBits)&63))
	}
	if onAMD64 && useVectors {
		return findRowsVector(f, len(hashes), lines, &packOrders, entries, &soon.Rows)
	}
	return f.findRows(len(hashes), lines)
}

// Query returns a key and its place among the hashes: its tag, which is its last 16 bits, and, 16 bits higher, the
// place.
func Query(place int, key uint64) uint32 { return uint32(place)<<16 | uint32(uint16(key)) }

// QueryPlace returns the place of a query.
func QueryPlace(query uint32) int { return int(query >> 16) }

// QueryTag returns the tag of a query.
func QueryTag(query uint32) uint16 { return uint16(query) }

// findRows finds the rows of hashes whose lines, keys and queries are known.
func (f *Found) findRows(size int, lines []BucketLine) (n int) {
	for i, at := range f.lines[:size] {
		line := &lines[at>>6]
		f.Queries[n] = f.Queries[i]
		if line.First >= MoreRows {
			f.Rows[n] = line.First
			n++
			continue
		}
		if place := line.place(f.keys[i]); place >= 0 {
			f.Rows[n] = line.First + uint32(place)
			n++
		}
	}
	return n
}

// place returns where a line has a key, or -1. Most that are asked for are not there, so four at a time are compared
// until one is: halves of 16 bits less 1 have a sign that they had not before if they were 0.
func (l *BucketLine) place(key uint16) int {
	const ones = 0x0001_0001_0001_0001
	fours := (*[LineKeys/4 + 1]uint64)(unsafe.Pointer(l)) // and First
	keys := uint64(key) * ones
	equal := uint64(0)
	for _, four := range fours {
		differ := four ^ keys
		equal |= (differ - ones) &^ differ
	}
	if equal&(ones<<15) == 0 {
		return -1
	}
	return slices.Index(l.Keys[:], key)
}
