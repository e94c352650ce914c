package kernels

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// queriesOf makes n queries of CountKeys with so many keys at most, the key 0 and the largest among them.
func queriesOf(r *rand.Rand, n, keys int) []uint64 {
	law := rand.NewZipf(r, 1.07, 8, uint64(keys-1))
	queries := make([]uint64, n)
	for i := range queries {
		key := Mix(law.Uint64()*0x9e3779b97f4a7c15) >> (64 - CountKeyBits)
		switch key % 64 {
		case 0:
			key = 0
		case 1:
			key = 1<<CountKeyBits - 1
		}
		owner := uint64(r.IntN(1 << OwnerBits))
		queries[i] = owner<<(64-OwnerBits) | key<<(64-OwnerBits-CountKeyBits)
	}
	return queries
}

// TestCountKeys counts keys in tables of all sizes and loads, to full counts and beyond, as a map does; all
// implementations leave the same table.
func TestCountKeys(t *testing.T) {
	var tables [][]CountLine
	eachImplementation(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(51, 52))
		for round := range 300 {
			table := countAndCheck(t, r)
			if len(tables) == round {
				tables = append(tables, table)
			} else if !slices.Equal(tables[round], table) {
				t.Fatalf("round %d: another table than that of the Go loop", round)
			}
		}
	})
}

// countAndCheck counts some keys, and returns the table.
func countAndCheck(t *testing.T, r *rand.Rand) []CountLine {
	queries := queriesOf(r, r.IntN(4000), 1+r.IntN(1+r.IntN(3000)))
	numbers, counts, want := map[uint32]uint32{}, map[uint32]int{}, make([]uint64, len(queries))
	first := uint32(r.IntN(1000))
	for i, q := range queries {
		key := KeyOfQuery(q)
		if counts[key]++; counts[key] == 1 {
			numbers[key] = first + uint32(len(numbers))
		}
		want[i] = uint64(numbers[key])<<32 | q>>(64-OwnerBits)
	}
	lines, secret := len(numbers)/countLanes+1+r.IntN(1+r.IntN(500)), r.Uint64()|1
	all := make([]CountLine, lines+2) // a line before and one behind, which stay empty
	table, next := all[1:lines+1], first
	carried := map[uint32]int{}
	for rest := queries; len(rest) > 0; {
		var done, full int
		if next, done, full = CountKeys(table, rest, secret, next); full < 0 && done < len(rest) {
			t.Fatalf("%d of %d queries are left", len(rest)-done, len(queries))
		}
		if rest = rest[done:]; full >= 0 {
			line, lane := &table[full/countLanes], full%countLanes
			if line.Counts[lane]&fullCount != fullCount {
				t.Fatalf("place %d is not full", full)
			}
			line.Counts[lane] -= 500
			carried[line.Keys[lane]-1] += 500
		}
	}
	if !slices.Equal(queries, want) || int(next-first) != len(numbers) {
		t.Fatalf("%d queries got other numbers than a map gives: %d of %d", len(queries), next-first, len(numbers))
	}
	for key, n := range counts {
		l, lane := FindKey(table, key, secret)
		line := &table[l]
		if line.Keys[lane] != key+1 || int(line.Counts[lane]&fullCount)+carried[key] != n || line.Counts[lane]>>CountBits != numbers[key] {
			t.Fatalf("key %d was counted %d times, want %d", key, int(line.Counts[lane]&fullCount)+carried[key], n)
		}
	}
	if all[0] != (CountLine{}) || all[lines+1] != (CountLine{}) {
		t.Fatal("written beside the table")
	}
	return table
}

func BenchmarkCountKeys(b *testing.B) {
	queries := queriesOf(rand.New(rand.NewPCG(1, 2)), 8000, 30_000)
	table, some := make([]CountLine, 500), make([]uint64, len(queries))
	before := Active()
	b.Cleanup(func() { mustUse(b, before) })
	for _, name := range Implementations() {
		b.Run(name, func(b *testing.B) {
			mustUse(b, name)
			for b.Loop() {
				clear(table)
				copy(some, queries)
				next := uint32(0)
				for rest := some; len(rest) > 0; {
					var done, full int
					if next, done, full = CountKeys(table, rest, 0x9e3779b97f4a7c15, next); full >= 0 {
						table[full/countLanes].Counts[full%countLanes] -= 256
					}
					rest = rest[done:]
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(queries)), "ns/key")
		})
	}
}
