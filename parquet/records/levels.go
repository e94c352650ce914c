package records

import (
	"io"

	"github.com/parquet-go/parquet-go"
)

// EachRow gives the rows of a row group to a function, a column's after another's: of each row the values, with their
// levels, which are there until the next call.
func (f *File) EachRow(
	group int, beat func(), each func(column int, row int64, values []parquet.Value) error,
) (err error) {
	defer recovered(&err)
	for _, leaf := range f.root.columns() {
		if err := f.eachRow(group, leaf, beat, each); err != nil {
			return faultAt(group, leaf, err)
		}
	}
	return nil
}

func (f *File) eachRow(
	group int, leaf *node, beat func(), each func(column int, row int64, values []parquet.Value) error,
) error {
	c := f.openColumn(group, &field{node: leaf}, beat)
	var values []parquet.Value
	row := int64(-1)
	for {
		if c.at == c.n {
			if err := c.turn(); err == io.EOF {
				break
			} else if err != nil {
				return err
			}
		}
		repetition := 0
		if c.repetitions != nil {
			repetition = int(c.repetitions[c.at])
		}
		if repetition == 0 {
			if row >= 0 {
				if err := each(leaf.leaf, row, values); err != nil {
					return err
				}
			}
			values = values[:0]
			row++
		} else if row < 0 {
			return errHeadless
		}
		v, level := parquet.NullValue(), leaf.maxDefinition
		if c.definitions != nil {
			level = int(c.definitions[c.at])
		}
		if level == leaf.maxDefinition {
			if c.byIndex() {
				v = c.dictionary[c.indexes[c.value]]
			} else {
				v = c.values[c.value]
			}
			c.value++
		}
		c.at++
		if repetition > 0 || level == leaf.maxDefinition {
			v = v.Clone() // a row may go on in the next page
		}
		values = append(values, v.Level(repetition, level, leaf.leaf))
	}
	if row >= 0 {
		if err := each(leaf.leaf, row, values); err != nil {
			return err
		}
	}
	switch rows := f.Metadata().RowGroups[group].NumRows; {
	case row+1 < rows:
		return errShort
	case row+1 > rows:
		return errLong
	}
	return nil
}
