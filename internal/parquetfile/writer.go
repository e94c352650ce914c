package parquetfile

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/seed-167f963f/nbsvm/internal/display"
)

// Added says what is added to rows.
type Added struct {
	// Label and Score name the columns of the labels and their scores; empty for none.
	Label, Score string
	// Group, if not empty, names a group that holds both.
	Group string
	// Lists says that a row has any number of labels.
	Lists bool
	// All says that every row of the file is to come.
	All bool
}

// Writer writes a file anew: its rows with further columns behind, or only some of the rows. Columns keep their types,
// encodings and codecs, and rows their row groups.
type Writer struct {
	f    *File
	path string
	out  *parquet.Writer
	o    Added
	err  error // stays

	// The row group whose rows come.
	group int
	first int64   // rows before the group
	kept  []int64 // numbers of the rows that have come, from 0 in the group

	fields []string // that are added, in the order of their columns
	values []parquet.Value
}

// NewWriter begins to write rows of the file at path to w.
func NewWriter(w io.Writer, path string, o Added) (out *Writer, err error) {
	f, err := Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	out = &Writer{f: f, path: path, o: o}
	if err = out.begin(w); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return out, nil
}

// extended is the schema of a file with further fields.
type extended struct {
	*parquet.Column
	fields []parquet.Field
}

func (e extended) Fields() []parquet.Field { return e.fields }

func (out *Writer) begin(w io.Writer) (err error) {
	defer recovered(&err)
	for _, column := range out.f.columns {
		if err := out.f.checkCodec(column); err != nil {
			return err
		}
	}
	root := out.f.Root()
	added, err := out.added()
	if err != nil {
		return err
	}
	const page, dictionary = 1 << 20, 1 << 20 // a longer dictionary is given up, as of texts
	options := []parquet.WriterOption{
		parquet.NewSchema(root.Name(), extended{root, slices.Concat(root.Fields(), added)}), parquet.PageBufferSize(page),
		parquet.DictionaryMaxBytes(dictionary),
	}
	for _, kv := range out.f.Metadata().KeyValueMetadata {
		// What Arrow keeps of its own schema does not fit more columns; readers would stumble on that.
		if len(added) == 0 || kv.Key != "ARROW:schema" {
			options = append(options, parquet.KeyValueMetadata(kv.Key, kv.Value))
		}
	}
	out.out = parquet.NewWriter(w, options...)
	return nil
}

// added finds out what is added to the fields of the file.
func (out *Writer) added() ([]parquet.Field, error) {
	group := parquet.Group{}
	for name, node := range map[string]parquet.Node{
		out.o.Label: parquet.String(), out.o.Score: parquet.Leaf(parquet.DoubleType),
	} {
		if name == "" {
			continue
		}
		if node = parquet.Compressed(node, &parquet.Snappy); out.o.Lists {
			node = parquet.List(node)
		}
		group[name] = parquet.Optional(node)
		out.fields = append(out.fields, name)
	}
	slices.Sort(out.fields) // as groups have it
	if out.o.Group != "" && len(group) > 0 {
		group = parquet.Group{out.o.Group: group}
	}
	for _, column := range out.f.Root().Columns() {
		if name := column.Name(); group[name] != nil {
			return nil, fmt.Errorf("the file already has a column %q: choose another name with --add-field NAME", name)
		}
	}
	return group.Fields(), nil
}

