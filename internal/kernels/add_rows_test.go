package kernels

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// rowsCase is a table and what is to be added of it.
type rowsCase struct {
	sums   []float64
	table  []float32
	pitch  int
	rows   []uint32
	n      int
	intact func() bool
}

func randomRowsCase(r *rand.Rand, seed int) rowsCase {
	var c rowsCase
	width, height := seed%21*RowUnit, 1+r.IntN(20)
	c.pitch = width + r.IntN(9)
	var intact [3]func() bool
	c.table, intact[0] = guarded[float32](max(0, (height-1)*c.pitch+width), guardValue)
	for i := range c.table {
		c.table[i] = float32(r.NormFloat64() * float64(uint64(1)<<r.IntN(60))) // another order has other sums
	}
	c.rows, intact[1] = guarded[uint32](seed%137, guardID)
	for i := range c.rows {
		c.rows[i] = uint32(r.IntN(height))
	}
	c.n = r.IntN(len(c.rows) + 1)
	c.sums, intact[2] = guarded[float64](width, guardValue)
	for i := range c.sums {
		c.sums[i] = r.NormFloat64()
	}
	c.intact = func() bool { return intact[0]() && intact[1]() && intact[2]() }
	return c
}

func TestAddRows(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(61, 62))
		for seed := range 300 {
			c := randomRowsCase(r, seed)
			want := slices.Clone(c.sums)
			for i := range want {
				for _, row := range c.rows[:c.n] {
					want[i] += float64(c.table[int(row)*c.pitch+i])
				}
			}
			if AddRows(c.sums, c.table, c.pitch, c.rows, c.n); !slices.Equal(c.sums, want) {
				t.Fatalf("%d rows have sums %v, want %v", c.n, c.sums, want)
			}
			if !c.intact() {
				t.Fatal("something outside the slices was written")
			}
		}
	})
}

func BenchmarkAddRows(b *testing.B) {
	r := rand.New(rand.NewPCG(63, 64))
	const width, height, document = 24, 1 << 16, 32
	table := make([]float32, width*height)
	for i := range table {
		table[i] = r.Float32() // or else all is one page of zeros
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
				AddRows(sums, table, width, rows[at:], document)
				at = (at + document) % len(rows)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/document, "ns/row")
		})
	}
}
