package matrix

import (
	"cmp"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/internal/data/rowsort"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// Some is the matrix of some of the rows, which must be in memory, without columns that none of them has, and the
// columns of m that its own are. Ids, idf and the rows' scales are those of m; frequencies, and with them the order of
// columns, are its own.
func (m *Matrix) Some(rows *roaring.Bitmap) (some *Matrix, columns []uint32) {
	frequencies := make([]uint32, len(m.IDs))
	entries := 0
	for it := rows.Iterator(); it.HasNext(); {
		ids, _ := m.X.Row(int(it.Next()))
		entries += len(ids)
		for _, j := range ids {
			frequencies[j]++
		}
	}
	for j, n := range frequencies {
		if n > 0 {
			columns = append(columns, uint32(j))
		}
	}
	slices.SortFunc(columns, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(frequencies[b], frequencies[a]), cmp.Compare(a, b))
	})
	some = &Matrix{Documents: roaring.New(), Universe: m.Universe, Stats: m.Stats, valued: m.valued, threads: m.threads}
	number := make([]uint32, len(m.IDs))
	for n, j := range columns {
		number[j] = uint32(n)
		some.IDs, some.Frequencies = append(some.IDs, m.IDs[j]), append(some.Frequencies, frequencies[j])
		if m.IDF != nil {
			some.IDF = append(some.IDF, m.IDF[j])
		}
	}
	x := &sparse.CSR{Cols: len(columns), Indptr: []int64{0}, Indices: make([]uint32, 0, entries)}
	if m.X.Values != nil {
		x.Values = make([]float32, 0, entries)
	}
	for it := rows.Iterator(); it.HasNext(); {
		i := it.Next()
		document, _ := m.Documents.Select(i) // the rows are its documents, in ascending order
		some.Documents.Add(document)
		if m.RowScale != nil {
			some.RowScale = append(some.RowScale, m.RowScale[i])
		}
		ids, values := m.X.Row(int(i))
		start := len(x.Indices)
		for _, j := range ids {
			x.Indices = append(x.Indices, number[j])
		}
		if values == nil {
			slices.Sort(x.Indices[start:])
		} else {
			x.Values = append(x.Values, values...)
			rowsort.Sort(x.Indices[start:], x.Values[start:])
		}
		x.Indptr = append(x.Indptr, int64(len(x.Indices)))
		x.Rows++
	}
	some.X = x
	return some, columns
}
