package sparse

import "testing"

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
