package sparse

import (
	"slices"
	"strings"
	"testing"
)

func TestRow(t *testing.T) {
	var m CSR
	m.AppendRow([]uint32{2, 5}, []float32{1.5, -2})
	m.AppendRow(nil, nil)
	m.AppendRow([]uint32{0}, []float32{4})
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
	binary.AppendRow([]uint32{9}, nil)
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
		m.AppendRow([]uint32{2, 5}, val)
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
			m.AppendRow(row, nil)
		}
		if got := m.SharedColumns(); got != test.want {
			t.Errorf("SharedColumns of %v = %d, want %d", test.rows, got, test.want)
		}
	}
}

func TestValidate(t *testing.T) {
	if err := new(CSR).Validate(); err != nil {
		t.Error(err)
	}
	for name, m := range map[string]CSR{
		"-1 × 0":                       {Rows: -1},
		"must have 2 elements":         {Rows: 1, Cols: 1, Indptr: []int64{0}},
		"Values must be nil or have 1": {Rows: 1, Cols: 1, Indptr: []int64{0, 1}, Indices: []uint32{0}, Values: []float32{}},
		"must go from 0 to 1":          {Rows: 1, Cols: 1, Indptr: []int64{0, 2}, Indices: []uint32{0}},
		"row 0 reaches from":           {Rows: 2, Cols: 1, Indptr: []int64{0, 2, 1}, Indices: []uint32{0}},
		"from 0 to 2, got 3":           {Rows: 1, Cols: 3, Indptr: []int64{0, 1}, Indices: []uint32{3}},
		"from 2 to 2, got 1":           {Rows: 1, Cols: 3, Indptr: []int64{0, 2}, Indices: []uint32{1, 1}},
	} {
		if err := m.Validate(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want %q", err, name)
		}
	}
}
