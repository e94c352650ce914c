package kernels

import "fmt"

// Tile is a column of up to 64 dense rows; what lies behind them is 0.
type Tile [64]float64

// DotTiles adds the products of y with columns to sums: sums[l] += Σ y[k]·x[l][k], of which the products k, k+4, k+8, …
// are added up, and these four sums as (0+1) + (2+3). There are a multiple of four columns.
func DotTiles(sums []float64, y *Tile, x []Tile) {
	if len(sums) != len(x) || len(x)%4 != 0 {
		panic(fmt.Sprintf("kernels: %d sums of %d columns", len(sums), len(x)))
	}
	if onAMD64 && useVectors && len(x) > 0 {
		dotTilesVector(sums, y, x)
		return
	}
	dotTiles(sums, y, x)
}

func dotTiles(sums []float64, y *Tile, x []Tile) {
	for l := range x {
		column := &x[l]
		var a, b, c, d float64
		for k := 0; k < len(y); k += 4 {
			a += float64(y[k] * column[k])
			b += float64(y[k+1] * column[k+1])
			c += float64(y[k+2] * column[k+2])
			d += float64(y[k+3] * column[k+3])
		}
		sums[l] += (a + b) + (c + d)
	}
}
