package parquetfile

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"

	"github.com/seed-167f963f/nbsvm/internal/display"
)

// Table writes a file of its own: rows of fields, which are strings, and scores. Everything may be null.
type Table struct {
	w      plainWriter
	fields []string
	of     []addedField
	values parquet.Row // of a row
	rows   int         // of the row group
	bytes  int         // of their fields and labels
	err    error       // stays
}

// A row group is written when it has so many rows or bytes. It is in memory until then.
const (
	groupRows  = 1 << 17
	groupBytes = 32 << 20
)

// NewTable begins a file. Two columns of one name are an error.
func NewTable(w io.Writer, fields []string, of []Scores) (*Table, error) {
	t := &Table{fields: fields}
	var columns table
	for _, name := range fields {
		columns.add(name, parquet.Optional(plain(parquet.String())))
	}
	for i := range of {
		for _, f := range of[i].fields(i) {
			columns.add(f.path[0], f.node())
			t.of = append(t.of, f)
		}
	}
	for i, name := range columns.names {
		switch {
		case slices.Contains(columns.names[:i], name):
			return nil, fmt.Errorf("the file would have two columns %s: leave the field out", display.Excerpt(name))
		case !utf8.ValidString(name):
			return nil, fmt.Errorf("%s can't be the name of a column: it is not valid UTF-8", display.Excerpt(name))
		}
	}
	t.w = newPlainWriter(w, &columns)
	return t, nil
}

// Write takes whole rows, as Append makes them.
func (t *Table) Write(rows []byte) (int, error) {
	var row Row
	for rest := rows; len(rest) > 0 && t.err == nil; {
		before := len(rest)
		rest = row.next(rest)
		t.err = t.row(&row, before-len(rest))
	}
	if t.err != nil {
		return 0, t.err
	}
	return len(rows), nil
}

func (t *Table) row(r *Row, size int) (err error) {
	defer recovered(&err)
	t.values = t.values[:0]
	for i := range t.fields {
		value := parquet.NullValue().Level(0, 0, i)
		if i < len(r.Fields) && r.Fields[i] != nil { // bad records have an id at most
			value = parquet.ByteArrayValue(r.Fields[i]).Level(0, 1, i)
		}
		t.values = append(t.values, value)
	}
	for i := range t.of {
		t.values = t.of[i].append(t.values, len(t.fields)+i, &r.Of[t.of[i].of])
	}
	if _, err := t.w.WriteRows([]parquet.Row{t.values}); err != nil {
		return err
	}
	t.rows, t.bytes = t.rows+1, t.bytes+size
	if t.rows < groupRows && t.bytes < groupBytes {
		return nil
	}
	t.rows, t.bytes = 0, 0
	return t.w.Flush()
}

// Close ends the file, unless there was an error, which it returns: what was written is then not whole.
func (t *Table) Close(err error) error {
	if t.err != nil {
		return t.err
	}
	if err == nil {
		err = t.w.Close()
	}
	return err
}

// table is a type of rows whose columns stay in their order.
type table struct {
	parquet.Group
	names []string
	nodes []parquet.Node
}

func (t *table) add(name string, node parquet.Node) {
	t.names, t.nodes = append(t.names, name), append(t.nodes, node)
}

func (t *table) Fields() (fields []parquet.Field) {
	for i, name := range t.names {
		fields = append(fields, parquet.Group{name: t.nodes[i]}.Fields()...)
	}
	return fields
}

// GoType is that of no use: rows are written as values. Names of columns need not be those of a Go type.
func (t *table) GoType() reflect.Type { return reflect.TypeFor[struct{}]() }
