package parquetfile

import (
	"errors"
	"io"

	"github.com/parquet-go/parquet-go"
)

var (
	errShort    = errors.New("it has fewer values than its row group has rows; the file is damaged")
	errLong     = errors.New("it has more values than its row group has rows; the file is damaged")
	errHeadless = errors.New("its first value continues a row that is not there; the file is damaged")
)

// column reads a column of a row group.
type column struct {
	*field
	reader  parquet.ColumnChunkValueReader
	buffer  []parquet.Value
	ready   []parquet.Value // of the buffer; they are views of a page
	current []parquet.Value // of a row
}

// openColumn opens the column of a field.
func (f *File) openColumn(group int, of *field) *column {
	const values = 256
	chunk := f.RowGroups()[group].ColumnChunks()[of.Index()]
	return &column{field: of, reader: parquet.NewColumnChunkValueReader(chunk), buffer: make([]parquet.Value, values)}
}

// fill makes sure that a value is ready. It returns io.EOF at the end of the column.
func (c *column) fill() (err error) {
	if len(c.ready) > 0 {
		return nil
	}
	defer recovered(&err)
	n, err := c.reader.ReadValues(c.buffer)
	if c.ready = c.buffer[:n]; n > 0 {
		return nil
	}
	return err
}

// row returns the values of the next row, which are valid until the next call. A null in a list is a value, and one
// elsewhere is not.
func (c *column) row() ([]parquet.Value, error) {
	c.current = c.current[:0]
	err := c.fill()
	switch {
	case err == io.EOF:
		return nil, errShort
	case err != nil:
		return nil, err
	case c.ready[0].RepetitionLevel() != 0:
		return nil, errHeadless
	}
	for first := true; first || c.ready[0].RepetitionLevel() != 0; first = false {
		v := c.ready[0]
		c.ready = c.ready[1:]
		isElement := c.list && c.Optional() && v.DefinitionLevel() == c.MaxDefinitionLevel()-1
		if !v.IsNull() || isElement {
			c.current = append(c.current, v)
		}
		if !c.list {
			break
		}
		if len(c.ready) > 0 {
			continue
		}
		for i := range c.current { // the page may end here, and with it what the values are views of
			c.current[i] = c.current[i].Clone()
		}
		if err := c.fill(); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
	}
	return c.current, nil
}
