package dataset

import (
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"pgregory.net/rapid"

	"github.com/seed-167f963f/nbsvm/sparse"
)

// TestOnly compares each row with that of the whole, feature by feature.
func TestOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const rows, cols = 9, 12
		valued := rapid.Bool().Draw(t, "valued")
		m := &Matrix{Documents: roaring.New(), X: &sparse.CSR{Cols: cols, Indptr: []int64{0}}, valued: valued, Universe: 100}
		m.Keys = rapid.SliceOfNDistinct(rapid.Uint64Range(0, 99), cols, cols, rapid.ID).Draw(t, "keys")
		m.Frequencies = make([]uint32, cols)
		for j := range cols {
			m.IDF = append(m.IDF, float32(j)/2+1)
		}
		for i := range rows {
			m.Documents.Add(uint32(3*i + 1))
			for j := range cols {
				if rapid.IntRange(0, 2).Draw(t, "there") > 0 {
					continue
				}
				m.Frequencies[j]++
				m.X.Indices = append(m.X.Indices, uint32(j))
				if valued {
					m.X.Values = append(m.X.Values, float32(100*i+j+1))
				}
			}
			m.X.Indptr = append(m.X.Indptr, int64(len(m.X.Indices)))
			m.X.Rows++
		}
		m.RowScale = m.X.InverseNorms(m.IDF)
		wanted := rapid.SliceOfN(rapid.Bool(), cols, cols).Draw(t, "wanted")
		some := m.Only(wanted)
		var columns []int // of m
		for j := range cols {
			if wanted[j] {
				columns = append(columns, j)
			}
		}
		if len(some.Keys) != len(columns) || some.X.Cols != len(columns) || some.X.Rows != rows || !some.Documents.Equals(m.Documents) || some.Universe != 100 {
			t.Fatalf("%d rows, %d columns of %d", some.X.Rows, some.X.Cols, len(columns))
		}
		for n, j := range columns {
			if some.Keys[n] != m.Keys[j] || some.IDF[n] != m.IDF[j] || some.Frequencies[n] != m.Frequencies[j] {
				t.Fatalf("column %d is feature %d, want %d", n, some.Keys[n], m.Keys[j])
			}
		}
		for i := range rows {
			var want, got []float32 // pairs of key and value
			ids, values := m.X.Row(i)
			for k, j := range ids {
				if wanted[j] {
					if want = append(want, float32(m.Keys[j])); valued {
						want = append(want, values[k])
					}
				}
			}
			ids, values = some.X.Row(i)
			for k, j := range ids {
				if got = append(got, float32(some.Keys[j])); valued {
					got = append(got, values[k])
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("row %d has %v, want %v", i, got, want)
			}
		}
		if want := some.X.InverseNorms(some.IDF); !slices.Equal(some.RowScale, want) || some.X.NNZ() != some.Stats.NonZeros {
			t.Fatalf("scales %v, want %v; %d non-zeros", some.RowScale, want, some.Stats.NonZeros)
		}
	})
}
