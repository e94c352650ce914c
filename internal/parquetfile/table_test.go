package parquetfile

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// tableRow is a row of a table, as parquet-go reads it.
type tableRow struct {
	ID       *string   `parquet:"z id,optional"`
	Date     *string   `parquet:"meta.date,optional"`
	Label    *string   `parquet:"predicted,optional"`
	Score    *float64  `parquet:"score,optional"`
	Labels   []string  `parquet:"b_predicted,optional,list"`
	Scores   []float64 `parquet:"b_score,optional,list"`
	OneScore *float64  `parquet:"a_score,optional"`
}

// TestTable: parquet-go reads what rows were written, in whatever portions, of several row groups.
func TestTable(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := func() []byte {
		switch r.IntN(4) {
		case 0:
			return nil
		case 1:
			return []byte{}
		}
		return fmt.Appendf(nil, "é%d", r.IntN(1000))
	}
	one := func(text []byte) *string {
		if text == nil {
			return nil
		}
		s := string(text)
		return &s
	}
	const n = groupRows + 500
	var out bytes.Buffer
	table, err := NewTable(&out, []string{"z id", "meta.date"}, []Scores{
		{Label: "predicted", Score: "score"}, {Label: "b_predicted", Score: "b_score", Lists: true}, {Score: "a_score"},
	})
	must.OK(t, err)
	want := make([]tableRow, n)
	var portion []byte
	for i := range want {
		row, to := Row{Fields: [][]byte{text(), text()}, Of: make([]Scored, 3)}, &want[i]
		to.ID, to.Date = one(row.Fields[0]), one(row.Fields[1])
		if r.IntN(5) == 0 { // a bad record
			row.Fields = row.Fields[:r.IntN(2)]
			if to.Date = nil; len(row.Fields) == 0 {
				to.ID = nil
			}
		} else {
			label, score := fmt.Sprint("label", r.IntN(3)), r.Float64()
			row.Of[0] = Scored{There: true, Labels: []string{label}, Scores: []float64{score}}
			row.Of[2] = Scored{There: true, Labels: []string{""}, Scores: []float64{-score}}
			other := -score
			to.Label, to.Score, to.OneScore = &label, &score, &other
			row.Of[1].There = true
			for range r.IntN(4) {
				to.Labels, to.Scores = append(to.Labels, fmt.Sprint(r.IntN(9))), append(to.Scores, r.NormFloat64())
			}
			row.Of[1].Labels, row.Of[1].Scores = to.Labels, to.Scores
		}
		if portion = row.Append(portion); r.IntN(100) == 0 {
			_, err := table.Write(portion)
			must.OK(t, err)
			portion = portion[:0]
		}
	}
	_, err = table.Write(portion)
	must.OK(t, err)
	must.OK(t, table.Close(nil))
	got, err := parquet.Read[tableRow](bytes.NewReader(out.Bytes()), int64(out.Len()))
	must.OK(t, err)
	if len(got) != n {
		t.Fatalf("%d rows, want %d", len(got), n)
	}
	for i := range want {
		if len(got[i].Labels)+len(want[i].Labels) == 0 { // an empty list is read as none
			got[i].Labels, got[i].Scores = nil, nil
		}
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Fatalf("row %d is %+v, want %+v", i, got[i], want[i])
		}
	}
	f := open(t, out.Bytes())
	var columns []string
	for _, column := range f.Root().Columns() {
		columns = append(columns, column.Name())
	}
	names := []string{"z id", "meta.date", "predicted", "score", "b_predicted", "b_score", "a_score"}
	if groups := f.Metadata().RowGroups; !reflect.DeepEqual(columns, names) || len(groups) != 2 || groups[0].NumRows != groupRows {
		t.Errorf("%d row groups of columns %q", len(groups), columns)
	}
}

// TestTableEnds: long rows make row groups of few, a table may be empty, and one that is not whole has no end.
func TestTableEnds(t *testing.T) {
	for _, test := range []struct{ rows, groups int }{{0, 0}, {1, 1}, {9, 3}} {
		var out bytes.Buffer
		table, err := NewTable(&out, []string{"text"}, nil)
		must.OK(t, err)
		row := Row{Fields: [][]byte{bytes.Repeat([]byte("long "), groupBytes/4/5+1)}}
		for range test.rows {
			_, err := table.Write(row.Append(nil))
			must.OK(t, err)
		}
		must.OK(t, table.Close(nil))
		f := open(t, out.Bytes())
		if groups := len(f.Metadata().RowGroups); groups != test.groups || f.NumRows() != int64(test.rows) {
			t.Errorf("%d rows make %d groups, want %d", f.NumRows(), groups, test.groups)
		}
	}
	var out bytes.Buffer
	table, err := NewTable(&out, []string{"text"}, nil)
	must.OK(t, err)
	broken := errors.New("broken")
	if err := table.Close(broken); err != broken {
		t.Errorf("error %v", err)
	}
	if _, err := OpenAt(bytes.NewReader(out.Bytes()), int64(out.Len())); err == nil {
		t.Error("a table without its end is read")
	}
	for _, fields := range [][]string{{"a", "a"}, {"score"}, {"\xff"}} {
		if _, err := NewTable(&out, fields, []Scores{{Score: "score"}}); err == nil {
			t.Errorf("there are columns %q beside score", fields)
		}
	}
}
