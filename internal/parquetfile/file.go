// Package parquetfile reads documents from Parquet files, and writes such files anew with scores.
//
// It reads texts, labels and weights, and further fields, each from a column. Only these columns are read, page by
// page, so that memory does not grow with the file.
//
// A file may be damaged, or made to do harm. Footers and the headers of pages are checked before parquet-go makes room
// for what they announce, and its panics become errors.
package parquetfile

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// Options say what is read of a file.
type Options struct {
	// Text, Label and Weight name columns; dots descend into groups. Text and Label are text and label where they are
	// empty; without a name there are no weights.
	Text, Label, Weight string
	// Numbers says that labels are numbers to predict, which messages call targets.
	Numbers bool
	// Unlabelled says that there need not be a label.
	Unlabelled bool
	// Keep are further fields.
	Keep []string
	// FieldsOnly says that there need not be a text, unless Text names one, nor any of the fields to keep.
	FieldsOnly bool
	// MaxValue is the length of the longest value in bytes; 0 stands for 2^30-1.
	MaxValue int
}

// refused is the error for a file that is not what the options say.
type refused struct{ error }

func (r refused) Unwrap() error { return r.error }

func refuse(format string, args ...any) error { return refused{fmt.Errorf(format, args...)} }

// IsRefusal reports whether an error says that the file is not what the options say, rather than damaged.
func IsRefusal(err error) bool {
	_, is := errors.AsType[refused](err)
	return is
}

// unreadable reports whether an error is the system's: it names the file that can't be read or written, and says
// nothing about what is in it.
func unreadable(err error) bool {
	_, is := errors.AsType[*fs.PathError](err)
	return is
}

// File is an open file.
type File struct {
	*parquet.File
	data     io.ReaderAt
	file     *os.File // nil if the file is in memory
	columns  []*parquet.Column
	elements []*format.SchemaElement // of the columns
	names    string                  // metadata of Hugging Face's datasets
}

// Open opens a file and reads its footer.
func Open(path string) (f *File, err error) {
	file, err := osfile.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil {
		f, err = OpenAt(file, info.Size())
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	f.file = file
	return f, nil
}

// OpenAt opens a file in memory, or one that is open already.
func OpenAt(r io.ReaderAt, size int64) (f *File, err error) {
	defer recovered(&err)
	const least = 12 // the magic bytes at both ends, and the footer's length
	if size < least {
		return nil, refuse("is not a whole Parquet file: it has only %d bytes; fetch or write it again", size)
	}
	r, size, err = checkFooter(r, size)
	switch {
	case unreadable(err):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("can't be read as Parquet: the footer is cut off or damaged (%w)", err)
	}
	const buffer = 64 << 10
	of, err := parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true),
		parquet.ReadBufferSize(buffer))
	switch {
	case unreadable(err):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("can't be read as Parquet: the file is cut off or damaged, or not Parquet (%w)", err)
	}
	f = &File{File: of, data: r, columns: leaves(of.Root())}
	for _, column := range f.columns {
		useLZ4Codec(column)
	}
	meta := of.Metadata()
	for i := range meta.Schema {
		if meta.Schema[i].Type.Valid {
			f.elements = append(f.elements, &meta.Schema[i])
		}
	}
	if err := f.check(meta); err != nil {
		return nil, err
	}
	f.names, _ = of.Lookup("huggingface")
	return f, nil
}

// check compares the numbers in the footer with each other and with the file's length.
func (f *File) check(meta *format.FileMetaData) error {
	rows := int64(0)
	for g := range meta.RowGroups {
		group := &meta.RowGroups[g]
		if group.NumRows < 0 || group.NumRows > math.MaxInt64-rows {
			return fmt.Errorf("row group %d has an impossible number of rows, %d; the file is damaged",
				g+1, group.NumRows)
		}
		rows += group.NumRows
		if len(group.Columns) != len(f.elements) {
			return fmt.Errorf("row group %d has %d columns, and the schema has %d; the file is damaged",
				g+1, len(group.Columns), len(f.elements))
		}
		for i := range group.Columns {
			c := &group.Columns[i]
			if c.FilePath != "" {
				return refuse("has columns in another file, %s, which is not supported", display.Excerpt(c.FilePath))
			}
			if len(c.EncryptedColumnMetadata) > 0 || c.CryptoMetadata.Value != nil {
				return refuse("is encrypted, which is not supported")
			}
			if lo, hi := extent(&c.MetaData); lo < 0 || hi < lo || hi > f.Size() {
				return fmt.Errorf("row group %d, column %s: the footer says bytes %d to %d, and the file has %d; the file is cut off or damaged",
					g+1, display.Excerpt(strings.Join(c.MetaData.PathInSchema, ".")), lo, hi, f.Size())
			}
		}
	}
	return nil
}

// extent returns where the bytes of a column chunk begin and end.
func extent(m *format.ColumnMetaData) (lo, hi int64) {
	lo = m.DataPageOffset
	if d := m.DictionaryPageOffset; d > 0 && d < lo {
		lo = d
	}
	if m.TotalCompressedSize < 0 || lo > math.MaxInt64-m.TotalCompressedSize {
		return lo, -1
	}
	return lo, lo + m.TotalCompressedSize
}

// Close closes the file.
func (f *File) Close() error {
	if f.file == nil {
		return nil
	}
	return f.file.Close()
}

// group is a row group that is read.
type group struct {
	at    int   // its number, from 0
	first int64 // the number of its first row in the file
	rows  int64
	begin int64 // of its bytes
	size  int64 // of its compressed bytes
}

