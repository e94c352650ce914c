package kernels

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestAddRows(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(61, 62))
		for n := range 300 {
			width := n % 21 * RowUnit
			height := 1 + r.IntN(20)
			table, tableIntact := guarded[float64](width*height, guardValue)
			for i := range table {
				table[i] = r.NormFloat64() * float64(uint64(1)<<r.IntN(60)) // another order has other sums
			}
			rows, rowsIntact := guarded[uint32](n%37, guardID)
			for i := range rows {
				rows[i] = uint32(r.IntN(height))
			}
			first := r.IntN(len(rows) + 1)
			sums, sumsIntact := guarded[float64](width, guardValue)
			want := make([]float64, width)
			for i := range sums {
				sums[i] = r.NormFloat64()
				want[i] = sums[i]
				for _, row := range rows[:first] {
					want[i] += table[int(row)*width+i]
				}
			}
			if AddRows(sums, table, rows, first); !slices.Equal(sums, want) {
				t.Fatalf("%d rows of %d numbers have sums %v, want %v", first, width, sums, want)
			}
			if !tableIntact() || !rowsIntact() || !sumsIntact() {
				t.Fatal("something outside the slices was written")
			}
		}
	})
}

func TestAddRowsPanic(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		for name, call := range map[string]func(){
			"a width that is no multiple": func() { AddRows(make([]float64, 9), make([]float64, 90), []uint32{1}, 1) },
			"a row beyond the table":      func() { AddRows(make([]float64, 8), make([]float64, 31), []uint32{1, 3, 2}, 2) },
			"rows that are not there":     func() { AddRows(make([]float64, 8), make([]float64, 32), make([]uint32, 3)[:2], 3) },
		} {
			if panics(call) == "" {
				t.Errorf("no panic of %s", name)
			}
		}
	})
}

func BenchmarkAddRows(b *testing.B) {
	r := rand.New(rand.NewPCG(63, 64))
	const width, height, document = 24, 1 << 16, 32
	table := make([]float64, width*height)
	for i := range table {
		table[i] = r.Float64() // or else all is one page of zeros
	}
	rows := make([]uint32, 1<<16)
	for i := range rows {
		rows[i] = uint32(r.IntN(height))
	}
	sums := make([]float64, width)
	before := Active()
	b.Cleanup(func() { mustUse(b, before) })
	for _, name := range Implementations() {
		b.Run(name, func(b *testing.B) {
			mustUse(b, name)
			at := 0
			for b.Loop() {
				AddRows(sums, table, rows[at:], document)
				at = (at + document) % len(rows)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/document, "ns/row")
		})
	}
}
