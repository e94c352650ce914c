package kernels

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestDistinct holds the rows that are kept, and sums, against those of a map, over so many documents that their
// numbers come again.
func TestDistinct(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(61, 62))
		for range 3 {
			size := 1 + r.IntN(200)
			entries, entriesIntact := guarded[Entry](size, Entry{Content: guardID})
			for i := range entries {
				entries[i] = Entry{math.Float32bits(float32(r.NormFloat64())), r.Float32() * 3, uint32(r.IntN(3))}
			}
			checks := distinctChecks{entries, NewSeen(size), NewSeen(size)}
			for n := range 300 {
				rows, rowsIntact := guarded[uint32](n, guardID)
				queries, queriesIntact := guarded[uint32](n, guardID)
				for i := range rows {
					rows[i] = r.Uint32N(uint32(size))
					queries[i] = Query(i, uint64(entries[rows[i]].Tag))
				}
				done := n
				if n%5 == 4 {
					done = r.IntN(n)
					if row := []uint32{uint32(size), MoreRows, 1<<32 - 1, rows[done]}[r.IntN(4)]; row == rows[done] {
						queries[done] ^= 1 // another tag
					} else {
						rows[done] = row
					}
				}
				checks.document(t, r, rows, queries, done)
				if !entriesIntact() || !rowsIntact() || !queriesIntact() {
					t.Fatal("something outside the slices was written")
				}
			}
		}
	})
}

// distinctChecks are a table, and what its rows were seen by.
type distinctChecks struct {
	entries      []Entry
	tagged, sums *Seen
}

// document checks the rows of a document, of which so many come before the first that has no entry or another tag, in
// two parts.
func (c *distinctChecks) document(t *testing.T, r *rand.Rand, rows, queries []uint32, done int) {
	t.Helper()
	had := map[uint32]bool{}
	cut := r.IntN(done + 1)
	for part, bounds := range [][2]int{{0, cut}, {cut, len(rows)}} {
		rows, queries, done := rows[bounds[0]:bounds[1]], queries[bounds[0]:bounds[1]], min(done, bounds[1])-bounds[0]
		w, q := r.NormFloat64(), r.Float64()
		wantW, wantQ := w, q
		var want []uint32
		for _, row := range rows[:done] {
			if !had[row] {
				had[row] = true
				want = append(want, row)
				e := c.entries[row]
				wantW += float64(math.Float32frombits(e.Content))
				wantQ += float64(float64(e.Ratio) * float64(e.Ratio))
			}
		}
		gotW, gotQ, n, d := c.sums.SumDistinct(rows, queries, c.entries, w, q)
		if gotW != wantW || gotQ != wantQ || n != len(want) || d != done {
			t.Fatalf("part %d, %d of %d rows: sums %v, %v of %d, want %v, %v of %d", part, d, len(rows), gotW, gotQ, n, wantW, wantQ, len(want))
		}
		kept, keptIntact := guarded[uint32](len(rows), guardID)
		if n, d = c.tagged.KeepDistinct(kept, rows, queries, c.entries); !slices.Equal(kept[:n], want) || d != done || !keptIntact() {
			t.Fatalf("part %d, %d of %d rows: %d kept of the table, want %d", part, d, len(rows), kept[:n], want)
		}
	}
	for _, s := range []*Seen{c.tagged, c.sums} {
		s.Next()
	}
}

func BenchmarkDistinct(b *testing.B) {
	r := rand.New(rand.NewPCG(63, 64))
	const document, size = 512, 1 << 16
	seen, entries := NewSeen(size), make([]Entry, size)
	rows, queries, kept := make([]uint32, 64*document), make([]uint32, document), make([]uint32, document)
	for i := range rows {
		rows[i] = r.Uint32N(size)
	}
	eachImplementationOf(b, func(b *testing.B) {
		for name, take := range map[string]func(rows []uint32){
			"keep": func(rows []uint32) { seen.KeepDistinct(kept, rows, queries, entries) },
			"sum":  func(rows []uint32) { seen.SumDistinct(rows, queries, entries, 0, 0) },
		} {
			b.Run(name, func(b *testing.B) {
				for n := 0; b.Loop(); n++ {
					take(rows[n%64*document:][:document])
					seen.Next()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/document, "ns/row")
			})
		}
	})
}
