package matrix

import (
	"slices"

	"github.com/seed-167f963f/nbsvm/sparse"
)

// Only is the matrix of the same rows, which must be in memory, with the columns whose ids are kept, in their order. Rows
// are of unit length again, where m's are.
func (m *Matrix) Only(kept func(id uint32) bool) *Matrix {
	const gone = 1<<32 - 1
	some := &Matrix{Documents: m.Documents, Universe: m.Universe, Stats: m.Stats, valued: m.valued, threads: m.threads}
	numbers := make([]uint32, len(m.IDs))
	for j, id := range m.IDs {
		if !kept(id) {
			numbers[j] = gone
			continue
		}
		numbers[j] = uint32(len(some.IDs))
		some.IDs, some.Frequencies = append(some.IDs, id), append(some.Frequencies, m.Frequencies[j])
		if m.IDF != nil {
			some.IDF = append(some.IDF, m.IDF[j])
		}
	}
	if m.Tags != nil {
		for place, id := range slices.Sorted(slices.Values(m.IDs)) {
			if kept(id) {
				some.Tags = append(some.Tags, m.Tags[place])
			}
		}
	}
	entries := 0
	for _, n := range some.Frequencies {
		entries += int(n)
	}
	x := &sparse.CSR{Rows: m.X.Rows, Cols: len(some.IDs), Indptr: make([]int64, 1, m.X.Rows+1), Indices: make([]uint32, 0, entries)}
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
	some.Stats.NonZeros, some.Stats.Buckets = x.NNZ(), len(some.IDs)
	if m.RowScale != nil {
		some.RowScale = x.InverseNorms(some.IDF)
	}
	return some
}
