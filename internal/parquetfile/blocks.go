package parquetfile

import (
	"fmt"
	"io"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/seed-167f963f/nbsvm/internal/display"
)

// A block has about so many bytes of text, which stay in a core's cache from where they are read to where they are
// scored, and at most so many rows.
const (
	blockBytes = 1 << 18
	blockRows  = 1 << 16
	fieldRows  = 1 << 12 // of blocks without texts
)

// headOfLong is how many bytes of a value that is too long are shown.
const headOfLong = 1 << 10

// The columns of a block. That of weights, if there are any, and the fields to keep follow.
const (
	TextColumn = iota
	LabelColumn
	FirstOther
)

// Kind says what a value is.
type Kind byte

// The kinds of values.
const (
	Null Kind = iota
	Text      // Bytes are the value
	Bad       // the value can't be used; Bytes say why
	Long      // it is longer than allowed; Bytes are its beginning
)

// Value is a value of a row.
type Value struct {
	Kind  Kind
	Bytes []byte // a view of the block
}

// Column holds the values of a field, of all rows of a block.
type Column struct {
	bytes []byte
	ends  []end // of the values, in bytes
	rows  []int // where the values of each row end, in ends; nil if each has one value
	lists bool
}

type end struct {
	at   int
	kind Kind
}

// IsList reports whether rows have any number of values, and not one.
func (c *Column) IsList() bool { return c.lists }

// Row appends the values of a row to dst.
func (c *Column) Row(dst []Value, row int) []Value {
	from, to := row, row+1
	if c.lists {
		if from = 0; row > 0 {
			from = c.rows[row-1]
		}
		to = c.rows[row]
	}
	for i := from; i < to; i++ {
		begin := 0
		if i > 0 {
			begin = c.ends[i-1].at
		}
		dst = append(dst, Value{c.ends[i].kind, c.bytes[begin:c.ends[i].at:c.ends[i].at]})
	}
	return dst
}

// Size returns how many bytes the values have.
func (c *Column) Size() int { return len(c.bytes) }

// end ends a value, whose bytes were appended.
func (c *Column) end(kind Kind) { c.ends = append(c.ends, end{len(c.bytes), kind}) }

// value appends a text, or the beginning of one that is too long.
func (c *Column) value(text []byte, most int) {
	kind := Text
	if len(text) > most {
		kind, text = Long, text[:min(len(text), headOfLong)]
	}
	c.bytes = append(c.bytes, text...)
	c.end(kind)
}

// Block holds rows of a row group.
type Block struct {
	First    int64 // the number of the first row in the file, from 0
	RowGroup int   // from 0
	Rows     int
	Done     int64 // bytes of the file that were read for this block and those before it
	Columns  []Column
}

// Blocks reads the rows of a file in blocks.
type Blocks struct {
	f      *File
	o      Options
	fields []*field // nil for one that there is not
	groups []group  // still to be read

	group   group
	columns []*column // of the group, parallel to fields; nil before it is open
	row     int64     // of the group, that comes next
	broken  error     // why no more texts can be read
	memory  []byte    // for values as text
}

// Blocks begins to read the rows of a file.
func (f *File) Blocks(o Options) (b *Blocks, err error) {
	defer recovered(&err)
	if o.MaxValue == 0 {
		o.MaxValue = 1<<30 - 1
	}
	b = &Blocks{f: f, o: o, groups: f.groups()}
	b.fields, err = f.resolve(&o)
	return b, err
}

// Fields returns the paths of the file's fields.
func (b *Blocks) Fields() []string { return fieldNames(b.f.Root()) }

// Close ends reading.
func (b *Blocks) Close() {
	for _, c := range b.columns {
		if c != nil {
			_ = c.reader.Close() // which only reads
		}
	}
	b.columns = nil
}

// Next reads the next block into the memory of another one, or returns io.EOF.
func (b *Blocks) Next(into *Block) (err error) {
	defer recovered(&err)
	for {
		switch {
		case b.columns == nil && len(b.groups) == 0:
			return io.EOF
		case b.columns == nil:
			if err := b.open(); err != nil {
				return err
			}
		case b.broken != nil:
			return b.fault(b.fields[TextColumn], b.broken)
		case b.row < b.group.rows:
			return b.read(into)
		case b.columns[TextColumn] == nil:
			b.Close()
		default:
			texts := b.columns[TextColumn]
			if err := texts.fill(); err == nil {
				return b.fault(texts.field, errLong)
			} else if err != io.EOF {
				return b.fault(texts.field, err)
			}
			b.Close()
		}
	}
}

