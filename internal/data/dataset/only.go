package dataset

import "github.com/seed-167f963f/nbsvm/sparse"

// Only returns the matrix of the same rows, in memory, with the columns that are kept, in their order.
// Rows are of unit length again, where m's are.
func (m *Matrix) Only(kept []bool) *Matrix {
	const gone = 1<<32 - 1
	some := &Matrix{Documents: m.Documents, Universe: m.Universe, Stats: m.Stats, valued: m.valued, threads: m.threads}
	numbers := make([]uint32, len(m.Keys))
	for j, key := range m.Keys {
		if !kept[j] {
			numbers[j] = gone
			continue
		}
		numbers[j] = uint32(len(some.Keys))
		some.Keys, some.Frequencies = append(some.Keys, key), append(some.Frequencies, m.Frequencies[j])
		if m.IDF != nil {
			some.IDF = append(some.IDF, m.IDF[j])
		}
	}
	entries := 0
	for _, n := range some.Frequencies {
		entries += int(n)
	}
	x := &sparse.CSR{
		Rows: m.X.Rows, Cols: len(some.Keys), Indptr: make([]int64, 1, m.X.Rows+1),
		Indices: make([]uint32, 0, entries),
	}
	if m.X.Values != nil {
		x.Values = make([]float32, 0, entries)
	}
	for i := range m.X.Rows {
		ids, values := m.X.Row(i)
		for k, j := range ids {
			if numbers[j] == gone {
				continue
			}
			x.Indices = append(x.Indices, numbers[j])
			if values != nil {
				x.Values = append(x.Values, values[k])
			}
		}
		x.Indptr = append(x.Indptr, int64(len(x.Indices)))
	}
	some.X = x
	some.Stats.NonZeros = x.NNZ()
	if m.RowScale != nil {
		some.RowScale = x.InverseNorms(some.IDF)
	}
	return some
}
