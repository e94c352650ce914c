package kernels

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// bucketLines are so many lines of about one bucket in several, and the rows of buckets.
func bucketLines(r *rand.Rand, bucketBits, n, of int) ([]BucketLine, map[uint64]uint32) {
	lines, rows := make([]BucketLine, n), map[uint64]uint32{}
	for i := range lines {
		for k := range lines[i].Keys {
			lines[i].Keys[k] = NoKey
		}
	}
	at, first := -1, uint32(0)
	for bucket := range uint32(1) << bucketBits {
		if r.IntN(of) > 0 {
			continue
		}
		row := uint32(len(rows))
		rows[uint64(bucket)] = row
		if line := LineOf(bucket, bucketBits, n); line != at {
			at, first = line, row
			lines[at].First = first
		}
		if place := row - first; place < LineKeys {
			lines[at].Keys[place] = KeyOf(bucket)
		} else {
			lines[at].First = MoreRows
		}
	}
	return lines, rows
}

// referenceFind is Find by a map.
func referenceFind(hashes []uint64, keyBits, bucketBits int, lines []BucketLine, rows map[uint64]uint32) (found, queries []uint32) {
	for place, h := range hashes {
		bucket := h >> (64 - bucketBits)
		row, ok := rows[bucket]
		if lines[LineOf(uint32(bucket), bucketBits, len(lines))].First >= MoreRows {
			row, ok = MoreRows, true
		}
		if ok {
			found = append(found, row)
			queries = append(queries, uint32(place)<<16|uint32(uint16(h>>(64-keyBits))))
		}
	}
	return found, queries
}

func TestFind(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(51, 52))
		f := new(Found) // of one test after the other, as it is used
		for n := range 600 {
			bucketBits := 1 + r.IntN(12)
			if n%8 == 0 {
				bucketBits = KeyBits + r.IntN(4)
			}
			keyBits := bucketBits + r.IntN(17)
			least := max(1, 1<<bucketBits>>min(7, KeyBits))
			lines, rows := bucketLines(r, bucketBits, least+r.IntN(1<<bucketBits-least+1), 1+r.IntN(6))
			lines, linesIntact := guardedCopy(lines)
			size := n % 131
			if n%50 == 0 {
				size = LookupBlock
			}
			hashes, hashesIntact := guarded[uint64](size, guardID)
			for i := range hashes {
				hashes[i] = r.Uint64()<<(64-bucketBits) | r.Uint64()>>bucketBits
			}
			want, wantFrom := referenceFind(hashes, keyBits, bucketBits, lines, rows)
			got := f.Find(hashes, keyBits, bucketBits, lines, nil, f)
			for k, row := range f.Rows[:got] {
				if row >= MoreRows {
					f.Rows[k] = MoreRows
				}
			}
			if !slices.Equal(f.Rows[:got], want) || !slices.Equal(f.Queries[:got], wantFrom) {
				t.Fatalf("%d hashes, %d bits, %d lines, %d rows: rows %v, of %x, want %v, of %x", size, bucketBits, len(lines), len(rows), f.Rows[:got], f.Queries[:got], want, wantFrom)
			}
			if !hashesIntact() || !linesIntact() {
				t.Fatal("something outside the slices was written")
			}
		}
	})
}

// guardedCopy is a copy that is guarded.
func guardedCopy(lines []BucketLine) (copied []BucketLine, intact func() bool) {
	copied, intact = guarded[BucketLine](len(lines), BucketLine{First: guardID})
	copy(copied, lines)
	return copied, intact
}

// TestFindFewLines has the fewest lines and the largest buckets.
func TestFindFewLines(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		const bits = 32
		lines := make([]BucketLine, 1<<(bits-KeyBits))
		for i := range lines {
			for k := range lines[i].Keys {
				lines[i].Keys[k] = NoKey
			}
			lines[i].First = uint32(i)
			lines[i].Keys[0] = KeyOf(uint32(i+1)<<KeyBits - 1)
		}
		var hashes []uint64
		for i := range LookupBlock {
			bucket := uint32((i*127+1)<<KeyBits - 1 - i%2)
			hashes = append(hashes, uint64(bucket)<<32)
		}
		f := new(Found)
		n := f.Find(hashes, bits, bits, lines, nil, f)
		if n != LookupBlock/2 {
			t.Fatalf("%d rows, want half of %d", n, LookupBlock)
		}
		for k, row := range f.Rows[:n] {
			if row != uint32(2*k*127) || f.Queries[k] != Query(2*k, hashes[2*k]>>32) {
				t.Fatalf("row %d of %x, want %d", row, f.Queries[k], 2*k*127)
			}
		}
	})
}

func BenchmarkFind(b *testing.B) {
	r := rand.New(rand.NewPCG(53, 54))
	const bucketBits, document = 24, 512
	for _, size := range []int{10_000, 100_000, 300_000, 1_000_000} {
		lines, rows := bucketLines(r, bucketBits, max(size/18, 1<<(bucketBits-KeyBits)), 1<<bucketBits/size)
		known := slices.Collect(maps.Keys(rows))
		hashes := make([]uint64, 1<<16)
		for i := range hashes {
			if hashes[i] = r.Uint64(); i%2 == 0 {
				hashes[i] = known[r.IntN(len(known))] << (64 - bucketBits)
			}
		}
		f := new(Found)
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			eachImplementationOf(b, func(b *testing.B) {
				at := 0
				for b.Loop() {
					f.Find(hashes[at:][:document], bucketBits, bucketBits, lines, nil, f)
					at = (at + document) % len(hashes)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/document, "ns/hash")
			})
		})
	}
}

// eachImplementationOf runs a benchmark with each implementation.
func eachImplementationOf(b *testing.B, run func(b *testing.B)) {
	before := Active()
	b.Cleanup(func() { mustUse(b, before) })
	for _, name := range Implementations() {
		b.Run(name, func(b *testing.B) {
			mustUse(b, name)
			run(b)
		})
	}
}
