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

// leaves returns the columns of a group, in order.
func leaves(group *parquet.Column) (columns []*parquet.Column) {
	for _, c := range group.Columns() {
		if c.Leaf() {
			columns = append(columns, c)
		} else {
			columns = append(columns, leaves(c)...)
		}
	}
	return columns
}

// child returns the field of a group by its name, or else by its name in another case. It returns nil if there is none.
func child(group *parquet.Column, name string) (*parquet.Column, error) {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		var found *parquet.Column
		for _, c := range group.Columns() {
			if !same(c.Name(), name) {
				continue
			}
			if found != nil {
				return nil, fmt.Errorf("has two columns %s: give the number of the one that you mean, from 1",
					display.Excerpt(name))
			}
			found = c
		}
		if found != nil {
			return found, nil
		}
	}
	return nil, nil
}

// find returns the field of a path, in which dots lead into groups, or of a number from 1. Names may contain dots. It
// returns nil if there is none.
func find(root *parquet.Column, path string) (*parquet.Column, error) {
	found, err := descend(root, path)
	if found != nil || err != nil {
		return found, err
	}
	columns := root.Columns()
	if number, err := strconv.Atoi(path); err == nil && number >= 1 && number <= len(columns) {
		return columns[number-1], nil
	}
	return nil, nil
}

func descend(group *parquet.Column, path string) (*parquet.Column, error) {
	if found, err := child(group, path); found != nil || err != nil {
		return found, err
	}
	for i := range len(path) {
		if path[i] != '.' {
			continue
		}
		below, err := child(group, path[:i])
		if err != nil {
			return nil, err
		}
		if below != nil {
			if found, err := descend(below, path[i+1:]); found != nil || err != nil {
				return found, err
			}
		}
	}
	return nil, nil
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
