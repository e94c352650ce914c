package kernels

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// bucketLines are so many lines of about one bucket in several, and the rows of buckets.
func bucketLines(r *rand.Rand, bucketBits, n, of int) ([]BucketLine, map[uint64]uint32) {
	lines, rows := make([]BucketLine, n), map[uint64]uint32{}
	bucket := uint32(0)
	for i := range lines {
		line := &lines[i]
		for k := range line.Keys {
			line.Keys[k] = NoKey
		}
		line.Rank = uint32(len(rows))
		n := 0
		for ; bucket < 1<<bucketBits && LineOf(bucket, bucketBits, len(lines)) == i; bucket++ {
			if r.IntN(of) > 0 {
				continue
			}
			rows[uint64(bucket)] = uint32(len(rows))
			if n < LineKeys {
				line.Keys[n] = KeyOf(bucket)
			}
			n++
		}
		if n > LineKeys {
			line.Rank |= MoreRows
		}
	}
	return lines, rows
}

// referenceFind is Find by a map.
func referenceFind(hashes []uint64, bucketBits int, lines []BucketLine, rows map[uint64]uint32) (found, queries []uint32) {
	for place, h := range hashes {
		bucket := h >> (64 - bucketBits)
		row, ok := rows[bucket]
		if lines[LineOf(uint32(bucket), bucketBits, len(lines))].Rank >= MoreRows {
			row, ok = MoreRows, true
		}
		if ok {
			found = append(found, row)
			queries = append(queries, uint32(place)<<16|uint32(max(uint16(h), 1)))
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
			least := max(1, 1<<bucketBits>>min(7, KeyBits))
			lines, rows := bucketLines(r, bucketBits, least+r.IntN(1<<bucketBits-least+1), 1+r.IntN(6))
			lines, linesIntact := guardedCopy(lines)
			size := n % 131
			if n%50 == 0 {
				size = LookupBlock
			}
			hashes, hashesIntact := guarded[uint64](size, guardID)
			for i := range hashes {
				hashes[i] = r.Uint64()<<(64-bucketBits) | uint64(r.IntN(4))
			}
			want, wantFrom := referenceFind(hashes, bucketBits, lines, rows)
			got := f.Find(hashes, bucketBits, lines, nil)
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
	copied, intact = guarded[BucketLine](len(lines), BucketLine{Rank: guardID})
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
			lines[i].Rank = uint32(i)
			lines[i].Keys[0] = KeyOf(uint32(i+1)<<KeyBits - 1)
		}
		var hashes []uint64
		for i := range LookupBlock {
			bucket := uint32((i*127+1)<<KeyBits - 1 - i%2)
			hashes = append(hashes, uint64(bucket)<<32)
		}
		f := new(Found)
		n := f.Find(hashes, bits, lines, nil)
		if n != LookupBlock/2 {
			t.Fatalf("%d rows, want half of %d", n, LookupBlock)
		}
		for k, row := range f.Rows[:n] {
			if row != uint32(2*k*127) || f.Queries[k] != Query(2*k, 0) {
				t.Fatalf("row %d of %x, want %d", row, f.Queries[k], 2*k*127)
			}
		}
	})
}

func TestFindPanic(t *testing.T) {
	f, hashes, lines := new(Found), make([]uint64, 9), make([]BucketLine, 8)
	for name, call := range map[string]func(){
		"no lines":                func() { f.Find(hashes, 9, nil, nil) },
		"too few lines":           func() { f.Find(hashes, 19, lines, nil) },
		"no bits":                 func() { f.Find(hashes, 0, lines[:1], nil) },
		"more lines than buckets": func() { f.Find(hashes, 2, lines, nil) },
		"too many bits":           func() { f.Find(hashes, 33, make([]BucketLine, 1<<18), nil) },
		"too many hashes":         func() { f.Find(make([]uint64, LookupBlock+1), 8, lines, nil) },
	} {
		if panics(call) == "" {
			t.Errorf("no panic of %s", name)
		}
	}
}