// Write takes whole rows, as AppendKept and AppendScored make them, in the order of the file.
func (out *Writer) Write(rows []byte) (int, error) {
	var row outRow
	for rest := rows; len(rest) > 0 && out.err == nil; {
		var err error
		if rest, err = row.next(rest); err == nil {
			err = out.row(&row)
		}
		if err != nil {
			out.err = fmt.Errorf("%s: %w", out.path, err)
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
		err = out.end()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", out.path, err)
	}
	return nil
}

func (out *Writer) end() (err error) {
	defer recovered(&err)
	return out.out.Close()
}

// row takes a row.
func (out *Writer) row(r *outRow) (err error) {
	defer recovered(&err)
	groups := out.f.Metadata().RowGroups
	for out.group < len(groups) && r.number > out.first+groups[out.group].NumRows {
		if err := out.endGroup(); err != nil {
			return err
		}
	}
	if out.group == len(groups) {
		return fmt.Errorf("there is a score for row %d, but the file has %d rows", r.number, out.first)
	}
	number := r.number - out.first - 1
	if err := out.missing(int64(len(out.kept)), number); err != nil {
		return err
	}
	out.kept = append(out.kept, number)
	for i, field := range out.fields {
		column := out.out.ColumnWriters()[len(out.f.columns)+i]
		if _, err := column.WriteRowValues(out.valuesOf(field, r)); err != nil {
			return err
		}
	}
	return nil
}

// missing returns an error if all rows are to come, and fewer of the group have.
func (out *Writer) missing(rows, want int64) error {
	if out.o.All && rows < want {
		return fmt.Errorf("row %d has no score", out.first+rows+1)
	}
	return nil
}

// valuesOf returns what a row has of a field that is added.
func (out *Writer) valuesOf(field string, row *outRow) []parquet.Value {
	values := out.values[:0]
	classes := row.classes
	switch {
	case len(classes) == 0 && out.o.Lists && row.kind == scoredRow:
		values = append(values, parquet.NullValue().Level(0, 1, 0))
	case len(classes) == 0:
		values = append(values, parquet.NullValue())
	case !out.o.Lists:
		classes = classes[:1]
	}
	level := 1
	if out.o.Lists {
		level = 2
	}
	for i, c := range classes {
		value := parquet.DoubleValue(c.score)
		if field == out.o.Label {
			value = parquet.ByteArrayValue(c.label)
		}
		values = append(values, value.Level(min(i, 1), level, 0))
	}
	out.values = values
	return values
}

// endGroup writes a row group, with the rows that have come.
func (out *Writer) endGroup() (err error) {
	defer recovered(&err)
	from := &out.f.Metadata().RowGroups[out.group]
	if err := out.missing(int64(len(out.kept)), from.NumRows); err != nil {
		return err
	}
	if len(out.kept) > 0 {
		for _, column := range out.f.columns {
			if err := out.copy(column, from.NumRows); err != nil {
				return fmt.Errorf("row group %d, column %s: %w",
					out.group+1, display.Excerpt(strings.Join(column.Path(), ".")), err)
			}
		}
		if err := out.out.Flush(); err != nil {
			return err
		}
	}
	out.group, out.first, out.kept = out.group+1, out.first+from.NumRows, out.kept[:0]
	return nil
}

// copy writes what the rows that are kept of a row group have of a column.
func (out *Writer) copy(of *parquet.Column, rows int64) error {
	if err := out.f.checkPages(out.group, of); err != nil {
		return err
	}
	reader := parquet.NewColumnChunkValueReader(out.f.RowGroups()[out.group].ColumnChunks()[of.Index()])
	defer reader.Close()
	to, kept := out.out.ColumnWriters()[of.Index()], out.kept
	buffer, whole := make([]parquet.Value, 256), []parquet.Value(nil)
	for row := int64(-1); ; {
		n, err := reader.ReadValues(buffer)
		begins := 0 // the last row that began
		for i, v := range buffer[:n] {
			if v.RepetitionLevel() == 0 {
				if len(kept) > 0 && kept[0] == row {
					kept = kept[1:]
				}
				row++
				begins = len(whole)
			}
			if len(kept) > 0 && kept[0] == row {
				whole = append(whole, buffer[i])
			}
		}
		if err == io.EOF {
			begins = len(whole)
		}
		if begins > 0 {
			if _, err := to.WriteRowValues(whole[:begins]); err != nil {
				return err
			}
		}
		whole = slices.Delete(whole, 0, begins)
		for i := range whole { // the page may end here, and with it what the values are views of
			whole[i] = whole[i].Clone()
		}
		switch {
		case err == io.EOF && row+1 != rows:
			return errors.New("it has other rows than the footer says; the file is damaged")
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
	}
}
