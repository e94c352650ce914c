package kernels

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// tableSizes are table sizes in bytes: inside the first, second and third level
// of cache of common processors, and beyond.
var tableSizes = []struct {
	name  string
	bytes int
}{
	{"L1-16KiB", 16 << 10},
	{"L2-256KiB", 256 << 10},
	{"L3-8MiB", 8 << 20},
	{"memory-128MiB", 128 << 20},
}

// benchNNZ is the number of non-zeros that one pass of a benchmark touches.
const benchNNZ = 1 << 17

// benchRows returns rows of rowLen ascending, distinct ids below n, benchNNZ in
// all, and as many values.
func benchRows(n, rowLen int) (rows [][]uint32, values []float32) {
	r := rand.New(rand.NewPCG(uint64(n), uint64(rowLen)))
	for range benchNNZ / rowLen {
		row := make([]uint32, 0, rowLen)
		for len(row) < rowLen {
			for len(row) < rowLen {
				row = append(row, r.Uint32N(uint32(n)))
			}
			slices.Sort(row)
			row = slices.Compact(row)
		}
		rows = append(rows, row)
	}
	values = make([]float32, rowLen)
	for k := range values {
		values[k] = r.Float32()
	}
	return rows, values
}

// benchRowLens are a tweet and a review with their bigrams; neither is a
// multiple of the lanes.
var benchRowLens = []int{21, 285}

// run measures pass over rows in a table whose entries have width bytes; each
// non-zero also reads perNNZ bytes of the row.
func run(b *testing.B, width, perNNZ int, pass func(entries int) func(idx []uint32, val []float32)) {
	for _, size := range tableSizes {
		for _, rowLen := range benchRowLens {
			b.Run(fmt.Sprintf("%s/row=%d", size.name, rowLen), func(b *testing.B) {
				n := size.bytes / width
				rows, values := benchRows(n, rowLen)
				kernel := pass(n)
				nnz := len(rows) * rowLen
				b.SetBytes(int64(nnz * (width + perNNZ)))
				for b.Loop() {
					for _, row := range rows {
						kernel(row, values)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(nnz), "ns/nnz")
			})
		}
	}
}

// sink keeps results alive.
var sink struct {
	f32 float32
	f64 float64
}

func benchSlots(n int) []Slot {
	slots := make([]Slot, n)
	for j := range slots {
		slots[j] = Slot{U: float32(j%7) - 3, S: 1}
	}
	return slots
}

func BenchmarkSumSlots(b *testing.B) {
	run(b, 8, 4, func(n int) func([]uint32, []float32) {
		slots := benchSlots(n)
		return func(idx []uint32, _ []float32) { sink.f32 += SumSlots(slots, idx) }
	})
}

func BenchmarkDotSlots(b *testing.B) {
	run(b, 8, 8, func(n int) func([]uint32, []float32) {
		slots := benchSlots(n)
		return func(idx []uint32, val []float32) { sink.f32 += DotSlots(slots, idx, val) }
	})
}

func BenchmarkAddSlots(b *testing.B) {
	run(b, 8, 4, func(n int) func([]uint32, []float32) {
		slots := benchSlots(n)
		return func(idx []uint32, _ []float32) { AddSlots(slots, idx, 1e-9) }
	})
}

func BenchmarkAxpySlots(b *testing.B) {
	run(b, 8, 8, func(n int) func([]uint32, []float32) {
		slots := benchSlots(n)
		return func(idx []uint32, val []float32) { AxpySlots(slots, idx, val, 1e-9) }
	})
}

func BenchmarkSum64(b *testing.B) {
	run(b, 8, 4, func(n int) func([]uint32, []float32) {
		table := make([]float64, n)
		return func(idx []uint32, _ []float32) { sink.f64 += Sum64(table, idx) }
	})
}

func BenchmarkDot64(b *testing.B) {
	run(b, 8, 8, func(n int) func([]uint32, []float32) {
		table := make([]float64, n)
		return func(idx []uint32, val []float32) { sink.f64 += Dot64(table, idx, val) }
	})
}

func BenchmarkSumSquares64(b *testing.B) {
	run(b, 8, 8, func(n int) func([]uint32, []float32) {
		table := make([]float64, n)
		return func(idx []uint32, val []float32) { sink.f64 += SumSquares64(table, idx, val) }
	})
}

func BenchmarkAdd64(b *testing.B) {
	run(b, 8, 4, func(n int) func([]uint32, []float32) {
		table := make([]float64, n)
		return func(idx []uint32, _ []float32) { Add64(table, idx, 1e-9) }
	})
}

func BenchmarkAxpy64(b *testing.B) {
	run(b, 8, 8, func(n int) func([]uint32, []float32) {
		table := make([]float64, n)
		return func(idx []uint32, val []float32) { Axpy64(table, idx, val, 1e-9) }
	})
}
