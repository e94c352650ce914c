package nbsvm

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
		out := output{base: []float64{0, 0.5}[random.IntN(2)], bias: 2, ratio: &ratio{absent: 0.25}}
		absent := make([]float32, n)
		for j := range n {
			absent[j] = float32(j)
			if random.IntN(2) == 0 {
				out.columns, out.values = append(out.columns, uint32(j)), append(out.values, float32(j+1))
			}
			if random.IntN(2) == 0 {
				out.ratio.columns, out.ratio.values = append(out.ratio.columns, uint32(j)), append(out.ratio.values, float32(100+j))
			}
		}
		if out.columns == nil { // which would be all
			out.columns = []uint32{}
		}
		if out.ratio.columns == nil {
			out.ratio.columns = []uint32{}
		}
		weights, ratios := make(map[uint32]float64), make(map[uint32]float64)
		for j := range n {
			weights[columns[j]], ratios[columns[j]] = out.base, float64(absent[j])+out.ratio.absent
		}
		out.each(func(j uint32, v float32) { weights[columns[j]] += float64(v) })
		out.ratio.each(func(j uint32, v float32) { ratios[columns[j]] = float64(v) })
		got := out.among(columns, absent, n)
		if got.base != 0 || got.bias != 2 || got.ratio.absent != 0 {
			t.Fatalf("base %v, bias %v", got.base, got.bias)
		}
		check := func(what string, p part, want map[uint32]float64) {
			if !slices.IsSorted(p.columns) || len(slices.Compact(slices.Clone(p.columns))) != len(p.columns) {
				t.Fatalf("%s of columns %v", what, p.columns)
			}
			found := map[uint32]float64{}
			p.each(func(j uint32, v float32) { found[j] = float64(v) })
			for j, w := range want {
				if math.Abs(found[j]-w) > 1e-6 {
					t.Fatalf("%s of column %d is %v, want %v", what, j, found[j], w)
				}
				delete(found, j)
			}
			if len(found) > 0 {
				t.Fatalf("%s of other columns: %v", what, found)
			}
		}
		check("the weight", got.part, weights)
		check("the ratio", got.ratio.part, ratios)
		if twice := got.times(-2); twice.bias != -4 || len(twice.values) > 0 && twice.values[0] != -2*got.values[0] {
			t.Fatalf("twice the negative of %v is %v", got, twice)
		}
	}
}
