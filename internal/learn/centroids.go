package learn

import (
	"cmp"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/internal/xmath"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// What is looked at to find out which classes are similar: so many of a class's documents, their features among the
// most frequent ones, and so many features of the mean. More change little of which classes come together.
const (
	mostDocuments = 512
	mostColumns   = 1 << 18
	mostFeatures  = 1 << 10
)

// centroidsOf returns the means of the documents of each set, one a row: each document and each mean of unit length, with
// features weighted by inverse document frequency. Documents are rows of x, whose columns are in falling order of
// frequency, and frequencies are the numbers of documents that have a column. The row of an empty set is empty.
func centroidsOf(x *sparse.CSR, frequencies []uint32, sets []*roaring.Bitmap) *sparse.CSR {
	m := &means{x: x, idf: make([]float32, min(x.Cols, mostColumns))}
	for j := range m.idf {
		m.idf[j] = float32(xmath.Log((1 + float64(x.Rows)) / (1 + float64(frequencies[j]))))
	}
	m.sum = make([]float32, len(m.idf))
	centroids := &sparse.CSR{Values: []float32{}}
	for _, set := range sets {
		centroids.AppendRow(m.of(set))
	}
	centroids.Cols = len(m.idf)
	return centroids
}

type means struct {
	x      *sparse.CSR
	idf    []float32 // of the columns that count
	sum    []float32 // of each of them; zeros between sets
	used   []feature
	weight []float32
}

type feature struct {
	column uint32
	weight float32
}

// of returns the mean of a set.
func (m *means) of(set *roaring.Bitmap) (columns []uint32, values []float32) {
	m.used = m.used[:0]
	n := set.GetCardinality()
	step := max(1, n/mostDocuments)
	for k := uint64(0); k < n; k += step {
		row, _ := set.Select(uint32(k))
		m.add(int(row))
	}
	for i := range m.used {
		f := &m.used[i]
		f.weight, m.sum[f.column] = m.sum[f.column], 0
	}
	slices.SortFunc(m.used, func(a, b feature) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.column, b.column))
	})
	m.used = m.used[:min(len(m.used), mostFeatures)]
	slices.SortFunc(m.used, func(a, b feature) int { return cmp.Compare(a.column, b.column) })
	square := 0.0
	for _, f := range m.used {
		square += float64(float64(f.weight) * float64(f.weight))
	}
	for _, f := range m.used {
		columns, values = append(columns, f.column), append(values, float32(float64(f.weight)/math.Sqrt(square)))
	}
	return columns, values
}

// add adds a document, of unit length, to the sum.
func (m *means) add(row int) {
	columns, counts := m.x.Row(row)
	n, _ := slices.BinarySearch(columns, uint32(len(m.idf)))
	m.weight = m.weight[:0]
	square := 0.0
	for k, j := range columns[:n] {
		w := m.idf[j]
		if counts != nil {
			w = float32(w * max(0, counts[k]))
		}
		m.weight = append(m.weight, w)
		square += float64(float64(w) * float64(w))
	}
	if square == 0 || math.IsInf(square, 1) {
		return
	}
	unit := float32(1 / math.Sqrt(square))
	for k, w := range m.weight {
		if w = float32(w * unit); w == 0 {
			continue
		}
		j := columns[k]
		if m.sum[j] == 0 {
			m.used = append(m.used, feature{column: j})
		}
		m.sum[j] += w
	}
}
