package parquetfile

import (
	"errors"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/format"
)

// chunks are columns of a row group in memory, as parquet-go writes them: the only row group of a file, of which the
// rest goes nowhere.
type chunks struct {
	plainWriter
	to   io.Writer // of what parquet-go writes now; nil for nowhere
	left int       // bytes of the file's beginning that are still to come
}

func newChunks(node parquet.Node) *chunks {
	c := &chunks{left: len(magic)}
	c.plainWriter = newPlainWriter(c, node, parquet.WriteBufferSize(0)) // so that Flush keeps nothing back
	return c
}

// Write takes bytes of the file.
func (c *chunks) Write(data []byte) (n int, err error) {
	n = min(c.left, len(data))
	if c.left -= n; c.to == nil {
		return len(data), nil
	}
	written, err := c.to.Write(data[n:])
	return n + written, err
}

// plainWriter writes pages that all readers know, without bounds of values, which would stand uncut in headers and
// footers.
type plainWriter struct{ *parquet.Writer }

func newPlainWriter(w io.Writer, node parquet.Node, options ...parquet.WriterOption) plainWriter {
	const page = 1 << 20
	schema := parquet.NewSchema("rows", node)
	options = append(options, schema, parquet.PageBufferSize(page), parquet.DataPageVersion(1),
		parquet.DataPageStatistics(false))
	for _, path := range schema.Columns() {
		options = append(options, parquet.SkipPageBounds(path...))
	}
	return plainWriter{parquet.NewWriter(w, options...)}
}

// end writes the columns, if there are rows, and returns what the file says of itself, in which they begin behind the
// magic.
func (c *chunks) end(w io.Writer) (*format.FileMetaData, error) {
	c.to = w
	err := c.Flush()
	if c.to = nil; err == nil {
		err = c.Close()
	}
	return c.File().Metadata(), err
}

// coded is a column of a file in plain encoding, which all readers know.
type coded struct{ *parquet.Column }

func (coded) Encoding() encoding.Encoding { return &parquet.Plain }

func (c coded) Fields() (fields []parquet.Field) {
	for _, column := range c.Columns() {
		fields = append(fields, coded{column})
	}
	return fields
}

// some writes those rows of a row group that are kept, by their numbers.
func (f *File) some(group int, kept []int64) (*chunks, error) {
	for _, column := range f.columns {
		if err := f.checkCodec(column); err != nil {
			return nil, err
		}
		if err := f.checkPages(group, column); err != nil {
			return nil, err
		}
	}
	c := newChunks(coded{f.Root()})
	rows := f.RowGroups()[group].Rows()
	defer rows.Close()
	buffer := make([]parquet.Row, 8)
	for row := int64(0); ; {
		n, err := rows.ReadRows(buffer)
		for i := range buffer[:n] {
			if len(kept) > 0 && kept[0] == row {
				kept = kept[1:]
				if _, err := c.WriteRows(buffer[i : i+1]); err != nil {
					return nil, err
				}
			}
			row++
		}
		switch {
		case err == io.EOF && row != f.Metadata().RowGroups[group].NumRows:
			return nil, errors.New("it has other rows than the footer says; the file is damaged")
		case err == io.EOF:
			return c, nil
		case err != nil:
			return nil, err
		}
	}
}
