package parquetfile

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Added says what is added to rows.
type Added struct {
	Of []Scores
	// All says that every row of the file is to come.
	All bool
}

// Scores are the columns of a model's labels and their scores.
type Scores struct {
	// Label and Score name them; empty for none.
	Label, Score string
	// Path names the groups that hold both, from the outermost; there may be none.
	Path []string
	// Lists says that a row has any number of labels.
	Lists bool
}

// Writer writes a file anew: its rows with further columns behind, or only some of the rows.
//
// Columns of which all rows stay are copied as they stand, byte by byte, and not decoded. So nothing of them changes,
// in whatever way they are compressed and coded. Added columns, and the rows that are kept of others, are written by
// parquet-go, a row group at a time. If it wrote all columns, scoring 50,000 reviews would take 1.9 (Snappy) and 1.7
// times (Zstandard) as long and 25 to 60 MiB more.
type Writer struct {
	f    *File
	path string
	w    io.Writer
	o    Added
	at   int64
	err  error // stays

	// The row group whose rows come.
	group int
	first int64   // rows before the group
	kept  []int64 // numbers of the rows that have come, from 0 in the group

	fields []addedField  // that are added, in order
	schema parquet.Group // of these
	adding *chunks       // to the group; nil before its first row
	values parquet.Row   // that are added to a row

	meta format.FileMetaData
}

// NewWriter begins to write rows of the file at path to w.
func NewWriter(w io.Writer, path string, o Added) (out *Writer, err error) {
	f, err := Open(path)
	if err != nil {
		return nil, named(path, err)
	}
	out = &Writer{f: f, path: path, w: w, o: o, meta: *f.Metadata()}
	out.meta.RowGroups, out.meta.NumRows = nil, 0
	if err = out.begin(); err != nil {
		f.Close()
		return nil, named(path, err)
	}
	return out, nil
}

