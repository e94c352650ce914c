package kernels

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestDotTiles(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(79, 80))
		for columns := 0; columns < 100; columns += 4 {
			sums, intact := guarded[float64](columns, guardValue)
			x, plain := make([]Tile, columns), make([]float64, columns)
			var y Tile
			for k := range y {
				y[k] = r.NormFloat64()
				for l := range x {
					x[l][k] = r.NormFloat64()
				}
			}
			for l := range sums {
				sums[l] = r.NormFloat64()
			}
			copy(plain, sums)
			want := slices.Clone(sums)
			DotTiles(sums, &y, x)
			dotTiles(plain, &y, x)
			for l := range sums {
				size := math.Abs(want[l])
				for k := range y {
					product := y[k] * x[l][k]
					want[l], size = want[l]+product, size+math.Abs(product)
				}
				if math.Abs(sums[l]-want[l]) > 1e-16*size*float64(len(y)) || sums[l] != plain[l] {
					t.Fatalf("column %d of %d: %v, want %v, of the plain loop %v", l, columns, sums[l], want[l], plain[l])
				}
			}
			if !intact() {
				t.Fatal("something was written beside the sums")
			}
		}
	})
}

func BenchmarkDotTiles(b *testing.B) {
	sums, x := make([]float64, 40), make([]Tile, 40)
	var y Tile
	for b.Loop() {
		DotTiles(sums, &y, x)
	}
}
