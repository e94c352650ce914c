package kernels

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestAddWholeRows(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(67, 68))
		for seed := range 400 {
			width, height := seed%31*WholeUnit, 1+r.IntN(20)
			pitch := width + r.IntN(9)
			table, tableIntact := guarded[int16](max(0, (height-1)*pitch+width), 0x5a5a)
			for i := range table {
				table[i] = int16(r.Uint32())
			}
			rows, rowsIntact := guarded[uint32](seed%137, guardID)
			for i := range rows {
				rows[i] = uint32(r.IntN(height))
			}
			n := r.IntN(len(rows) + 1)
			sums, sumsIntact := guarded[int32](width, 0x5a5a5a5a)
			for i := range sums {
				sums[i] = int32(r.IntN(1000)) - 500
			}
			want := slices.Clone(sums)
			for i := range want {
				for _, row := range rows[:n] {
					want[i] += int32(table[int(row)*pitch+i])
				}
			}
			if AddWholeRows(sums, table, pitch, rows, n); !slices.Equal(sums, want) {
				t.Fatalf("%d rows have sums %v, want %v", n, sums, want)
			}
			if !tableIntact() || !rowsIntact() || !sumsIntact() {
				t.Fatal("something outside the slices was written")
			}
		}
	})
}

// TestAddWholeRowsMost: the sums of as many rows as are allowed do not overflow, of the least number and of the
// largest.
func TestAddWholeRowsMost(t *testing.T) {
	table := make([]int16, 2*WholeUnit)
	for i := range WholeUnit {
		table[i], table[WholeUnit+i] = math.MinInt16, math.MaxInt16
	}
	eachImplementation(t, func(t *testing.T) {
		for row, number := range []int{math.MinInt16, math.MaxInt16} {
			sums := make([]int32, WholeUnit)
			AddWholeRows(sums, table, WholeUnit, slices.Repeat([]uint32{uint32(row)}, MostWholeRows), MostWholeRows)
			for _, sum := range sums {
				if int(sum) != number*MostWholeRows {
					t.Fatalf("%d rows of %d have the sum %d", MostWholeRows, number, sum)
				}
			}
		}
	})
}

func BenchmarkAddWholeRows(b *testing.B) {
	r := rand.New(rand.NewPCG(69, 70))
	const width, height, document = 80, 1 << 16, 256
	table := make([]int16, width*height)
	for i := range table {
		table[i] = int16(r.Uint32())
	}
	rows := make([]uint32, 1<<16)
	for i := range rows {
		rows[i] = uint32(r.IntN(height))
	}
	sums := make([]int32, width)
	before := Active()
	b.Cleanup(func() { mustUse(b, before) })
	for _, name := range Implementations() {
		b.Run(name, func(b *testing.B) {
			mustUse(b, name)
			at := 0
			for b.Loop() {
				AddWholeRows(sums, table, width, rows[at:], document)
				at = (at + document) % len(rows)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/document, "ns/row")
		})
	}
}
