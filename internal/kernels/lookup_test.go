package kernels

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// bucketRow is a row of a bucket, which has a tag or 0.
type bucketRow struct{ row, tag uint32 }

// tagLines are lines of about one bucket in so many, and the rows of buckets.
func tagLines(r *rand.Rand, bucketBits, lineBits, of int, tags uint32) ([]TagLine, map[uint64]bucketRow) {
	lines, rows := make([]TagLine, 1<<lineBits), map[uint64]bucketRow{}
	subBits := bucketBits - lineBits
	for i := range lines {
		line := &lines[i]
		for k := range line.Keys {
			line.Keys[k] = NoKey
		}
		line.Rank = uint32(len(rows))
		n := 0
		for sub := range 1 << subBits {
			if r.IntN(of) > 0 {
				continue
			}
			tag := r.Uint32N(tags)
			rows[uint64(i<<subBits|sub)] = bucketRow{uint32(len(rows)), tag}
			if n < LineKeys {
				line.Keys[n] = uint32(sub)<<16 | tag
			}
			n++
		}
		if n > LineKeys {
			line.Rank |= MoreRows
		}
	}
	return lines, rows
}

// referenceFind is FindRows by a map.
func referenceFind(hashes []uint64, bucketBits, lineBits int, lines []TagLine, rows map[uint64]bucketRow) (found, queries []uint32) {
	for place, h := range hashes {
		own := uint32(max(uint16(h), 1))
		row, ok := rows[h>>(64-bucketBits)]
		switch {
		case ok && (row.tag == 0 || row.tag == own) && row.row-lines[h>>(64-lineBits)].Rank&^MoreRows < LineKeys:
			found = append(found, row.row)
		case lines[h>>(64-lineBits)].Rank >= MoreRows:
			found = append(found, MoreRows)
		default:
			continue
		}
		queries = append(queries, uint32(place)<<16|own)
	}
	return found, queries
}

func TestFindRows(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(51, 52))
		for n := range 400 {
			bucketBits := 1 + r.IntN(12)
			lineBits := max(1, bucketBits-r.IntN(7))
			lines, rows := tagLines(r, bucketBits, lineBits, 1+r.IntN(6), 4)
			lines, linesIntact := guardedCopy(lines)
			hashes, hashesIntact := guarded[uint64](n%131, guardID)
			for i := range hashes {
				hashes[i] = r.Uint64()<<(64-bucketBits) | uint64(r.IntN(4))
			}
			dst, dstIntact := guarded[uint32](n%131, guardID)
			from, fromIntact := guarded[uint32](n%131, guardID)
			want, wantFrom := referenceFind(hashes, bucketBits, lineBits, lines, rows)
			got := FindRows(dst, from, hashes, bucketBits, lineBits, lines, nil)
			for k, row := range dst[:got] {
				if row >= MoreRows {
					dst[k] = MoreRows
				}
			}
			if !slices.Equal(dst[:got], want) || !slices.Equal(from[:got], wantFrom) {
				t.Fatalf("%d hashes, %d bits, %d of lines, %d rows: rows %v, of %x, want %v, of %x", n%131, bucketBits, lineBits, len(rows), dst[:got], from[:got], want, wantFrom)
			}
			if !hashesIntact() || !dstIntact() || !fromIntact() || !linesIntact() {
				t.Fatal("something outside the slices was written")
			}
		}
	})
}

// guardedCopy is a copy that is guarded.
func guardedCopy(lines []TagLine) (copied []TagLine, intact func() bool) {
	copied, intact = guarded[TagLine](len(lines), TagLine{Rank: guardID})
	copy(copied, lines)
	return copied, intact
}

// TestFindRowsMost has the most hashes, all of them known.
func TestFindRowsMost(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		lines, _ := tagLines(rand.New(rand.NewPCG(55, 56)), 8, 5, 1, 1)
		dst, from := make([]uint32, maxLookup), make([]uint32, maxLookup)
		if n := FindRows(dst, from, make([]uint64, maxLookup), 8, 5, lines, nil); n != maxLookup {
			t.Fatalf("%d of %d are known", n, maxLookup)
		}
		for place, query := range from {
			if int(query>>16) != place || QueryTag(query) != 1 {
				t.Fatalf("row %d has the place %d and the tag %d", place, query>>16, QueryTag(query))
			}
		}
	})
}

