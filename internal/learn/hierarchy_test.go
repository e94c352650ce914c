package learn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestAmong: an output in terms of another matrix's columns says the same of those that it knows, and nothing of
// others.
func TestAmong(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 100 {
		n := 1 + random.IntN(8)
		columns := make([]uint32, 0, n)
		for _, j := range random.Perm(12)[:n] {
			columns = append(columns, uint32(j))
		}
		slices.Sort(columns)
		out := output{base: []float64{0, 0.5}[random.IntN(2)], bias: 2}
		for j := range n {
			if random.IntN(2) == 0 {
				out.columns, out.values = append(out.columns, uint32(j)), append(out.values, float32(j+1))
			}
		}
		if out.columns == nil { // which would be all
			out.columns = []uint32{}
		}
		weights := make(map[uint32]float64)
		for j := range n {
			weights[columns[j]] = out.base
		}
		out.each(func(j uint32, v float32) { weights[columns[j]] += float64(v) })
		got := out.among(columns, n)
		if got.base != 0 || got.bias != 2 {
			t.Fatalf("base %v, bias %v", got.base, got.bias)
		}
		if !slices.IsSorted(got.columns) || len(slices.Compact(slices.Clone(got.columns))) != len(got.columns) {
			t.Fatalf("the columns are %v", got.columns)
		}
		found := map[uint32]float64{}
		got.each(func(j uint32, v float32) { found[j] = float64(v) })
		for j, w := range weights {
			if math.Abs(found[j]-w) > 1e-6 {
				t.Fatalf("the weight of column %d is %v, want %v", j, found[j], w)
			}
			delete(found, j)
		}
		if len(found) > 0 {
			t.Fatalf("weights of other columns: %v", found)
		}
		if twice := got.times(-2); twice.bias != -4 || len(twice.values) > 0 && twice.values[0] != -2*got.values[0] {
			t.Fatalf("twice the negative of %v is %v", got, twice)
		}
	}
}
