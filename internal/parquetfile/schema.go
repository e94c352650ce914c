package parquetfile

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/seed-167f963f/nbsvm/internal/display"
)

// valuesOf returns the column that holds the values of a field: the field itself, or the elements of a list. It returns
// nil if the field is a group of several.
func valuesOf(field *parquet.Column) *parquet.Column {
	for !field.Leaf() {
		isList := field.Type().String() == "LIST"
		if !(isList || field.Repeated()) || len(field.Columns()) != 1 {
			return nil
		}
		field = field.Columns()[0]
	}
	return field
}

// leaves returns the columns of a file, in order.
func leaves(root *parquet.Column) (columns []*parquet.Column) {
	visit(root, "", func(c *parquet.Column, _ string) {
		if c.Leaf() {
			columns = append(columns, c)
		}
	})
	return columns
}

// find returns the field of a path, in which dots lead into groups, or else of such a path in another case, or of a
// number from 1. Names may contain dots. It returns nil if there is none.
func find(root *parquet.Column, path string) (found *parquet.Column, err error) {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		visit(root, "", func(c *parquet.Column, at string) {
			switch {
			case !same(at, path):
			case found == nil:
				found = c
			default:
				err = fmt.Errorf("has two columns %s: give the number of the one that you mean, from 1",
					display.Excerpt(path))
			}
		})
		if found != nil {
			return found, err
		}
	}
	columns := root.Columns()
	if number, err := strconv.Atoi(path); err == nil && number >= 1 && number <= len(columns) {
		return columns[number-1], nil
	}
	return nil, nil
}

// visit calls do for the fields of a group and all below them, with their paths.
func visit(group *parquet.Column, path string, do func(c *parquet.Column, path string)) {
	for _, c := range group.Columns() {
		do(c, path+c.Name())
		visit(c, path+c.Name()+".", do)
	}
}

// fieldNames returns the paths of a group's fields.
func fieldNames(group *parquet.Column) (names []string) {
	for _, c := range group.Columns() {
		if valuesOf(c) != nil {
			names = append(names, c.Name())
			continue
		}
		for _, below := range fieldNames(c) {
			names = append(names, c.Name()+"."+below)
		}
	}
	return names
}

// typeName returns what a field holds, in the words of Parquet.
func typeName(field *parquet.Column) string {
	values := valuesOf(field)
	switch {
	case values == nil:
		return "a group of " + display.Excerpts(fieldNames(field))
	case values != field:
		return "a list of " + typeName(values)
	}
	return field.Type().String()
}