func TestFindRowsPanic(t *testing.T) {
	dst, hashes, lines := make([]uint32, 9), make([]uint64, 9), make([]TagLine, 8)
	for name, call := range map[string]func(){
		"too little room":         func() { FindRows(dst[:8], dst, hashes, 8, 3, lines, nil) },
		"too few queries":         func() { FindRows(dst, dst[:8], hashes, 8, 3, lines, nil) },
		"too few lines":           func() { FindRows(dst, dst, hashes, 9, 4, lines, nil) },
		"no bits":                 func() { FindRows(dst, dst, hashes, 8, 0, lines, nil) },
		"more lines than buckets": func() { FindRows(dst, dst, hashes, 2, 3, lines, nil) },
		"too many bits":           func() { FindRows(dst, dst, hashes, 33, 3, lines, nil) },
		"too long keys":           func() { FindRows(dst, dst, hashes, 19, 3, lines, nil) },
		"too many hashes": func() {
			FindRows(make([]uint32, maxLookup+1), make([]uint32, maxLookup+1), make([]uint64, maxLookup+1), 8, 3, lines, nil)
		},
	} {
		if panics(call) == "" {
			t.Errorf("no panic of %s", name)
		}
	}
}

// TestSumDistinct holds sums against those of a map.
func TestSumDistinct(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(61, 62))
		for n := range 300 {
			size := 1 + r.IntN(200)
			entries, entriesIntact := guarded[Entry](size, Entry{Content: guardID})
			seen, seenIntact := guarded[uint64]((size+63)/64, guardID)
			rows, rowsIntact := guarded[uint32](n, guardID)
			for i := range entries {
				entries[i] = Entry{math.Float32bits(float32(r.NormFloat64())), r.Float32() * 3}
			}
			clear(seen)
			had := map[uint32]bool{}
			for row := range uint32(size) {
				if r.IntN(8) == 0 {
					had[row] = true
					seen[row/64] |= 1 << (row % 64)
				}
			}
			weights, squares, distinct := r.NormFloat64(), r.Float64(), 0
			wantW, wantS := weights, squares
			for i := range rows {
				rows[i] = r.Uint32N(uint32(size))
				if e := entries[rows[i]]; !had[rows[i]] {
					had[rows[i]] = true
					distinct++
					wantW += float64(math.Float32frombits(e.Content))
					wantS += float64(float64(e.Ratio) * float64(e.Ratio))
				}
			}
			w, s, got := SumDistinct(seen, rows, entries, weights, squares)
			if w != wantW || s != wantS || got != distinct {
				t.Fatalf("%d of %d rows: sums %v, %v of %d, want %v, %v of %d", n, size, w, s, got, wantW, wantS, distinct)
			}
			for row := range uint32(size) {
				if is := seen[row/64]>>(row%64)&1 == 1; is != had[row] {
					t.Fatalf("row %d was seen: %v", row, is)
				}
			}
			if !entriesIntact() || !seenIntact() || !rowsIntact() {
				t.Fatal("something outside the slices was written")
			}
		}
	})
}

func TestSumDistinctPanic(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		for name, call := range map[string]func(){
			"a row without an entry": func() { SumDistinct(make([]uint64, 2), []uint32{3, 66}, make([]Entry, 66), 0, 0) },
			"too few bits":           func() { SumDistinct(make([]uint64, 1), []uint32{3}, make([]Entry, 66), 0, 0) },
		} {
			if panics(call) == "" {
				t.Errorf("no panic of %s", name)
			}
		}
	})
}

func BenchmarkSumDistinct(b *testing.B) {
	r := rand.New(rand.NewPCG(63, 64))
	const document = 512
	seen, rows, entries := make([]uint64, 1<<10), make([]uint32, document), make([]Entry, 1<<16)
	for i := range rows {
		rows[i] = r.Uint32N(1 << 16)
	}
	before := Active()
	b.Cleanup(func() { mustUse(b, before) })
	for _, name := range Implementations() {
		b.Run(name, func(b *testing.B) {
			mustUse(b, name)
			for b.Loop() {
				SumDistinct(seen, rows, entries, 0, 0)
				for _, row := range rows {
					seen[row/64] = 0
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/document, "ns/row")
		})
	}
}

func BenchmarkFindRows(b *testing.B) {
	r := rand.New(rand.NewPCG(53, 54))
	const bucketBits, lineBits, document = 22, 16, 512
	lines, rows := tagLines(r, bucketBits, lineBits, 10, 1)
	hashes := make([]uint64, 1<<16)
	for i := range hashes {
		hashes[i] = r.Uint64()
		for i%2 == 0 { // a known one
			if _, ok := rows[hashes[i]>>(64-bucketBits)]; ok {
				break
			}
			hashes[i] = r.Uint64()
		}
	}
	dst, queries, entries := make([]uint32, document), make([]uint32, document), make([]Entry, len(rows))
	before := Active()
	b.Cleanup(func() { mustUse(b, before) })
	for _, name := range Implementations() {
		b.Run(name, func(b *testing.B) {
			mustUse(b, name)
			at := 0
			for b.Loop() {
				FindRows(dst, queries, hashes[at:][:document], bucketBits, lineBits, lines, entries)
				at = (at + document) % len(hashes)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/document, "ns/hash")
		})
	}
}
