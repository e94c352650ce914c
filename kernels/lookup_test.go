package kernels

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// rankWords are words of about one bucket in so many.
func rankWords(r *rand.Rand, topBits, of int) (words []RankWord, rows int) {
	words = make([]RankWord, (1<<topBits+RankBuckets-1)/RankBuckets)
	for i := range words {
		for b := range min(RankBuckets, 1<<topBits) {
			if r.IntN(of) == 0 {
				words[i].Bits |= 1 << b
			}
		}
		words[i].Rank = uint32(rows)
		rows += bits.OnesCount32(words[i].Bits)
	}
	return words, rows
}

// referenceLookup is LookupRows by its words.
func referenceLookup(hashes []uint64, topBits int, words []RankWord, entries []Entry) (rows, queries []uint32) {
	for place, h := range hashes {
		bucket := h >> (64 - topBits)
		word := words[bucket/RankBuckets]
		if word.Bits>>(bucket%RankBuckets)&1 == 0 {
			continue
		}
		row := int(word.Rank)
		for b := range bucket % RankBuckets {
			row += int(word.Bits >> b & 1)
		}
		own := uint32(uint16(h))
		if own == 0 {
			own = 1
		}
		if row < len(entries) && (entries[row].Tag == 0 || entries[row].Tag == own) {
			rows, queries = append(rows, uint32(row)), append(queries, uint32(place)<<16|own)
		}
	}
	return rows, queries
}

func TestLookupRows(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(51, 52))
		for n := range 400 {
			topBits := 1 + r.IntN(14)
			words, rows := rankWords(r, topBits, 1+r.IntN(8))
			entries, entriesIntact := guarded[Entry](max(rows-n%5%2*r.IntN(9), 0), Entry{1, 1, 1}) // of some too few
			for i := range entries {
				entries[i].Tag = uint32(r.IntN(4))
			}
			hashes, hashesIntact := guarded[uint64](n%131, guardID)
			for i := range hashes {
				hashes[i] = r.Uint64()<<(64-topBits) | uint64(r.IntN(4))
			}
			dst, dstIntact := guarded[uint32](n%131, guardID)
			from, fromIntact := guarded[uint32](n%131, guardID)
			want, wantFrom := referenceLookup(hashes, topBits, words, entries)
			if got := LookupRows(dst, from, hashes, topBits, words, entries); !slices.Equal(dst[:got], want) || !slices.Equal(from[:got], wantFrom) {
				t.Fatalf("%d hashes, %d bits, %d rows, %d entries: rows %v, of %x, want %v, of %x", n%131, topBits, rows, len(entries), dst[:got], from[:got], want, wantFrom)
			}
			if !hashesIntact() || !dstIntact() || !fromIntact() || !entriesIntact() {
				t.Fatal("something outside the slices was written")
			}
		}
	})
}

// TestLookupRowsMost has the most hashes, all of them known.
func TestLookupRowsMost(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		words, rows := rankWords(rand.New(rand.NewPCG(55, 56)), 8, 1)
		dst, from := make([]uint32, maxLookup), make([]uint32, maxLookup)
		if n := LookupRows(dst, from, make([]uint64, maxLookup), 8, words, make([]Entry, rows)); n != maxLookup {
			t.Fatalf("%d of %d are known", n, maxLookup)
		}
		for place, query := range from {
			if int(query>>16) != place || QueryTag(query) != 1 {
				t.Fatalf("row %d has the place %d and the tag %d", place, query>>16, QueryTag(query))
			}
		}
	})
}

func TestLookupRowsPanic(t *testing.T) {
	dst, hashes, words, entries := make([]uint32, 9), make([]uint64, 9), make([]RankWord, 8), make([]Entry, 9)
	for name, call := range map[string]func(){
		"too little room": func() { LookupRows(dst[:8], dst, hashes, 8, words, entries) },
		"too few queries": func() { LookupRows(dst, dst[:8], hashes, 8, words, entries) },
		"too few words":   func() { LookupRows(dst, dst, hashes, 9, words, entries) },
		"no bits":         func() { LookupRows(dst, dst, hashes, 0, words, entries) },
		"too many bits":   func() { LookupRows(dst, dst, hashes, 33, words, entries) },
		"too many hashes": func() {
			LookupRows(make([]uint32, maxLookup+1), make([]uint32, maxLookup+1), make([]uint64, maxLookup+1), 8, words, entries)
		},
	} {
		if panics(call) == "" {
			t.Errorf("no panic of %s", name)
		}
	}
}

func BenchmarkLookupRows(b *testing.B) {
	r := rand.New(rand.NewPCG(53, 54))
	const topBits, document = 22, 512
	words, rows := rankWords(r, topBits, 10)
	entries := make([]Entry, rows)
	hashes := make([]uint64, 1<<16)
	for i := range hashes {
		hashes[i] = r.Uint64()
		if i%2 == 0 { // a known one
			for words[hashes[i]>>(64-topBits)/RankBuckets].Bits>>(hashes[i]>>(64-topBits)%RankBuckets)&1 == 0 {
				hashes[i] = r.Uint64()
			}
		}
	}
	dst, tags := make([]uint32, document), make([]uint32, document)
	before := Active()
	b.Cleanup(func() { mustUse(b, before) })
	for _, name := range Implementations() {
		b.Run(name, func(b *testing.B) {
			mustUse(b, name)
			at := 0
			for b.Loop() {
				LookupRows(dst, tags, hashes[at:][:document], topBits, words, entries)
				at = (at + document) % len(hashes)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/document, "ns/hash")
		})
	}
}
