package kernels

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/data/rows"
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

// benchRowLens are a tweet and a review with their bigrams; neither is a
// multiple of the lanes.
var benchRowLens = []int{21, 285}

// run measures pass over rows in a table whose entries have width bytes, with
// every implementation; each non-zero also reads perNNZ bytes of the row.
func run(b *testing.B, width, perNNZ int, pass func(entries int) func(idx []uint32, val []float32)) {
	before := Active()
	b.Cleanup(func() { mustUse(b, before) })
	for _, size := range tableSizes {
		for _, rowLen := range benchRowLens {
			n, count := size.bytes/width, benchNNZ/rowLen
			ids := sync.OnceValue(func() []uint32 {
				return rows.Random(rand.New(rand.NewPCG(uint64(n), uint64(rowLen))), n, rowLen, count)
			})
			values := make([]float32, rowLen)
			for k := range values {
				values[k] = 1 / float32(k+1)
			}
			for _, name := range Implementations() {
				b.Run(fmt.Sprintf("%s/row=%d/%s", size.name, rowLen, name), func(b *testing.B) {
					mustUse(b, name)
					ids, kernel := ids(), pass(n)
					b.SetBytes(int64(len(ids) * (width + perNNZ)))
					for b.Loop() {
						for i := 0; i < len(ids); i += rowLen {
							kernel(ids[i:i+rowLen], values)
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(ids)), "ns/nnz")
				})
			}
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

func BenchmarkSumScales(b *testing.B) {
	run(b, 8, 4, func(n int) func([]uint32, []float32) {
		slots := benchSlots(n)
		return func(idx []uint32, _ []float32) { sink.f32 += SumScales(slots, idx) }
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
