package parquetfile

import (
	"bytes"
	"errors"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/format"
)

// chunks are columns of a row group in memory, as parquet-go writes them. They are the only row group of a file.
type chunks struct {
	plainWriter
	file bytes.Buffer
}

func newChunks(node parquet.Node) *chunks {
	c := &chunks{}
	c.plainWriter = newPlainWriter(&c.file, node)
	return c
}

// plainWriter writes pages that all readers know, without bounds of values, which would stand uncut in headers and
// footers.
type plainWriter struct{ *parquet.Writer }

func newPlainWriter(w io.Writer, node parquet.Node) plainWriter {
	const page = 1 << 20
	schema := parquet.NewSchema("rows", node)
	options := []parquet.WriterOption{
		schema, parquet.PageBufferSize(page), parquet.DataPageVersion(1), parquet.DataPageStatistics(false),
	}
	for _, path := range schema.Columns() {
		options = append(options, parquet.SkipPageBounds(path...))
	}
	return plainWriter{parquet.NewWriter(w, options...)}
}

// end ends the columns, and returns them with all that the file says of itself.
func (c *chunks) end() (*format.FileMetaData, io.ReaderAt, error) {
	err := c.Close()
	return c.File().Metadata(), bytes.NewReader(c.file.Bytes()), err
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
