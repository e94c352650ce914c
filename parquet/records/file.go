// Package records reads documents from Parquet files: texts, labels and weights, and further fields, each from a
// column. Only these columns are read, page by page, so that memory does not grow with a file.
//
// A file may be damaged, or made to do harm. What parquet-go does about that is not enough: it may panic, or ask for
// more memory than there is. Panics become errors here. Memory and time are limited by the process that a file is read
// in, see cmd/nbsvm-parquet.
package records

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/seed-167f963f/nbsvm/internal/base/wording"
	"github.com/seed-167f963f/nbsvm/internal/file/recordstream"
)

// Options say what is read of a file.
type Options struct {
	// Text, Label and Weight name columns; dots descend into groups. Text and Label are text and label where they are
	// empty; without a name there are no weights.
	Text, Label, Weight string
	// Unlabelled says that there need not be a label, and that weights are not read.
	Unlabelled bool
	// Keep are further fields.
	Keep []string
	// MaxValue is the length of the longest value in bytes.
	MaxValue int
	// From and To are a range of the file's bytes: row groups that begin there are read. To is 0 for the end.
	From, To int64
	// Only leaves out rows; nil for none.
	Only *Condition
	// Threads read row groups side by side; 0 is one.
	Threads int
	// Slots, if not nil, have room for blocks where Threads is one.
	Slots *recordstream.Slots
	// Beat, if not nil, is called whenever reading has got further. It may be called from several goroutines.
	Beat func()
}

// Refused is a file that is not what it was said to be.
type Refused struct{ error }

func (r Refused) Unwrap() error { return r.error }

func refuse(format string, args ...any) error { return Refused{fmt.Errorf(format, args...)} }

// File is an open file.
type File struct {
	*parquet.File
	file  *os.File // nil of what is not a file
	at    io.ReaderAt
	root  *node
	names string // Hugging Face's metadata
	spare spare
}

// Open opens a file and reads its footer.
func Open(path string) (f *File, err error) {
	file, err := os.Open(path)
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

// OpenAt is Open of what is open already, or in memory.
func OpenAt(r io.ReaderAt, size int64) (f *File, err error) {
	defer recovered(&err)
	const least = 12 // the magic bytes at both ends, and the footer's length
	if size < least {
		return nil, refuse("is no Parquet file: it has %d bytes", size)
	}
	of, err := parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("can't be read as Parquet: it is cut off or damaged, or no such file (%w)", err)
	}
	f = &File{File: of, at: r}
	meta := of.Metadata()
	if f.root, err = tree(meta.Schema); err != nil {
		return nil, err
	}
	if err := f.check(meta); err != nil {
		return nil, err
	}
	f.names, _ = of.Lookup("huggingface")
	return f, nil
}

// check compares what the footer says with the file's length, before it is believed.
func (f *File) check(meta *format.FileMetaData) error {
	rows, leaves := int64(0), len(f.root.columns())
	for g := range meta.RowGroups {
		group := &meta.RowGroups[g]
		if group.NumRows < 0 || group.NumRows > math.MaxInt64-rows {
			return fmt.Errorf("row group %d has %d rows, which can't be", g+1, group.NumRows)
		}
		rows += group.NumRows
		if group.NumRows > 0 && len(group.Columns) != leaves {
			return fmt.Errorf("row group %d has %d columns, and the schema %d", g+1, len(group.Columns), leaves)
		}
		for i := range group.Columns {
			c := &group.Columns[i]
			if c.FilePath != "" {
				return refuse("has columns in another file, %s", wording.Excerpt(c.FilePath))
			}
			if len(c.EncryptedColumnMetadata) > 0 || c.CryptoMetadata.Value != nil {
				return refuse("is encrypted")
			}
			if lo, hi := Extent(&c.MetaData); lo < 0 || hi < lo || hi > f.Size() {
				return fmt.Errorf("row group %d, column %s: it is said to be bytes %d to %d, and the file has %d: it is cut off or damaged",
					g+1, wording.Excerpt(strings.Join(c.MetaData.PathInSchema, ".")), lo, hi, f.Size())
			}
		}
	}
	return nil
}

