package dataset

import (
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/sparse"
)

// Some returns the matrix of some of the rows, in memory, without columns that none of them has, and the
// columns of m that its own are, ascending. Keys, idf, the rows' scales and the order of columns are those of m;
// frequencies are its own, so that they need not fall. It takes time in proportion to the entries of the rows.
func (m *Matrix) Some(rows *roaring.Bitmap) (some *Matrix, columns []uint32) {
	spare, _ := m.spare.Get().(*[]uint32)
	if spare == nil {
		all := make([]uint32, len(m.Keys))
		spare = &all
	}
	numbers := *spare // of every column first the frequency, and then the number; 0 in the end
	entries := 0
	for it := rows.Iterator(); it.HasNext(); {
		ids, _ := m.X.Row(int(it.Next()))
		entries += len(ids)
		for _, j := range ids {
			if numbers[j]++; numbers[j] == 1 {
				columns = append(columns, j)
			}
		}
	}
	slices.Sort(columns)
	some = &Matrix{Documents: roaring.New(), Universe: m.Universe, Stats: m.Stats, valued: m.valued, threads: m.threads}
	for n, j := range columns {
		some.Keys, some.Frequencies = append(some.Keys, m.Keys[j]), append(some.Frequencies, numbers[j])
		numbers[j] = uint32(n)
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
		for _, j := range ids {
			x.Indices = append(x.Indices, numbers[j])
		}
		x.Values = append(x.Values, values...)
		x.Indptr = append(x.Indptr, int64(len(x.Indices)))
		x.Rows++
	}
	for _, j := range columns {
		numbers[j] = 0
	}
	m.spare.Put(spare)
	some.X = x
	return some, columns
}
