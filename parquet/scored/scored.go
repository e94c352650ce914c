// Package scored writes Parquet files anew with what nbsvm found out: their rows with further columns behind, or only
// some of the rows.
//
// Columns of which all rows stay are copied as they stand, byte by byte, and not decoded. So nothing of them changes,
// in whatever way they are compressed and coded.
package scored

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/seed-167f963f/nbsvm/internal/file/recordstream"
	"github.com/seed-167f963f/nbsvm/parquet/records"
)

// Options say what is added.
type Options struct {
	// Label and Score name the columns of the labels and their scores; empty for none.
	Label, Score string
	// Group, if not empty, names a group that holds both.
	Group string
	// Lists says that a row has any number of labels.
	Lists bool
	// All says that every row of the file is to come.
	All bool
	// Beat is called whenever writing has got further.
	Beat func()
}

const magic = "PAR1"

// Write writes the rows of a file that come, with what they bring.
func Write(w io.Writer, path string, o Options, rows *recordstream.RowReader) error {
	if o.Beat == nil {
		o.Beat = func() {}
	}
	out := &output{w: w, o: o, rows: rows}
	if err := out.write([]byte(magic)); err != nil {
		return err
	}
	if err := out.file(path); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return out.footer()
}

// output is a file that is written.
type output struct {
	w     io.Writer
	o     Options
	at    int64
	rows  *recordstream.RowReader
	next  recordstream.Row // that was read, and is still to be written
	row   int64            // of the file, behind those that were written or passed over
	meta  format.FileMetaData
	added []format.SchemaElement // schema elements, behind those of the input
}

func (out *output) write(data []byte) error {
	n, err := out.w.Write(data)
	out.at += int64(n)
	return err
}

// file writes the rows of a file.
func (out *output) file(path string) error {
	f, err := records.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	meta := f.Metadata()
	out.meta = *meta
	out.meta.RowGroups, out.meta.NumRows = nil, 0
	if err := out.schema(f.Root()); err != nil {
		return err
	}
	if err := out.rows.Next(&out.next); err != nil {
		return err
	}
	for g := range meta.RowGroups {
		if err := out.group(f, g); err != nil {
			return err
		}
	}
	if out.next.Kind != recordstream.NoMore {
		return fmt.Errorf("there is a score for row %d, but the file has %d rows", out.next.Number, out.row)
	}
	return nil
}

// column is the schema of what is added: groups sort their fields by name.
func (out *output) column() *parquet.Schema {
	label := parquet.Encoded(parquet.Optional(parquet.String()), &parquet.RLEDictionary)
	score := parquet.Optional(parquet.Leaf(parquet.DoubleType))
	if out.o.Lists {
		label = parquet.Optional(parquet.List(parquet.String()))
		score = parquet.Optional(parquet.List(parquet.Leaf(parquet.DoubleType)))
	}
	fields := parquet.Group{}
	if out.o.Label != "" {
		fields[out.o.Label] = label
	}
	if out.o.Score != "" {
		fields[out.o.Score] = score
	}
	if len(fields) == 0 {
		return nil
	}
	if out.o.Group != "" {
		fields = parquet.Group{out.o.Group: fields}
	}
	return parquet.NewSchema("schema", fields)
}

// schema finds out what is added to the columns of a file.
func (out *output) schema(of *parquet.Column) error {
	schema := out.column()
	if schema == nil {
		return nil
	}
	names := map[string]bool{}
	for _, name := range []string{out.o.Label, out.o.Score} {
		if out.o.Group != "" {
			name = out.o.Group
		}
		names[name] = name != ""
	}
	for _, column := range of.Columns() {
		if name := column.Name(); names[name] {
			return fmt.Errorf("the file already has a column %q: choose another name with --add-field NAME", name)
		}
	}
	empty, err := encode(schema, nil)
	if err != nil {
		return err
	}
	out.added = empty.Metadata().Schema[1:]
	// What Arrow keeps of its own schema no longer fits; readers would stumble on that.
	out.meta.KeyValueMetadata = slices.DeleteFunc(slices.Clone(out.meta.KeyValueMetadata), func(kv format.KeyValue) bool {
		return kv.Key == "ARROW:schema"
	})
	return nil
}

// group writes a row group, with the rows that are wanted of it.
func (out *output) group(f *records.File, g int) error {
	from := &f.Metadata().RowGroups[g]
	schema := out.column()
	var add []parquet.Row
	keep := make([]bool, 0, min(from.NumRows, 1<<20))
	kept := int64(0)
	for range from.NumRows {
		out.row++
		is := out.next.Kind != recordstream.NoMore && out.next.Number == out.row
		if keep = append(keep, is); !is {
			if out.o.All {
				return fmt.Errorf("row %d has no score", out.row)
			}
			continue
		}
		kept++
		if schema != nil {
			add = append(add, out.values(&out.next))
		}
		if err := out.rows.Next(&out.next); err != nil {
			return err
		}
	}
	out.o.Beat()
	if kept == 0 && from.NumRows > 0 {
		return nil
	}
	to := format.RowGroup{NumRows: kept, SortingColumns: from.SortingColumns, FileOffset: out.at}
	rows := io.ReaderAt(f)
	if kept < from.NumRows {
		some, err := out.some(f, g, keep)
		if err != nil {
			return err
		}
		rows, from = some, &some.Metadata().RowGroups[0]
	}
	if err := out.columns(&to, from, rows); err != nil {
		return err
	}
	if schema != nil {
		of, err := encode(schema, add)
		if err != nil {
			return err
		}
		if groups := of.Metadata().RowGroups; len(groups) > 0 {
			if err := out.columns(&to, &groups[0], of); err != nil {
				return err
			}
		}
	}
	const mostOrdinal = 1<<15 - 1
	to.Ordinal = int16(min(len(out.meta.RowGroups), mostOrdinal))
	out.meta.RowGroups = append(out.meta.RowGroups, to)
	out.meta.NumRows += kept
	return nil
}

