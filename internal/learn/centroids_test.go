package learn

import (
	"math"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/sparse"
)

// TestCentroids compares means with what is computed by hand.
func TestCentroids(t *testing.T) {
	x := &sparse.CSR{}
	x.AppendRow([]uint32{0, 1}, nil)
	x.AppendRow([]uint32{0, 2}, nil)
	x.AppendRow([]uint32{0, 1, 3}, nil)
	x.AppendRow(nil, nil)
	frequencies := []uint32{3, 2, 1, 1}
	got := centroidsOf(x, frequencies, []*roaring.Bitmap{roaring.BitmapOf(0, 1), roaring.BitmapOf(2), roaring.BitmapOf(3), roaring.New()})
	if got.Rows != 4 || got.Cols != 4 {
		t.Fatalf("%d × %d", got.Rows, got.Cols)
	}
	idf := make([]float64, 4)
	for j, n := range frequencies {
		idf[j] = math.Log(5 / (1 + float64(n)))
	}
	unit := func(v ...float64) []float64 {
		square := 0.0
		for _, w := range v {
			square += w * w
		}
		for j := range v {
			v[j] /= math.Sqrt(max(square, 1e-300))
		}
		return v
	}
	a, b := unit(idf[0], idf[1], 0, 0), unit(idf[0], 0, idf[2], 0)
	for i, want := range [][]float64{
		unit(a[0]+b[0], a[1]+b[1], a[2]+b[2], 0), unit(idf[0], idf[1], 0, idf[3]), unit(0, 0, 0, 0), unit(0, 0, 0, 0),
	} {
		dense := make([]float64, 4)
		columns, values := got.Row(i)
		for k, j := range columns {
			dense[j] = float64(values[k])
		}
		for j := range want {
			if math.Abs(dense[j]-want[j]) > 1e-6 {
				t.Errorf("mean %d is %v, want %v", i, dense, want)
				break
			}
		}
	}
}
