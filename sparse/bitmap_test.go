package sparse

import (
	"math"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"pgregory.net/rapid"
)

func TestTranspose(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := matrix.Draw(t, "m")
		turned := m.Transpose()
		if err := turned.Validate(); err != nil {
			t.Fatal(err)
		}
		if turned.Rows != m.Cols || turned.Cols != m.Rows || turned.NNZ() != m.NNZ() {
			t.Fatalf("%d x %d with %d entries becomes %d x %d with %d", m.Rows, m.Cols, m.NNZ(), turned.Rows, turned.Cols, turned.NNZ())
		}
		rows, columns := plain(m), plain(turned)
		for i, row := range rows {
			for j, v := range row {
				if got, there := columns[j][uint32(i)]; !there || got != v {
					t.Fatalf("entry %d, %d is %v, %v; want %v", i, j, got, there, v)
				}
			}
		}
		if !equal(turned.Transpose(), m) {
			t.Errorf("transposed twice, %+v differs", m)
		}
	})
}

func TestTransposeTooManyRows(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("no such matrix on this machine")
	}
	defer func() {
		if recover() == nil {
			t.Error("2^31 rows become columns")
		}
	}()
	rows := math.MaxInt32
	(&CSR{Rows: rows + 1}).Transpose()
}

func TestBitmapsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := matrix.Draw(t, "m")
		var rows []*roaring.Bitmap
		for i := range m.Rows {
			rows = append(rows, m.RowBitmap(i))
		}
		binary := &CSR{Rows: m.Rows, Cols: m.Cols, Indptr: m.Indptr, Indices: m.Indices}
		if got := FromBitmaps(m.Cols, rows...); !equal(got, binary) {
			t.Fatalf("rows come back as %+v, want %+v", got, binary)
		}
		columns := m.ColumnBitmaps()
		if len(columns) != m.Cols {
			t.Fatalf("%d columns of %d", len(columns), m.Cols)
		}
		if got := FromBitmaps(m.Rows, columns...).Transpose(); !equal(got, binary) {
			t.Fatalf("columns come back as %+v, want %+v", got, binary)
		}
	})
}

func TestFromBitmapsGrows(t *testing.T) {
	m := FromBitmaps(3, roaring.BitmapOf(1), roaring.New(), roaring.BitmapOf(70_000, 0))
	if err := m.Validate(); err != nil || m.Rows != 3 || m.Cols != 70_001 || m.NNZ() != 3 || !m.Binary() {
		t.Errorf("%+v: %v", m, err)
	}
	if m := FromBitmaps(5); m.Rows != 0 || m.Cols != 5 || m.Validate() != nil {
		t.Errorf("of no sets: %+v", m)
	}
}

func TestSelect(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := matrix.Draw(t, "m")
		set := rowSet(t, m.Rows)
		got := m.Select(set)
		if err := got.Validate(); err != nil {
			t.Fatal(err)
		}
		if got.Cols != m.Cols || got.Binary() != m.Binary() || got.Rows != int(set.GetCardinality()) {
			t.Fatalf("%d rows of %+v: %+v", set.GetCardinality(), m, got)
		}
		all, some := plain(m), plain(got)
		at := 0
		for i := range all {
			if !set.Contains(uint32(i)) {
				continue
			}
			if len(some[at]) != len(all[i]) {
				t.Fatalf("row %d is %v, want %v", at, some[at], all[i])
			}
			for j, v := range all[i] {
				if some[at][j] != v {
					t.Fatalf("row %d is %v, want %v", at, some[at], all[i])
				}
			}
			at++
		}
		for k := range got.Indices { // a copy: writing to it leaves m alone
			got.Indices[k] = math.MaxUint32
		}
		if err := m.Validate(); err != nil {
			t.Errorf("Select shares memory: %v", err)
		}
	})
}

// rowSet draws some of the rows.
func rowSet(t *rapid.T, rows int) *roaring.Bitmap {
	set := roaring.New()
	for i := range rows {
		if rapid.Bool().Draw(t, "in") {
			set.Add(uint32(i))
		}
	}
	return set
}