// named returns an error that names the file.
func named(path string, err error) error {
	if unreadable(err) {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}

func (out *Writer) begin() (err error) {
	defer recovered(&err)
	if err := out.addSchema(); err != nil {
		return err
	}
	return out.write([]byte(magic))
}

func (out *Writer) write(data []byte) error {
	_, err := (*counted)(out).Write(data)
	return err
}

// counted is a writer that counts what it writes.
type counted Writer

func (out *counted) Write(data []byte) (int, error) {
	n, err := out.w.Write(data)
	out.at += int64(n)
	return n, err
}

// Write takes whole rows, as Append makes them, in the order of the file.
func (out *Writer) Write(rows []byte) (int, error) {
	var row Row
	for rest := rows; len(rest) > 0 && out.err == nil; {
		rest = row.next(rest)
		if err := out.row(&row); err != nil {
			out.err = named(out.path, err)
		}
	}
	if out.err != nil {
		return 0, out.err
	}
	return len(rows), nil
}

// Close writes what is left, unless there was an error, which it returns: what was written is then not whole.
func (out *Writer) Close(err error) error {
	defer out.f.Close()
	if out.err != nil || err != nil {
		return cmp.Or(out.err, err)
	}
	for err == nil && out.group < len(out.f.Metadata().RowGroups) {
		err = out.endGroup()
	}
	if err == nil {
		err = out.footer()
	}
	if err != nil {
		return named(out.path, err)
	}
	return nil
}

// row takes a row.
func (out *Writer) row(r *Row) (err error) {
	defer recovered(&err)
	groups := out.f.Metadata().RowGroups
	for out.group < len(groups) && r.Number > out.first+groups[out.group].NumRows {
		if err := out.endGroup(); err != nil {
			return err
		}
	}
	if out.group == len(groups) {
		return fmt.Errorf("there is a score for row %d, but the file has %d rows", r.Number, out.first)
	}
	number := r.Number - out.first - 1
	if err := out.missing(int64(len(out.kept)), number); err != nil {
		return err
	}
	if out.kept = append(out.kept, number); len(out.fields) == 0 {
		return nil
	}
	if out.adding == nil {
		out.adding = newChunks(out.schema)
	}
	out.values = out.values[:0]
	for i := range out.fields {
		out.values = out.fields[i].append(out.values, i, &r.Of[out.fields[i].of])
	}
	_, err = out.adding.WriteRows([]parquet.Row{out.values})
	return err
}

// missing returns an error if all rows are to come, and fewer of the group have.
func (out *Writer) missing(rows, want int64) error {
	if out.o.All && rows < want {
		return fmt.Errorf("row %d has no score", out.first+rows+1)
	}
	return nil
}

// addSchema finds out what is added to the columns of the file.
func (out *Writer) addSchema() error {
	out.schema = parquet.Group{}
	for i, of := range out.o.Of {
		group := out.schema
		for _, name := range of.Path {
			inner, _ := group[name].(parquet.Group)
			if inner == nil {
				inner = parquet.Group{}
				group[name] = inner
			}
			group = inner
		}
		for _, f := range of.fields(i) {
			name := f.path[0]
			group[name] = f.node()
			f.path = append(slices.Clone(of.Path), name)
			out.fields = append(out.fields, f)
		}
	}
	if len(out.fields) == 0 {
		return nil
	}
	// As those of groups are, which are sorted by name.
	slices.SortFunc(out.fields, func(a, b addedField) int { return slices.Compare(a.path, b.path) })
	for _, column := range out.f.Root().Columns() {
		if name := column.Name(); out.schema[name] != nil {
			return fmt.Errorf("the file already has a column %q: choose another name with --add-field NAME", name)
		}
	}
	added, err := newChunks(out.schema).end(nil)
	if err != nil {
		return err
	}
	meta := &out.meta
	root := meta.Schema[0]
	root.NumChildren.V += int32(len(out.schema))
	meta.Schema = slices.Concat([]format.SchemaElement{root}, meta.Schema[1:], added.Schema[1:])
	if len(meta.ColumnOrders) > 0 {
		meta.ColumnOrders = slices.Concat(meta.ColumnOrders, added.ColumnOrders)
	}
	// What Arrow keeps of its own schema no longer fits; readers would stumble on that.
	meta.KeyValueMetadata = slices.DeleteFunc(slices.Clone(meta.KeyValueMetadata), func(kv format.KeyValue) bool {
		return kv.Key == "ARROW:schema"
	})
	return nil
}

// endGroup writes a row group, with the rows that have come.
func (out *Writer) endGroup() (err error) {
	defer recovered(&err)
	from := &out.f.Metadata().RowGroups[out.group]
	kept := int64(len(out.kept))
	if err := out.missing(kept, from.NumRows); err != nil {
		return err
	}
	if kept > 0 {
		if err := out.writeGroup(from); err != nil {
			return err
		}
	}
	out.group, out.first, out.kept, out.adding = out.group+1, out.first+from.NumRows, out.kept[:0], nil
	return nil
}

func (out *Writer) writeGroup(from *format.RowGroup) error {
	kept := int64(len(out.kept))
	to := format.RowGroup{NumRows: kept, SortingColumns: from.SortingColumns, FileOffset: out.at}
	if kept == from.NumRows {
		for i := range from.Columns {
			lo, hi := extent(&from.Columns[i].MetaData)
			out.column(&to, from.Columns[i], out.at-lo)
			n, err := io.Copy((*counted)(out), io.NewSectionReader(out.f.data, lo, hi-lo))
			if err == nil && n < hi-lo {
				err = io.ErrUnexpectedEOF
			}
			if err != nil {
				return err
			}
		}
	} else {
		c, err := out.f.some(out.group, out.kept)
		if err == nil {
			err = out.chunks(&to, c)
		}
		if err != nil {
			return fmt.Errorf("row group %d: %w", out.group+1, err)
		}
	}
	if out.adding != nil {
		if err := out.chunks(&to, out.adding); err != nil {
			return err
		}
	}
	const mostOrdinal = 1<<15 - 1
	to.Ordinal = int16(min(len(out.meta.RowGroups), mostOrdinal))
	out.meta.RowGroups = append(out.meta.RowGroups, to)
	out.meta.NumRows += kept
	return nil
}

// addedField is a column that is added.
type addedField struct {
	path  []string
	of    int  // whose of Added.Of it is
	label bool // it has labels, else scores
	lists bool
}

// fields returns the columns of labels and scores, of the i-th model, without the groups that hold them.
func (s *Scores) fields(i int) (all []addedField) {
	if s.Label != "" {
		all = append(all, addedField{path: []string{s.Label}, of: i, label: true, lists: s.Lists})
	}
	return append(all, addedField{path: []string{s.Score}, of: i, lists: s.Lists})
}

// node returns the type of the field.
func (f *addedField) node() parquet.Node {
	node := parquet.Leaf(parquet.DoubleType)
	if f.label {
		node = parquet.String()
	}
	if node = plain(node); f.lists {
		node = parquet.List(node)
	}
	return parquet.Optional(node)
}

// plain returns a leaf in an encoding and a compression that all readers know.
func plain(leaf parquet.Node) parquet.Node {
	return parquet.Compressed(parquet.Encoded(leaf, &parquet.Plain), &parquet.Snappy)
}

// append appends what a row has of the field, the i-th that is added.
func (f *addedField) append(values parquet.Row, i int, of *Scored) parquet.Row {
	labels, level := of.Labels, 2
	switch {
	case len(labels) == 0 && f.lists && of.There:
		return append(values, parquet.NullValue().Level(0, 1, i))
	case len(labels) == 0:
		return append(values, parquet.NullValue().Level(0, 0, i))
	case !f.lists:
		labels, level = labels[:1], 1
	}
	for k, label := range labels {
		value := parquet.DoubleValue(of.Scores[k])
		if f.label {
			value = parquet.ByteArrayValue([]byte(label))
		}
		values = append(values, value.Level(min(k, 1), level, i))
	}
	return values
}

// chunks writes columns.
func (out *Writer) chunks(to *format.RowGroup, c *chunks) error {
	moved := out.at - int64(len(magic))
	meta, err := c.end((*counted)(out))
	if err != nil {
		return err
	}
	for _, chunk := range meta.RowGroups[0].Columns {
		out.column(to, chunk, moved)
	}
	return nil
}

// column adds a column to a row group; it lies so many bytes behind where it says.
func (out *Writer) column(to *format.RowGroup, chunk format.ColumnChunk, moved int64) {
	m := &chunk.MetaData
	lo, hi := extent(m)
	// Indexes and filters stand elsewhere, and are left behind.
	chunk.OffsetIndexOffset, chunk.OffsetIndexLength, chunk.ColumnIndexOffset, chunk.ColumnIndexLength = 0, 0, 0, 0
	m.BloomFilterOffset, m.BloomFilterLength, m.IndexPageOffset = 0, 0, 0
	if m.DictionaryPageOffset > 0 {
		m.DictionaryPageOffset += moved
	}
	m.DataPageOffset += moved
	chunk.FileOffset = 0
	to.Columns = append(to.Columns, chunk)
	to.TotalByteSize += m.TotalUncompressedSize
	to.TotalCompressedSize += hi - lo
}

// footer ends the file.
func (out *Writer) footer() error {
	footer, err := thrift.Marshal(&thrift.CompactProtocol{}, &out.meta)
	if err != nil {
		return err
	}
	footer = binary.LittleEndian.AppendUint32(footer, uint32(len(footer)))
	return out.write(append(footer, magic...))
}
