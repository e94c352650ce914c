package kernels

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// rowsCase is a table and what is to be added of it.
type rowsCase struct {
	sums, squares, usual []float64
	table                []float32
	pitch                int
	rows                 []uint32
	of                   []float32
	n                    int
	intact               func() bool
}

// randomRowsCase is a case where a part of the numbers is NaN.
func randomRowsCase(r *rand.Rand, seed int, nan float64) rowsCase {
	c := rowsCase{usual: make([]float64, seed%21*RowUnit)}
	width, height := len(c.usual), 1+r.IntN(20)
	c.pitch = 2*width + r.IntN(9)
	var intact [5]func() bool
	c.table, intact[0] = guarded[float32](max(0, (height-1)*c.pitch+2*width), guardValue)
	for i := range c.table {
		c.table[i] = float32(r.NormFloat64() * float64(uint64(1)<<r.IntN(60))) // another order has other sums
		if r.Float64() < nan {
			c.table[i] = float32(math.NaN())
		}
	}
	c.rows, intact[1] = guarded[uint32](seed%137, guardID)
	c.of, intact[2] = guarded[float32](len(c.rows), guardValue)
	for i := range c.rows {
		c.rows[i], c.of[i] = uint32(r.IntN(height)), float32(r.NormFloat64())
	}
	c.n = r.IntN(len(c.rows) + 1)
	c.sums, intact[3] = guarded[float64](width, guardValue)
	c.squares, intact[4] = guarded[float64](width, guardValue)
	for i := range c.sums {
		c.sums[i], c.squares[i], c.usual[i] = r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
	}
	c.intact = func() bool { return intact[0]() && intact[1]() && intact[2]() && intact[3]() && intact[4]() }
	return c
}

func TestAddRows(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(61, 62))
		for seed := range 300 {
			c := randomRowsCase(r, seed, 0)
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

func TestAddRatioRows(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(65, 66))
		for seed := range 300 {
			c := randomRowsCase(r, seed, r.Float64())
			width := len(c.sums)
			for _, row := range c.rows {
				for i := range width {
					c.table[int(row)*c.pitch+i] = float32(i) - float32(row)/8 // weights are numbers
				}
			}
			sums, squares := slices.Clone(c.sums), slices.Clone(c.squares)
			for i := range width {
				for k, row := range c.rows[:c.n] {
					sums[i] += float64(c.table[int(row)*c.pitch+i])
					if r := float64(c.table[int(row)*c.pitch+width+i]); !math.IsNaN(r) {
						u := float64(c.of[k]) + c.usual[i]
						squares[i] += float64((r - u) * (r + u))
					}
				}
			}
			AddRatioRows(c.sums, c.squares, c.usual, c.table, c.pitch, c.rows, c.of, c.n)
			if !slices.Equal(c.sums, sums) || !slices.Equal(c.squares, squares) {
				t.Fatalf("%d rows have sums %v and squares %v, want %v and %v", c.n, c.sums, c.squares, sums, squares)
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
