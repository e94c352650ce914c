package nbsvm

import (
	"slices"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// filler makes rows of the matrix; each worker has its own.
type filler struct {
	rows   hashing.Rows
	sorter sparse.RowSorter
}

// fill writes a block's rows into the matrix. single has the ids of columns of one
// document, which are numbered from singles on.
func (f *filler) fill(d *design, at place, documents int, singles uint32, single []uint32) {
	x := d.x
	for k := range documents {
		columns, values := f.rows.Row(k)
		columns, values = f.sorter.Sort(columns, values)
		columns, values = sparse.AddEqual(columns, values)
		if values != nil {
			copy(x.Values[at.entry:], values)
		}
		own, _ := slices.BinarySearch(columns, singles)
		for n, j := range columns[own:] {
			d.ids[at.own], columns[own+n] = single[j-singles], at.own
			at.own++
		}
		copy(x.Indices[at.entry:], columns)
		at.row, at.entry = at.row+1, at.entry+int64(len(columns))
		x.Indptr[at.row] = at.entry
	}
}
