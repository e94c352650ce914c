package matrix

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
		m.IDs = rapid.SliceOfNDistinct(rapid.Uint32Range(0, 99), cols, cols, rapid.ID).Draw(t, "ids")
		m.Frequencies = make([]uint32, cols)
		for j := range cols {
			m.IDF, m.Tags = append(m.IDF, float32(j)/2+1), append(m.Tags, uint16(slices.Sorted(slices.Values(m.IDs))[j]))
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
		wanted := map[uint32]bool{}
		for _, id := range m.IDs {
			wanted[id] = rapid.Bool().Draw(t, "wanted")
		}
		some := m.Only(func(id uint32) bool { return wanted[id] })
		var columns []int // of m
		for j, id := range m.IDs {
			if wanted[id] {
				columns = append(columns, j)
			}
		}
		if len(some.IDs) != len(columns) || some.X.Cols != len(columns) || some.X.Rows != rows || !some.Documents.Equals(m.Documents) || some.Universe != 100 {
			t.Fatalf("%d rows, %d columns of %d", some.X.Rows, some.X.Cols, len(columns))
		}
		for n, j := range columns {
			if some.IDs[n] != m.IDs[j] || some.IDF[n] != m.IDF[j] || some.Frequencies[n] != m.Frequencies[j] {
				t.Fatalf("column %d is feature %d, want %d", n, some.IDs[n], m.IDs[j])
			}
		}
		for n, id := range slices.Sorted(slices.Values(some.IDs)) {
			if some.Tags[n] != uint16(id) {
				t.Fatalf("feature %d has the tag %d", id, some.Tags[n])
			}
		}
		for i := range rows {
			var want, got []float32 // pairs of id and value
			ids, values := m.X.Row(i)
			for k, j := range ids {
				if wanted[m.IDs[j]] {
					if want = append(want, float32(m.IDs[j])); valued {
						want = append(want, values[k])
					}
				}
			}
			ids, values = some.X.Row(i)
			for k, j := range ids {
				if got = append(got, float32(some.IDs[j])); valued {
					got = append(got, values[k])
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("row %d has %v, want %v", i, got, want)
			}
		}
		if want := some.X.InverseNorms(some.IDF); !slices.Equal(some.RowScale, want) || some.NNZ() != some.Stats.NonZeros {
			t.Fatalf("scales %v, want %v; %d non-zeros", some.RowScale, want, some.Stats.NonZeros)
		}
	})
}
