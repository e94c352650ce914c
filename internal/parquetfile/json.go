package parquetfile

import (
	"github.com/parquet-go/parquet-go"

	"github.com/seed-167f963f/nbsvm/internal/display"
)

// appendJSON appends a row of the file as an object of JSON with all its columns. Lists are arrays, maps are lists of
// key and value, and scalars are written as Options.Keep has them.
func (f *File) appendJSON(dst []byte, row parquet.Row) (object []byte, err error) {
	defer recovered(&err) // of a damaged file, values may be missing
	j := rowJSON{f, make([][]parquet.Value, len(f.columns))}
	for _, v := range row {
		j.values[v.Column()] = append(j.values[v.Column()], v)
	}
	return j.present(dst, f.Root()), nil
}

// rowJSON is a row that is being written.
type rowJSON struct {
	*File
	values [][]parquet.Value // of each column, those that are still to be written
}

// field appends the value of a field: an array if it is repeated, or null if it is not there.
func (j *rowJSON) field(dst []byte, of *parquet.Column) []byte {
	first := of
	for !first.Leaf() {
		first = first.Columns()[0]
	}
	next := func() parquet.Value { return j.values[first.Index()][0] }
	there := next().DefinitionLevel() >= of.MaxDefinitionLevel()
	switch {
	case of.Repeated():
		dst = append(dst, '[')
		for more := there; more; {
			dst = j.present(dst, of)
			if more = len(j.values[first.Index()]) > 0 && next().RepetitionLevel() == of.MaxRepetitionLevel(); more {
				dst = append(dst, ',')
			}
		}
		dst = append(dst, ']')
	case there:
		return j.present(dst, of)
	default:
		dst = append(dst, "null"...)
	}
	if !there {
		j.skip(of)
	}
	return dst
}

// present appends a value that is there.
func (j *rowJSON) present(dst []byte, of *parquet.Column) []byte {
	fields := of.Columns()
	switch {
	case of.Leaf():
		s := scalarOf(of, j.elements[of.Index()])
		s.names = labelNames(j.names, of.Path())
		dst = s.appendJSON(dst, j.values[of.Index()][0])
		j.skip(of)
		return dst
	case len(fields) == 1 && (of.Repeated() || of.Type().String() == "LIST" || of.Type().String() == "MAP"): // not in the data
		return j.field(dst, fields[0])
	}
	dst = append(dst, '{')
	for i, field := range fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = j.field(append(display.AppendJSON(dst, field.Name()), ':'), field)
	}
	return append(dst, '}')
}

// skip takes one value of every column of a field.
func (j *rowJSON) skip(of *parquet.Column) {
	if of.Leaf() {
		j.values[of.Index()] = j.values[of.Index()][1:]
		return
	}
	for _, field := range of.Columns() {
		j.skip(field)
	}
}
