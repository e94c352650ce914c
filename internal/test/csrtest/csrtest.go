// Package csrtest checks sparse rows, for tests.
package csrtest

import "github.com/seed-167f963f/nbsvm/sparse"

// Check fails unless the ids of every row ascend and are below the number of columns, and
// all lengths agree.
func Check(t interface{ Errorf(string, ...any) }, x *sparse.CSR) {
	if len(x.Indptr) != x.Rows+1 || x.NNZ() != int64(len(x.Indices)) || x.Values != nil && len(x.Values) != len(x.Indices) {
		t.Errorf("%d rows have %d pointers, %d ids and %d values", x.Rows, len(x.Indptr), len(x.Indices), len(x.Values))
	}
	for i := range x.Rows {
		last := -1
		ids, _ := x.Row(i)
		for _, j := range ids {
			if int(j) <= last || int(j) >= x.Cols {
				t.Errorf("row %d of %d columns has the ids %v", i, x.Cols, ids)
			}
			last = int(j)
		}
	}
}