// groups returns the row groups. The first begins with the file.
func (f *File) groups() (groups []group) {
	meta := f.Metadata()
	row := int64(0)
	for i := range meta.RowGroups {
		of := &meta.RowGroups[i]
		g := group{at: i, first: row, rows: of.NumRows, begin: f.Size()}
		row += of.NumRows
		for c := range of.Columns {
			lo, hi := extent(&of.Columns[c].MetaData)
			g.begin, g.size = min(g.begin, lo), g.size+hi-lo
		}
		if i == 0 {
			g.begin = 0
		}
		groups = append(groups, g)
	}
	return groups
}

// recovered turns a panic of parquet-go into an error.
func recovered(err *error) {
	if fault := recover(); fault != nil {
		*err = fmt.Errorf("the file is damaged: %v", fault)
	}
}

// role is what a field of records is for: in messages, its name, the option that names it, and what it should hold.
type role struct{ name, flag, holds string }

var (
	text   = &role{"text", "Input.TextField", "strings"}
	label  = &role{"label", "Input.LabelField", "strings or numbers"}
	target = &role{"target", "Input.Numbers", "numbers"}
	weight = &role{"weight", "Input.WeightField", "numbers"}
	kept   = &role{"field to keep", "Input.ID or Input.Keep", "strings, numbers or timestamps"}
)

// field is a column with what its values mean.
type field struct {
	*parquet.Column
	role   *role
	scalar scalar
	list   bool
}

// resolve finds the columns of the text, the label, which may be nil, the weight if there is one, and the fields to
// keep. Its error says which columns there are.
func (f *File) resolve(o *Options) (all []*field, err error) {
	var texts *field
	if o.Text != "" || !o.FieldsOnly {
		if texts, err = f.field(text, cmp.Or(o.Text, "text")); err != nil {
			return nil, err
		}
	}
	if o.FieldsOnly {
		return f.resolveKept([]*field{texts, nil}, o)
	}
	of := label
	if o.Numbers {
		of = target
	}
	labels, err := f.field(of, cmp.Or(o.Label, "label"))
	switch {
	case o.Unlabelled:
	case err != nil:
		return nil, err
	case labels.Column == texts.Column:
		return nil, refuse("column %s is both text and %s: name two columns",
			display.Excerpt(cmp.Or(o.Label, "label")), of.name)
	}
	all = []*field{texts, labels}
	if o.Weight != "" {
		weights, err := f.field(weight, o.Weight)
		if err != nil {
			return nil, err
		}
		all = append(all, weights)
	}
	return f.resolveKept(all, o)
}

// resolveKept adds the columns of the fields to keep.
func (f *File) resolveKept(all []*field, o *Options) ([]*field, error) {
	for _, path := range o.Keep {
		if o.FieldsOnly {
			if found, err := find(f.Root(), path); found == nil && err == nil {
				all = append(all, nil)
				continue
			}
		}
		keep, err := f.field(kept, path)
		if err != nil {
			return nil, err
		}
		all = append(all, keep)
	}
	return all, nil
}

// field returns the field of a path whose values are read: scalars, or, unless it is the text or the weight, a list of
// them.
func (f *File) field(is *role, path string) (*field, error) {
	found, err := find(f.Root(), path)
	if err != nil {
		return nil, refused{err}
	}
	name := fmt.Sprintf("%s (%s)", display.Excerpt(path), is.name)
	others := fmt.Sprintf("name another column with %s; the file has %s",
		is.flag, display.Excerpts(fieldNames(f.Root())))
	if found == nil {
		return nil, refuse("has no column %s: %s", name, others)
	}
	values := valuesOf(found)
	if values == nil {
		var below []string
		for _, name := range fieldNames(found) {
			below = append(below, path+"."+name)
		}
		return nil, refuse("column %s is a group: name one of its fields with %s: %s",
			name, is.flag, display.Excerpts(below))
	}
	of := &field{
		Column: values, role: is, scalar: scalarOf(values, f.elements[values.Index()]),
		list: values.MaxRepetitionLevel() == 1,
	}
	null := values.Type().String() == parquet.NullType.String() // as Arrow writes a column without a value
	fits := !null
	switch is {
	case text:
		fits = fits && !of.list && of.scalar.meaning == asBytes && values.Type().Kind() == parquet.ByteArray
	case weight:
		fits = fits && !of.list && of.scalar.isNumber()
	case kept:
		fits = true
	}
	switch {
	case values.MaxRepetitionLevel() > 1:
		return nil, refuse("column %s is a list of lists: %s", name, others)
	case null && !fits:
		return nil, refuse("column %s is of type null, so it has no values: write it as %s, or %s",
			name, is.holds, others)
	case !fits || of.scalar.meaning == asOther && !null:
		return nil, refuse("column %s is %s: write it as %s, or %s", name, typeName(found), is.holds, others)
	}
	if err := f.checkCodec(values); err != nil {
		return nil, err
	}
	of.scalar.names = labelNames(f.names, strings.Split(path, "."))
	return of, nil
}

// checkCodec refuses a column that parquet-go can't decompress: it takes the codec of the first row group for all.
func (f *File) checkCodec(column *parquet.Column) error {
	path := strings.Join(column.Path(), ".")
	for g := range f.Metadata().RowGroups {
		switch codec := f.Metadata().RowGroups[g].Columns[column.Index()].MetaData.Codec; {
		case codec == format.LZO || codec == format.Lz4:
			return refuse("column %s is compressed with %s, which is not supported: write the file with Snappy, "+
				"Zstandard, gzip, Brotli or LZ4_RAW", display.Excerpt(path), codec)
		case codec != column.Compression().CompressionCodec():
			return refuse("column %s is compressed with %s in row group 1 and with %s in row group %d, which is not "+
				"supported: write the file with one compression", display.Excerpt(path),
				column.Compression().CompressionCodec(), codec, g+1)
		}
	}
	return nil
}
