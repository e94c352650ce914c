package kernels

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// encodedGaps are gaps as ColumnsOfGaps reads them.
func encodedGaps(gaps []uint32, least int) (data, control []byte) {
	control = make([]byte, (len(gaps)+3)/4)
	for k, gap := range gaps {
		length := least
		for length < 4 && gap>>(8*length) > 0 {
			length++
		}
		control[k/4] |= byte((length - least) << (2 * (k % 4)))
		for b := range length {
			data = append(data, byte(gap>>(8*b)))
		}
	}
	return data, control
}

// columns are what gaps come to, or nil where one is not below 2^31.
func columnsByHand(gaps []uint32) []uint32 {
	all, next := []uint32{}, uint64(0)
	for _, gap := range gaps {
		if next += uint64(gap); next > math.MaxInt32 {
			return nil
		}
		all = append(all, uint32(next))
		next++
	}
	return all
}

// TestColumnsOfGaps has rows of every length and gaps of every size, with bytes behind them and without.
func TestColumnsOfGaps(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 52))
	eachImplementation(t, func(t *testing.T) {
		for n := range 70 {
			for trial := range 200 {
				least := trial % 2
				row := make([]uint32, n)
				for k := range row {
					row[k] = r.Uint32N(1 << r.UintN(24))
					if least == 1 && r.UintN(30) == 0 {
						row[k] = r.Uint32() >> r.UintN(8)
					}
				}
				data, control := encodedGaps(row, least)
				size := len(data)
				data = append(data, make([]byte, r.UintN(40))...)
				dst := make([]uint32, n)
				used, ok := ColumnsOfGaps(dst, data, control, least)
				want := columnsByHand(row)
				if ok != (want != nil) {
					t.Fatalf("%v, least %d: ok is %t", row, least, ok)
				}
				if ok && (used != size || !slices.Equal(dst, want)) {
					t.Fatalf("%v, least %d: %v in %d bytes, want %v in %d", row, least, dst, used, want, size)
				}
				if size > 0 {
					if _, ok := ColumnsOfGaps(dst, data[:r.IntN(size)], control, least); ok {
						t.Fatalf("%v, least %d: read from fewer bytes", row, least)
					}
				}
			}
		}
	})
}

// TestColumnsOutside: whichever column is the first that is too large, and however sums overflow behind it.
func TestColumnsOutside(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		for at := range 12 {
			for _, gap := range []uint32{1 << 31, math.MaxUint32, math.MaxUint32 - uint32(at), 1<<31 - uint32(at), 1<<31 - 1} {
				row := make([]uint32, 12)
				row[at] = gap
				if at > 0 {
					row[at-1] = 1 << 30
				}
				data, control := encodedGaps(row, 1)
				data = append(data, make([]byte, 32)...)
				if _, ok := ColumnsOfGaps(make([]uint32, 12), data, control, 1); ok != (columnsByHand(row) != nil) {
					t.Errorf("%v: ok is %t", row, ok)
				}
			}
		}
	})
}

// BenchmarkColumnsOfGaps has gaps of text, 1.4 bytes on average with their control.
func BenchmarkColumnsOfGaps(b *testing.B) {
	r := rand.New(rand.NewPCG(53, 54))
	row := make([]uint32, 300)
	for k := range row {
		row[k] = r.Uint32N(1 << r.UintN(14))
	}
	data, control := encodedGaps(row, 0)
	data = append(data, make([]byte, 16)...)
	dst := make([]uint32, len(row))
	for b.Loop() {
		if _, ok := ColumnsOfGaps(dst, data, control, 0); !ok {
			b.Fatal("not read")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(row)), "ns/gap")
}
