package sparse

import (
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"pgregory.net/rapid"
)

// number draws finite values of many magnitudes, zero among them.
var number = rapid.Custom(func(t *rapid.T) float32 {
	if rapid.Bool().Draw(t, "small") {
		return float32(rapid.IntRange(-4, 4).Draw(t, "whole"))
	}
	for {
		v := math.Float32frombits(rapid.Uint32().Draw(t, "bits"))
		if f := float64(v); !math.IsNaN(f) && !math.IsInf(f, 0) {
			return v
		}
	}
})

// matrix draws a valid matrix; many rows and columns are empty.
var matrix = rapid.Custom(func(t *rapid.T) *CSR {
	cols := rapid.IntRange(0, 40).Draw(t, "cols")
	m := &CSR{Cols: cols, Indptr: []int64{0}}
	if rapid.Bool().Draw(t, "valued") {
		m.Values = []float32{}
	}
	for range rapid.IntRange(0, 20).Draw(t, "rows") {
		var idx []uint32
		if cols > 0 {
			idx = rapid.SliceOfNDistinct(rapid.Uint32Range(0, uint32(cols-1)), 0, cols, rapid.ID).Draw(t, "ids")
			slices.Sort(idx)
		}
		var val []float32
		if m.Values != nil {
			val = rapid.SliceOfN(number, len(idx), len(idx)).Draw(t, "values")
		}
		m.AppendRow(idx, val)
	}
	return m
})

// plain is a matrix as rows of maps, for the loops that the tests compare with.
func plain(m *CSR) []map[uint32]float32 {
	rows := make([]map[uint32]float32, m.Rows)
	for i := range rows {
		rows[i] = map[uint32]float32{}
		for k := m.Indptr[i]; k < m.Indptr[i+1]; k++ {
			v := float32(1)
			if m.Values != nil {
				v = m.Values[k]
			}
			rows[i][m.Indices[k]] = v
		}
	}
	return rows
}

// equal says whether two matrices are the same in every entry and dimension.
func equal(a, b *CSR) bool {
	return a.Rows == b.Rows && a.Cols == b.Cols && (a.Values == nil) == (b.Values == nil) &&
		slices.Equal(a.Indptr, b.Indptr) && slices.Equal(a.Indices, b.Indices) && slices.Equal(a.Values, b.Values)
}

// rowSet draws some of the rows.
func rowSet(t *rapid.T, rows int) *roaring.Bitmap {
	set := roaring.New()
	for i := range rows {
		if rapid.Bool().Draw(t, "in") {
			set.Add(uint32(i))
		}
	}
	return set
}
