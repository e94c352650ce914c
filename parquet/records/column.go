package records

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

var (
	errShort    = errors.New("it has fewer values than its row group has rows; the file is damaged")
	errLong     = errors.New("it has more values than its row group has rows; the file is damaged")
	errHeadless = errors.New("its first value continues a row that is not there; the file is damaged")
)

// column reads a column of a row group value by value.
type column struct {
	*field
	pages   parquet.Pages
	beat    func()
	left    int64 // values in the pages that were not read yet
	page    parquet.Page
	values  parquet.ValueReader // of the page
	buffer  []parquet.Value
	ready   []parquet.Value // of the buffer; they are views of the page
	current []parquet.Value // of a row
	memory  []byte          // for values as text
}

func (f *File) openColumn(group int, of *field, beat func()) *column {
	const values = 256
	chunk := f.RowGroups()[group].ColumnChunks()[of.Index()].(*parquet.FileColumnChunk)
	c := &column{field: of, pages: chunk.Pages(), beat: beat, left: chunk.NumValues(), buffer: make([]parquet.Value, values)}
	if of.MaxRepetitionLevel() == 0 {
		c.left = f.RowGroups()[group].NumRows()
	}
	return c
}

func (c *column) close() {
	parquet.Release(c.page)
	_ = c.pages.Close() // which only reads
}

// fill makes sure that a value is ready. It returns io.EOF at the end of the column.
func (c *column) fill() (err error) {
	if len(c.ready) > 0 {
		return nil
	}
	defer recovered(&err)
	for {
		if c.values != nil {
			n, err := c.values.ReadValues(c.buffer)
			if n > 0 {
				c.ready = c.buffer[:n]
				return nil
			}
			if err != nil && err != io.EOF {
				return err
			}
			parquet.Release(c.page)
			c.page, c.values = nil, nil
		}
		c.beat()
		switch c.page, err = c.pages.ReadPage(); {
		case err == io.EOF && c.left > 0:
			return errShort
		case err != nil:
			return err
		}
		if c.left -= c.page.NumValues(); c.left < 0 {
			return errLong
		}
		c.values = c.page.Values()
	}
}

// next returns the next value of a column that is not a list. The value is valid until the next call.
func (c *column) next() (parquet.Value, error) {
	if err := c.fill(); err == io.EOF {
		return parquet.Value{}, errShort
	} else if err != nil {
		return parquet.Value{}, err
	}
	v := c.ready[0]
	c.ready = c.ready[1:]
	return v, nil
}

// row returns the values of the next row, which are valid until the next call. A null in a list is a value.
func (c *column) row() ([]parquet.Value, error) {
	c.current = c.current[:0]
	v, err := c.next()
	if err == nil && v.RepetitionLevel() != 0 {
		err = errHeadless
	}
	for err == nil {
		isElement := c.list && c.Optional() && v.DefinitionLevel() == c.MaxDefinitionLevel()-1
		if !v.IsNull() || isElement {
			c.current = append(c.current, v)
		}
		if !c.list {
			return c.current, nil
		}
		if len(c.ready) == 0 { // the page may end here, and with it what the values are views of
			for i := range c.current {
				c.current[i] = c.current[i].Clone()
			}
		}
		if err = c.fill(); err == io.EOF {
			return c.current, nil
		}
		if err == nil {
			if v = c.ready[0]; v.RepetitionLevel() == 0 {
				return c.current, nil
			}
			c.ready = c.ready[1:]
		}
	}
	return nil, err
}

// atEnd returns an error if a value is left.
func (c *column) atEnd() error {
	switch err := c.fill(); err {
	case io.EOF:
		return nil
	case nil:
		return errLong
	default:
		return err
	}
}

// EachRow calls a function with every row of a row group. The row is valid until the function returns.
func (f *File) EachRow(group int, each func(parquet.Row) error) (err error) {
	defer recovered(&err)
	for _, column := range f.columns {
		if err := f.checkCodec(column); err != nil {
			return err
		}
	}
	rows := f.RowGroups()[group].Rows()
	defer rows.Close()
	batch := make([]parquet.Row, 64)
	for {
		n, err := rows.ReadRows(batch)
		for _, row := range batch[:n] {
			if err := each(row); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("row group %d: %w", group+1, err)
		}
	}
}