// open opens the columns of the next row group.
func (b *Blocks) open() error {
	b.group, b.groups, b.row = b.groups[0], b.groups[1:], 0
	columns := make([]*column, len(b.fields))
	for i, of := range b.fields {
		if of == nil {
			continue
		}
		if err := b.f.checkPages(b.group.at, of.Column); err != nil {
			return b.fault(of, err)
		}
		columns[i] = b.f.openColumn(b.group.at, of)
	}
	b.columns = columns
	return nil
}

// read reads a block of the row group.
func (b *Blocks) read(into *Block) error {
	if into.Columns == nil {
		into.Columns = make([]Column, len(b.fields))
	}
	for i := range into.Columns {
		c := &into.Columns[i]
		lists := b.fields[i] != nil && b.fields[i].list && b.fields[i].role != kept
		*c = Column{bytes: c.bytes[:0], ends: c.ends[:0], rows: c.rows[:0], lists: lists}
	}
	texts, to := b.columns[TextColumn], &into.Columns[TextColumn]
	most := int(min(b.group.rows-b.row, blockRows))
	n := 0
	for ; texts == nil && n < most && n < fieldRows; n++ {
		to.end(Null)
	}
	for ; texts != nil && n < most && len(to.bytes) < blockBytes; n++ {
		values, err := texts.row()
		if err != nil {
			if n == 0 {
				return b.fault(texts.field, err)
			}
			b.broken = err
			break
		}
		b.append(to, texts, values)
	}
	for i, c := range b.columns[1:] {
		to := &into.Columns[i+1]
		for range n {
			var values []parquet.Value
			if c != nil {
				var err error
				if values, err = c.row(); err != nil {
					return b.fault(c.field, err)
				}
			}
			b.append(to, c, values)
			if to.lists {
				to.rows = append(to.rows, len(to.ends))
			}
		}
	}
	g := &b.group
	into.First, into.RowGroup, into.Rows = g.first+b.row, g.at, n
	b.row += int64(n)
	into.Done = g.begin + int64(float64(g.size)*(float64(b.row)/float64(g.rows)))
	return nil
}

// fault returns where an error is.
func (b *Blocks) fault(of *field, err error) error {
	return fmt.Errorf("row group %d, column %s, after row %d: %w",
		b.group.at+1, display.Excerpt(strings.Join(of.Path(), ".")), b.group.first+b.row, err)
}

// append appends the values of a row. A nil column has none.
func (b *Blocks) append(to *Column, of *column, values []parquet.Value) {
	switch {
	case of == nil:
		to.end(Null)
		return
	case of.role == kept:
		b.appendKept(to, of, values)
		return
	case len(values) == 0 && !of.list:
		to.end(Null)
		return
	}
	for _, v := range values {
		isNull := v.IsNull()
		switch {
		case of.role == text:
			to.value(v.ByteArray(), b.o.MaxValue)
			continue
		case !isNull && !of.scalar.hasName(v):
			to.bytes = fmt.Appendf(to.bytes,
				"label %d has no name: the file's metadata (huggingface) names %d labels, from 0", v.Int64(),
				len(of.scalar.names))
			to.end(Bad)
			continue
		case !isNull:
			b.memory, isNull = of.scalar.appendText(b.memory[:0], v)
		}
		if isNull {
			to.end(Null)
		} else {
			to.value(b.memory, b.o.MaxValue)
		}
	}
}

// appendKept appends values as JSON.
func (b *Blocks) appendKept(to *Column, of *column, values []parquet.Value) {
	b.memory = b.memory[:0]
	switch {
	case !of.list && len(values) == 0:
		b.memory = append(b.memory, "null"...)
	case !of.list:
		b.memory = of.scalar.appendJSON(b.memory, values[0])
	default:
		b.memory = append(b.memory, '[')
		for i, v := range values {
			if i > 0 {
				b.memory = append(b.memory, ',')
			}
			b.memory = of.scalar.appendJSON(b.memory, v)
		}
		b.memory = append(b.memory, ']')
	}
	to.value(b.memory, b.o.MaxValue)
}
