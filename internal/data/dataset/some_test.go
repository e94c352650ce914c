package dataset

import (
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"pgregory.net/rapid"

	"github.com/seed-167f963f/nbsvm/sparse"
)

// TestSome compares rows of a part with those of the whole, feature by feature.
func TestSome(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const rows, cols = 12, 9
		valued := rapid.Bool().Draw(t, "valued")
		m := &Matrix{Documents: roaring.New(), X: &sparse.CSR{Cols: cols, Indptr: []int64{0}}, valued: valued, Universe: 100}
		for j := range cols {
			m.Keys, m.IDF = append(m.Keys, uint64(10+j)), append(m.IDF, float32(j)/2)
		}
		for i := range rows {
			m.Documents.Add(uint32(3*i + 1))
			m.RowScale = append(m.RowScale, float64(i))
			for j := range cols {
				if rapid.IntRange(0, 2).Draw(t, "there") > 0 {
					continue
				}
				m.X.Indices = append(m.X.Indices, uint32(j))
				if valued {
					m.X.Values = append(m.X.Values, float32(100*i+j))
				}
			}
			m.X.Indptr = append(m.X.Indptr, int64(len(m.X.Indices)))
			m.X.Rows++
		}
		wanted := roaring.New()
		for i := range rows {
			if rapid.Bool().Draw(t, "wanted") {
				wanted.Add(uint32(i))
			}
		}
		m.Some(roaring.BitmapOf(0, 5)) // whose memory is used again
		some, columns := m.Some(wanted)
		if some.X.Rows != int(wanted.GetCardinality()) || some.X.Cols != len(columns) || len(some.Keys) != len(columns) {
			t.Fatalf("%d rows, %d columns of %d", some.X.Rows, some.X.Cols, len(columns))
		}
		frequencies := make([]uint32, len(columns))
		for n, i := range wanted.ToArray() {
			if doc, _ := some.Documents.Select(uint32(n)); doc != 3*i+1 || some.RowScale[n] != float64(i) {
				t.Fatalf("row %d is document %d of scale %v", n, doc, some.RowScale[n])
			}
			ids, values := some.X.Row(n)
			if !slices.IsSorted(ids) {
				t.Fatalf("columns %v", ids)
			}
			var got []uint32
			for k, j := range ids {
				frequencies[j]++
				got = append(got, columns[j])
				if valued && values[k] != float32(100*int(i)+int(columns[j])) {
					t.Fatalf("row %d has %v in column %d", i, values[k], columns[j])
				}
			}
			slices.Sort(got)
			if want, _ := m.X.Row(int(i)); !slices.Equal(got, want) {
				t.Fatalf("row %d has columns %v, want %v", i, got, want)
			}
		}
		if !slices.IsSorted(columns) {
			t.Fatalf("columns %v", columns)
		}
		if !slices.Equal(frequencies, some.Frequencies) {
			t.Fatalf("frequencies %v, want %v", some.Frequencies, frequencies)
		}
		for n, j := range columns {
			if some.Keys[n] != m.Keys[j] || some.IDF[n] != m.IDF[j] || some.Frequencies[n] == 0 {
				t.Fatalf("column %d is feature %d, want %d", n, some.Keys[n], m.Keys[j])
			}
		}
	})
}
