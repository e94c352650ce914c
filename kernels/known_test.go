package kernels

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// knownCells are cells of about one bucket in so many.
func knownCells(r *rand.Rand, topBits, of int) (cells []Cell, rows int) {
	cells = make([]Cell, (1<<topBits+CellBuckets-1)/CellBuckets)
	for i := range cells {
		for b := range min(CellBuckets, 1<<topBits) {
			if r.IntN(of) == 0 {
				cells[i].Known |= 1 << b
			}
		}
		cells[i].Rows = uint32(rows)
		rows += bits.OnesCount32(cells[i].Known)
	}
	return cells, rows
}

// referenceKnown is KnownRows by its words.
func referenceKnown(hashes []uint64, topBits int, cells []Cell, records []Record) (rows, origins []uint32) {
	for place, h := range hashes {
		bucket := h >> (64 - topBits)
		cell := cells[bucket/CellBuckets]
		if cell.Known>>(bucket%CellBuckets)&1 == 0 {
			continue
		}
		row := int(cell.Rows)
		for b := range bucket % CellBuckets {
			row += int(cell.Known >> b & 1)
		}
		own := uint32(uint16(h))
		if own == 0 {
			own = 1
		}
		if row < len(records) && (records[row].Tag == 0 || records[row].Tag == own) {
			rows, origins = append(rows, uint32(row)), append(origins, uint32(place)<<16|own)
		}
	}
	return rows, origins
}

func TestKnownRows(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(51, 52))
		for n := range 400 {
			topBits := 1 + r.IntN(14)
			cells, rows := knownCells(r, topBits, 1+r.IntN(8))
			records, recordsIntact := guarded[Record](max(rows-n%5%2*r.IntN(9), 0), Record{1, 1, 1}) // of some too few
			for i := range records {
				records[i].Tag = uint32(r.IntN(4))
			}
			hashes, hashesIntact := guarded[uint64](n%131, guardID)
			for i := range hashes {
				hashes[i] = r.Uint64()<<(64-topBits) | uint64(r.IntN(4))
			}
			dst, dstIntact := guarded[uint32](n%131, guardID)
			from, fromIntact := guarded[uint32](n%131, guardID)
			want, wantFrom := referenceKnown(hashes, topBits, cells, records)
			if got := KnownRows(dst, from, hashes, topBits, cells, records); !slices.Equal(dst[:got], want) || !slices.Equal(from[:got], wantFrom) {
				t.Fatalf("%d hashes, %d bits, %d rows, %d records: rows %v, of %x, want %v, of %x", n%131, topBits, rows, len(records), dst[:got], from[:got], want, wantFrom)
			}
			if !hashesIntact() || !dstIntact() || !fromIntact() || !recordsIntact() {
				t.Fatal("something outside the slices was written")
			}
		}
	})
}

// TestKnownRowsMost has the most hashes, all of them known.
func TestKnownRowsMost(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		cells, rows := knownCells(rand.New(rand.NewPCG(55, 56)), 8, 1)
		dst, from := make([]uint32, MaxKnown), make([]uint32, MaxKnown)
		if n := KnownRows(dst, from, make([]uint64, MaxKnown), 8, cells, make([]Record, rows)); n != MaxKnown {
			t.Fatalf("%d of %d are known", n, MaxKnown)
		}
		for place, origin := range from {
			if OriginPlace(origin) != place || OriginTag(origin) != 1 {
				t.Fatalf("row %d has the place %d and the tag %d", place, OriginPlace(origin), OriginTag(origin))
			}
		}
	})
}

func TestKnownRowsPanic(t *testing.T) {
	dst, hashes, cells, records := make([]uint32, 9), make([]uint64, 9), make([]Cell, 8), make([]Record, 9)
	for name, call := range map[string]func(){
		"too little room": func() { KnownRows(dst[:8], dst, hashes, 8, cells, records) },
		"too few origins": func() { KnownRows(dst, dst[:8], hashes, 8, cells, records) },
		"too few cells":   func() { KnownRows(dst, dst, hashes, 9, cells, records) },
		"no bits":         func() { KnownRows(dst, dst, hashes, 0, cells, records) },
		"too many bits":   func() { KnownRows(dst, dst, hashes, 33, cells, records) },
		"too many hashes": func() {
			KnownRows(make([]uint32, MaxKnown+1), make([]uint32, MaxKnown+1), make([]uint64, MaxKnown+1), 8, cells, records)
		},
	} {
		if panics(call) == "" {
			t.Errorf("no panic of %s", name)
		}
	}
}

func BenchmarkKnownRows(b *testing.B) {
	r := rand.New(rand.NewPCG(53, 54))
	const topBits, document = 22, 512
	cells, rows := knownCells(r, topBits, 10)
	records := make([]Record, rows)
	hashes := make([]uint64, 1<<16)
	for i := range hashes {
		hashes[i] = r.Uint64()
		if i%2 == 0 { // a known one
			for cells[hashes[i]>>(64-topBits)/CellBuckets].Known>>(hashes[i]>>(64-topBits)%CellBuckets)&1 == 0 {
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
				KnownRows(dst, tags, hashes[at:][:document], topBits, cells, records)
				at = (at + document) % len(hashes)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/document, "ns/hash")
		})
	}
}