// Extent is where the bytes of a column chunk begin and end.
func Extent(m *format.ColumnMetaData) (lo, hi int64) {
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

// Columns are the paths of the file's fields, with their types.
func (f *File) Columns() (names, types []string) {
	names = f.root.names()
	for _, name := range names {
		n, err := f.root.find(name)
		if err != nil || n == nil {
			types = append(types, "")
			continue
		}
		is := n.typeName()
		if v := n.values(); v != nil {
			if of := labelNames(f.names, strings.Split(name, ".")); of != nil {
				is += " of the labels " + wording.Excerpts(of)
			}
		}
		types = append(types, is)
	}
	return names, types
}

// group is a row group that is read.
type group struct {
	at    int   // its number, from 0
	first int64 // the number of its first row in the file
	rows  int64
	begin int64 // of its bytes
	size  int64 // of its compressed bytes
}

// Groups are the numbers of the row groups that begin within a range of the file's bytes, from 0; to is 0 for the end.
// The first begins with the file.
func (f *File) Groups(from, to int64) (numbers []int) {
	for _, g := range f.groups(from, to) {
		numbers = append(numbers, g.at)
	}
	return numbers
}

func (f *File) groups(from, to int64) (groups []group) {
	meta := f.Metadata()
	row := int64(0)
	for i := range meta.RowGroups {
		of := &meta.RowGroups[i]
		g := group{at: i, first: row, rows: of.NumRows, begin: f.Size()}
		row += of.NumRows
		for c := range of.Columns {
			lo, hi := Extent(&of.Columns[c].MetaData)
			g.begin, g.size = min(g.begin, lo), g.size+hi-lo
		}
		if i == 0 {
			g.begin = 0
		}
		if g.begin >= from && (to == 0 || g.begin < to) {
			groups = append(groups, g)
		}
	}
	return groups
}

// recovered turns a panic into an error.
func recovered(err *error) {
	if fault := recover(); fault != nil {
		*err = fmt.Errorf("it is damaged in a way that parquet-go does not expect: %v", fault)
	}
}

// fields are the columns that are read.
type fields struct {
	text   *node
	label  *field // nil if there is none
	weight *field
	keep   []*field
	only   []*test
}

// field is a column that is read value by value.
type field struct {
	*node  // that holds the values
	scalar scalar
	list   bool
}

// resolve finds the columns, or says which there are.
func (f *File) resolve(o *Options) (of *fields, err error) {
	of = &fields{}
	name := func(given, otherwise string) string {
		if given == "" {
			return otherwise
		}
		return given
	}
	text, err := f.column(name(o.Text, "text"), "text", "--text-field")
	if err != nil {
		return nil, err
	}
	if !text.isText() || text.maxRepetition > 0 {
		return nil, refuse("column %s is %s, no text: name another with --text-field; there are %s",
			wording.Excerpt(name(o.Text, "text")), text.typeName(), wording.Excerpts(f.root.names()))
	}
	of.text = text
	labelName := name(o.Label, "label")
	switch of.label, err = f.field(labelName, "label", "--label-field"); {
	case err != nil && !o.Unlabelled:
		return nil, err
	case err != nil:
		of.label = nil
	case of.label.node == text && !o.Unlabelled:
		return nil, refuse("column %s is both text and label: name two", wording.Excerpt(labelName))
	}
	if !o.Unlabelled && o.Weight != "" {
		if of.weight, err = f.field(o.Weight, "weight", "--weight-field"); err != nil {
			return nil, err
		}
		switch m := of.weight.scalar.meaning; {
		case of.weight.list || m != asSigned && m != asUnsigned && m != asFloat && m != asDecimal && m != asHalf:
			return nil, refuse("column %s is %s, no number: name another with --weight-field", wording.Excerpt(o.Weight), of.weight.typeName())
		}
	}
	for _, path := range o.Keep {
		kept, err := f.field(path, "field to keep", "--id-field or --keep-fields")
		if err != nil {
			return nil, err
		}
		of.keep = append(of.keep, kept)
	}
	return of, nil
}

// column is the field of a path.
func (f *File) column(path, what, flag string) (*node, error) {
	n, err := f.root.find(path)
	switch {
	case err != nil:
		return nil, Refused{err}
	case n == nil:
		return nil, refuse("has no column %s (%s): name another with %s; there are %s", wording.Excerpt(path), what, flag, wording.Excerpts(f.root.names()))
	}
	return n, nil
}

// field is the field of a path whose values are read: scalars, or a list of them.
func (f *File) field(path, what, flag string) (*field, error) {
	n, err := f.column(path, what, flag)
	if err != nil {
		return nil, err
	}
	v := n.values()
	if v == nil {
		var below []string
		for _, name := range n.names() {
			below = append(below, path+"."+name)
		}
		return nil, refuse("column %s (%s) is a group: name one of its fields with %s, %s", wording.Excerpt(path), what, flag, wording.Excerpts(below))
	}
	if v.maxRepetition > 1 {
		return nil, refuse("column %s (%s) is a list of lists: name another with %s", wording.Excerpt(path), what, flag)
	}
	of := &field{node: v, scalar: scalarOf(v.element), list: v.maxRepetition == 1}
	of.scalar.names = labelNames(f.names, strings.Split(path, "."))
	return of, nil
}
