package sparse

import (
	"slices"
	"testing"
)

// appendRow adds a row at the end; ids must be ascending and distinct. A matrix
// that holds binary rows takes no values, and the other way round.
func (m *CSR) appendRow(idx []uint32, val []float32) {
	if m.Indptr == nil {
		m.Indptr = append(m.Indptr, 0)
	}
	m.Indices = append(m.Indices, idx...)
	m.Values = append(m.Values, val...)
	m.Indptr = append(m.Indptr, int64(len(m.Indices)))
	m.Rows++
	if n := len(idx); n > 0 {
		m.Cols = max(m.Cols, int(idx[n-1])+1)
	}
}

func TestRow(t *testing.T) {
	var m CSR
	m.appendRow([]uint32{2, 5}, []float32{1.5, -2})
	m.appendRow(nil, nil)
	m.appendRow([]uint32{0}, []float32{4})
	want := &CSR{Rows: 3, Cols: 6, Indptr: []int64{0, 2, 2, 3}, Indices: []uint32{2, 5, 0}, Values: []float32{1.5, -2, 4}}
	if !equal(&m, want) {
		t.Errorf("%+v, want %+v", m, want)
	}

	rows := plain(want)
	for i := range rows {
		idx, val := m.Row(i)
		if len(idx) != len(rows[i]) || len(val) != len(idx) || cap(idx) != len(idx) || cap(val) != len(val) {
			t.Errorf("row %d: %v, %v, want a view of %v that cannot grow", i, idx, val, rows[i])
		}
		for k, j := range idx {
			if rows[i][j] != val[k] {
				t.Errorf("row %d has %v at %d, want %v", i, val[k], j, rows[i][j])
			}
		}
	}

	binary := CSR{Cols: 10, Indptr: []int64{0}}
	binary.appendRow([]uint32{9}, nil)
	if idx, val := binary.Row(0); !slices.Equal(idx, []uint32{9}) || val != nil || binary.Cols != 10 {
		t.Errorf("row %v, %v of a binary matrix of %d columns", idx, val, binary.Cols)
	}
}

// TestReset makes matrices over again, with values after a binary one.
func TestReset(t *testing.T) {
	var m CSR
	for cols, val := range [][]float32{nil, {1, 2}, {3, 4}} {
		m.Shared = 1
		if m.Reset(cols); m.Rows != 0 || m.Cols != cols || m.NNZ() != 0 || m.SharedColumns() != 0 {
			t.Fatalf("%+v is left", m)
		}
		m.appendRow([]uint32{2, 5}, val)
		if want := (&CSR{Rows: 1, Cols: 6, Indptr: []int64{0, 2}, Indices: []uint32{2, 5}, Values: val}); !equal(&m, want) {
			t.Fatalf("%+v, want %+v", m, want)
		}
	}
}

func TestSharedColumns(t *testing.T) {
	for _, test := range []struct {
		rows [][]uint32
		want int
	}{
		{nil, 0},
		{[][]uint32{{}, {}}, 0},
		{[][]uint32{{0, 1, 2}}, 0},
		{[][]uint32{{0, 1, 2}, {0, 3}}, 1},
		{[][]uint32{{0, 2}, {1, 2, 5}}, 3},
		{[][]uint32{{0}, {0}}, 1},
	} {
		m := &CSR{}
		for _, row := range test.rows {
			m.appendRow(row, nil)
		}
		if got := m.SharedColumns(); got != test.want {
			t.Errorf("SharedColumns of %v = %d, want %d", test.rows, got, test.want)
		}
	}
}
