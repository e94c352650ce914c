package sparse

import (
	"math"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"pgregory.net/rapid"
)

func TestAddColumnSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := matrix.Draw(t, "m")
		var set *roaring.Bitmap
		if rapid.Bool().Draw(t, "some") {
			set = rowSet(t, m.Rows)
		}
		var scale []float64
		if rapid.Bool().Draw(t, "scaled") {
			scale = rapid.SliceOfN(rapid.Float64Range(-100, 100), m.Rows, m.Rows).Draw(t, "scale")
		}
		// Exact, as both add in the order of the rows; dst need not start at zero.
		got, want := make([]float64, m.Cols), make([]float64, m.Cols)
		for j := range want {
			got[j], want[j] = float64(j), float64(j)
		}
		for i, row := range plain(m) {
			if set != nil && !set.Contains(uint32(i)) {
				continue
			}
			for j, v := range row {
				product := float64(v)
				if scale != nil {
					product = scale[i] * float64(v)
				}
				want[j] = want[j] + product
			}
		}
		m.AddColumnSums(got, set, scale)
		for j := range want {
			if got[j] != want[j] {
				t.Fatalf("column %d sums to %v, want %v", j, got[j], want[j])
			}
		}
	})
}

func TestInverseNorms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := matrix.Draw(t, "m")
		var scale []float32
		if rapid.Bool().Draw(t, "scaled") {
			scale = rapid.SliceOfN(number, m.Cols, m.Cols).Draw(t, "scale")
		}
		got := m.InverseNorms(scale)
		if len(got) != m.Rows {
			t.Fatalf("%d of %d rows", len(got), m.Rows)
		}
		for i, row := range plain(m) {
			norm := 0.0
			for j, v := range row {
				x := float64(v)
				if scale != nil {
					x *= float64(scale[j])
				}
				norm = math.Hypot(norm, x)
			}
			switch {
			case norm == 0 && got[i] != 0:
				t.Errorf("row %d is zero, its inverse norm %v", i, got[i])
			case norm != 0 && math.Abs(got[i]*norm-1) > 1e-13:
				t.Errorf("row %d has the norm %v, its inverse is off by %g", i, norm, got[i]*norm-1)
			}
		}
	})
}