// values are what is added to a row.
func (out *output) values(of *recordstream.Row) (row parquet.Row) {
	is, classes := of.Kind, of.Classes
	column := 0
	// As the fields of a group are sorted.
	fields := []string{out.o.Label, out.o.Score}
	slices.Sort(fields)
	for _, field := range fields {
		if field == "" {
			continue
		}
		value := func(c recordstream.Class) parquet.Value {
			if field == out.o.Label {
				return parquet.ByteArrayValue([]byte(c.Label))
			}
			return parquet.DoubleValue(c.Score)
		}
		switch {
		case out.o.Lists && is == recordstream.Scored && len(classes) == 0:
			row = append(row, parquet.NullValue().Level(0, 1, column))
		case len(classes) == 0:
			row = append(row, parquet.NullValue().Level(0, 0, column))
		case out.o.Lists:
			for i, c := range classes {
				row = append(row, value(c).Level(min(i, 1), 2, column))
			}
		default:
			row = append(row, value(classes[0]).Level(0, 1, column))
		}
		column++
	}
	return row
}

// encode is a file in memory of one row group.
func encode(schema *parquet.Schema, rows []parquet.Row) (*parquet.File, error) {
	var b bytes.Buffer
	w := parquet.NewWriter(&b, schema, parquet.Compression(&parquet.Snappy), parquet.MaxRowsPerRowGroup(1<<62))
	if _, err := w.WriteRows(rows); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return parquet.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()), parquet.SkipPageIndex(true))
}

// some returns a file in memory that has some rows of a row group.
func (out *output) some(f *records.File, g int, keep []bool) (*parquet.File, error) {
	var b bytes.Buffer
	w := parquet.NewWriter(&b, parquet.NewSchema(f.Root().Name(), f.Root()), parquet.MaxRowsPerRowGroup(1<<62))
	row := 0
	err := f.EachRow(g, func(of parquet.Row) error {
		out.o.Beat()
		if row++; row > len(keep) || !keep[row-1] {
			return nil
		}
		_, err := w.WriteRows([]parquet.Row{of})
		return err
	})
	if err == nil && row != len(keep) {
		err = fmt.Errorf("row group %d has %d rows, and the footer says %d; the file is damaged", g+1, row, len(keep))
	}
	if err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return parquet.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()), parquet.SkipPageIndex(true))
}

// columns copies the columns of a row group.
func (out *output) columns(to *format.RowGroup, from *format.RowGroup, r io.ReaderAt) error {
	for i := range from.Columns {
		chunk := from.Columns[i]
		m := &chunk.MetaData
		lo, hi := records.Extent(m)
		// Indexes and filters stand elsewhere, and are left behind.
		chunk.OffsetIndexOffset, chunk.OffsetIndexLength, chunk.ColumnIndexOffset, chunk.ColumnIndexLength = 0, 0, 0, 0
		m.BloomFilterOffset, m.BloomFilterLength, m.IndexPageOffset = 0, 0, 0
		moved := out.at - lo
		if m.DictionaryPageOffset > 0 {
			m.DictionaryPageOffset += moved
		}
		m.DataPageOffset += moved
		chunk.FileOffset = 0
		n, err := io.Copy(&beating{out}, io.NewSectionReader(r, lo, hi-lo))
		if err == nil && n < hi-lo {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
		to.Columns = append(to.Columns, chunk)
		to.TotalByteSize += m.TotalUncompressedSize
		to.TotalCompressedSize += hi - lo
	}
	return nil
}

// beating writes, and says that it does.
type beating struct{ *output }

func (b *beating) Write(p []byte) (int, error) {
	b.o.Beat()
	return len(p), b.write(p)
}

// footer ends the file.
func (out *output) footer() error {
	meta := &out.meta
	if len(out.added) > 0 {
		root := meta.Schema[0]
		root.NumChildren.V += int32(len(out.column().Fields()))
		meta.Schema = slices.Concat([]format.SchemaElement{root}, meta.Schema[1:], out.added)
		for _, e := range out.added {
			if e.Type.Valid && len(meta.ColumnOrders) > 0 {
				meta.ColumnOrders = append(meta.ColumnOrders, format.ColumnOrder{Value: &format.TypeDefinedOrder{}})
			}
		}
	}
	footer, err := thrift.Marshal(&thrift.CompactProtocol{}, meta)
	if err != nil {
		return err
	}
	footer = binary.LittleEndian.AppendUint32(footer, uint32(len(footer)))
	return out.write(append(footer, magic...))
}
