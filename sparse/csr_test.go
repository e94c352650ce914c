package sparse

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestValidateAcceptsWhatIsDrawn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := matrix.Draw(t, "m")
		if err := m.Validate(); err != nil {
			t.Fatalf("%+v: %v", m, err)
		}
		if m.NNZ() != int64(len(m.Indices)) {
			t.Errorf("NNZ = %d of %d", m.NNZ(), len(m.Indices))
		}
	})
}

func TestValidateRefuses(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, test := range []struct {
		name string
		m    CSR
		want string
	}{
		{"zero value", CSR{}, "0 row pointers for 0 rows"},
		{"too few pointers", CSR{Rows: 2, Cols: 1, Indptr: []int64{0, 0}}, "2 row pointers for 2 rows"},
		{"too many pointers", CSR{Rows: 1, Cols: 1, Indptr: []int64{0, 0, 0}}, "3 row pointers for 1 rows"},
		{"negative rows", CSR{Rows: -1, Cols: 1}, "0 row pointers for -1 rows"},
		{"most rows", CSR{Rows: math.MaxInt, Cols: 1, Indptr: []int64{0}}, "1 row pointers"},
		{"negative columns", CSR{Cols: -1, Indptr: []int64{0}}, "-1 columns"},
		{"first pointer", CSR{Rows: 1, Cols: 9, Indptr: []int64{1, 2}, Indices: []uint32{1, 2}}, "run from 1 to 2, want 0 to 2"},
		{"last pointer", CSR{Rows: 1, Cols: 9, Indptr: []int64{0, 1}, Indices: []uint32{1, 2}}, "run from 0 to 1, want 0 to 2"},
		{"beyond the ids", CSR{Rows: 1, Cols: 9, Indptr: []int64{0, 3}, Indices: []uint32{1, 2}}, "run from 0 to 3, want 0 to 2"},
		{"values", CSR{Rows: 1, Cols: 9, Indptr: []int64{0, 2}, Indices: []uint32{1, 2}, Values: []float32{1}}, "1 values for 2 ids"},
		{"no values", CSR{Rows: 1, Cols: 9, Indptr: []int64{0, 1}, Indices: []uint32{1}, Values: []float32{}}, "0 values for 1 ids"},
		{"falling pointers", CSR{Rows: 3, Cols: 9, Indptr: []int64{0, 2, 1, 2}, Indices: []uint32{1, 2}}, "row 1 runs from 2 to 1"},
		{"negative pointer", CSR{Rows: 2, Cols: 9, Indptr: []int64{0, -1, 2}, Indices: []uint32{1, 2}}, "row 0 runs from 0 to -1"},
		{"pointer beyond and back", CSR{Rows: 2, Cols: 9, Indptr: []int64{0, 5, 2}, Indices: []uint32{1, 2}}, "row 0 runs from 0 to 5"},
		{"falling ids", CSR{Rows: 1, Cols: 9, Indptr: []int64{0, 2}, Indices: []uint32{2, 1}}, "row 0 has id 1 after 2"},
		{"repeated id", CSR{Rows: 1, Cols: 9, Indptr: []int64{0, 2}, Indices: []uint32{2, 2}}, "row 0 has id 2 after 2"},
		{"id out of range", CSR{Rows: 2, Cols: 9, Indptr: []int64{0, 1, 2}, Indices: []uint32{8, 9}}, "row 1 has id 9 after -1, want ascending ids below 9"},
		{"no columns", CSR{Rows: 1, Indptr: []int64{0, 1}, Indices: []uint32{0}}, "row 0 has id 0"},
		{"largest id", CSR{Rows: 1, Cols: math.MaxInt32, Indptr: []int64{0, 1}, Indices: []uint32{math.MaxUint32}}, "id 4294967295"},
		{"not a number", CSR{Rows: 1, Cols: 9, Indptr: []int64{0, 2}, Indices: []uint32{1, 2}, Values: []float32{1, nan}}, "value 1 is NaN"},
		{"infinite", CSR{Rows: 1, Cols: 9, Indptr: []int64{0, 2}, Indices: []uint32{1, 2}, Values: []float32{-inf, 1}}, "value 0 is -Inf"},
	} {
		err := test.m.Validate()
		if err == nil || !strings.HasPrefix(err.Error(), "sparse: ") || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
	if math.MaxInt > math.MaxInt32 {
		beyond := math.MaxInt32
		beyond++
		if err := (&CSR{Cols: beyond, Indptr: []int64{0}}).Validate(); err == nil {
			t.Error("2^31 columns are accepted")
		}
	}
}

// TestDamaged changes one number of a valid matrix: Validate says no, or the
// matrix can be read whole without a panic.
func TestDamaged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := matrix.Draw(t, "m")
		switch rapid.IntRange(0, 3).Draw(t, "where") {
		case 0:
			m.Indptr[rapid.IntRange(0, m.Rows).Draw(t, "i")] = rapid.Int64().Draw(t, "pointer")
		case 1:
			if len(m.Indices) > 0 {
				m.Indices[rapid.IntRange(0, len(m.Indices)-1).Draw(t, "k")] = rapid.Uint32().Draw(t, "id")
			}
		case 2:
			m.Rows = rapid.Int().Draw(t, "rows")
		case 3:
			m.Cols = rapid.IntRange(-5, 50).Draw(t, "cols")
		}
		if m.Validate() != nil {
			return
		}
		m.AddColumnSums(make([]float64, m.Cols), nil, nil)
		m.SharedColumns()
		m.InverseNorms(nil)
	})
}

func TestAppendRow(t *testing.T) {
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