// TestDistinct holds the rows that are kept, and sums, against those of a map.
func TestDistinct(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(61, 62))
		for n := range 300 {
			size := 1 + r.IntN(200)
			entries, entriesIntact := guarded[Entry](size, Entry{Content: guardID})
			rows, rowsIntact := guarded[uint32](n, guardID)
			queries, queriesIntact := guarded[uint32](n, guardID)
			for i := range entries {
				entries[i] = Entry{math.Float32bits(float32(r.NormFloat64())), r.Float32() * 3, uint32(r.IntN(3))}
			}
			before := make([]uint64, (size+63)/64)
			had := map[uint32]bool{}
			for row := range uint32(size) {
				if r.IntN(8) == 0 {
					had[row] = true
					before[row/64] |= 1 << (row % 64)
				}
			}
			weights, squares := r.NormFloat64(), r.Float64()
			wantW, wantS, want, wantDone := weights, squares, []uint32(nil), n
			for i := range rows {
				rows[i], queries[i] = r.Uint32N(uint32(size)), Query(i, uint64(1+r.IntN(2)))
				if n%5 == 0 && wantDone == n && r.IntN(n+1) == 0 {
					rows[i], wantDone = []uint32{uint32(size), MoreRows, 1<<32 - 1}[r.IntN(3)], i
				}
				if wantDone < n {
					continue
				}
				if e := entries[rows[i]]; !had[rows[i]] && (e.Tag == 0 || e.Tag == uint32(QueryTag(queries[i]))) {
					had[rows[i]] = true
					want = append(want, rows[i])
					wantW += float64(math.Float32frombits(e.Content))
					wantS += float64(float64(e.Ratio) * float64(e.Ratio))
				}
			}
			check := func(seen []uint64, seenIntact func() bool) {
				for row := range uint32(size) {
					if is := seen[row/64]>>(row%64)&1 == 1; is != had[row] {
						t.Fatalf("row %d was seen: %v", row, is)
					}
				}
				if !entriesIntact() || !seenIntact() || !rowsIntact() || !queriesIntact() {
					t.Fatal("something outside the slices was written")
				}
			}
			seen, seenIntact := guarded[uint64](len(before), guardID)
			copy(seen, before)
			w, s, got, done := SumDistinct(seen, rows, queries, entries, weights, squares)
			if w != wantW || s != wantS || got != len(want) || done != wantDone {
				t.Fatalf("%d of %d rows: sums %v, %v of %d, want %v, %v of %d", done, size, w, s, got, wantW, wantS, len(want))
			}
			check(seen, seenIntact)
			copy(seen, before)
			kept, keptIntact := guarded[uint32](n, guardID)
			got, done = KeepDistinct(kept, seen, rows, queries, entries)
			if !slices.Equal(kept[:got], want) || done != wantDone {
				t.Fatalf("%d of %d rows: %d kept, want %d", done, size, kept[:got], want)
			}
			check(seen, func() bool { return seenIntact() && keptIntact() })
		}
	})
}

func TestDistinctPanic(t *testing.T) {
	seen, rows, entries := make([]uint64, 1), []uint32{3, 66}, make([]Entry, 66)
	for name, call := range map[string]func(){
		"too few bits for sums": func() { SumDistinct(seen, rows, rows, entries, 0, 0) },
		"too few bits":          func() { KeepDistinct(rows, seen, rows, rows, entries) },
		"too few queries":       func() { SumDistinct(make([]uint64, 2), rows, rows[:1], entries, 0, 0) },
		"too little room":       func() { KeepDistinct(rows[:1], make([]uint64, 2), rows, rows, entries) },
	} {
		if panics(call) == "" {
			t.Errorf("no panic of %s", name)
		}
	}
}

func BenchmarkDistinct(b *testing.B) {
	r := rand.New(rand.NewPCG(63, 64))
	const document = 512
	seen, entries := make([]uint64, 1<<10), make([]Entry, 1<<16)
	rows, queries, kept := make([]uint32, document), make([]uint32, document), make([]uint32, document)
	for i := range rows {
		rows[i] = r.Uint32N(1 << 16)
	}
	eachImplementationOf(b, func(b *testing.B) {
		for name, take := range map[string]func(){
			"keep": func() { KeepDistinct(kept, seen, rows, queries, entries) },
			"sum":  func() { SumDistinct(seen, rows, queries, entries, 0, 0) },
		} {
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					take()
					for _, row := range rows {
						seen[row/64] = 0
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/document, "ns/row")
			})
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
		f, entries := new(Found), make([]Entry, len(rows))
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			eachImplementationOf(b, func(b *testing.B) {
				at := 0
				for b.Loop() {
					f.Find(hashes[at:][:document], bucketBits, lines, entries)
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
