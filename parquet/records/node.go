package records

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/seed-167f963f/nbsvm/internal/base/wording"
)

// node is an element of a file's schema: a column, or a group of them.
type node struct {
	element  *format.SchemaElement
	name     string
	children []*node // nil of a column
	leaf     int     // the column's number in the file
	// maxRepetition and maxDefinition are the levels of a value that is there.
	maxRepetition, maxDefinition int
}

// maxDepth is more than any schema needs that is meant to be read.
const maxDepth = 100

// tree makes a schema, which files hold as a list, depth first, the tree that it is.
func tree(elements []format.SchemaElement) (*node, error) {
	if len(elements) == 0 {
		return nil, errors.New("has no schema")
	}
	leaves := 0
	root, rest, err := subtree(elements, &node{}, &leaves, 0)
	if err == nil && len(rest) > 0 {
		err = errors.New("has a schema of which some elements belong to nothing")
	}
	if err == nil && root.element.Type.Valid {
		err = errors.New("has a schema without columns")
	}
	return root, err
}

// subtree is the tree of the first elements, and the others.
func subtree(
	elements []format.SchemaElement, parent *node, leaves *int, depth int,
) (*node, []format.SchemaElement, error) {
	if len(elements) == 0 || depth > maxDepth {
		return nil, nil, errors.New("has a schema that is cut off, or too deep")
	}
	n := &node{element: &elements[0], name: elements[0].Name}
	n.maxRepetition, n.maxDefinition = parent.maxRepetition, parent.maxDefinition
	rest := elements[1:]
	if depth > 0 && n.element.RepetitionType.Valid {
		switch n.element.RepetitionType.V {
		case format.Optional:
			n.maxDefinition++
		case format.Repeated:
			n.maxDefinition++
			n.maxRepetition++
		}
	}
	if n.element.Type.Valid {
		n.leaf = *leaves
		*leaves++
		return n, rest, nil
	}
	n.children = []*node{}
	for range n.element.NumChildren.V {
		child, behind, err := subtree(rest, n, leaves, depth+1)
		if err != nil {
			return nil, nil, err
		}
		rest = behind
		n.children = append(n.children, child)
	}
	return n, rest, nil
}

// columns are the leaves, in order.
func (n *node) columns() (all []*node) {
	if n.children == nil {
		return []*node{n}
	}
	for _, c := range n.children {
		all = append(all, c.columns()...)
	}
	return all
}

func (n *node) repeated() bool {
	return n.element.RepetitionType.Valid && n.element.RepetitionType.V == format.Repeated
}

// isList tells groups that are a list and nothing else.
func (n *node) isList() bool {
	if _, is := n.element.LogicalType.Value.(*format.ListType); is {
		return true
	}
	return n.element.ConvertedType.Valid && n.element.ConvertedType.V == deprecated.List
}

// values is the column that holds the values of a field: itself, or the elements of a list. It is nil where the field
// is a group of several.
func (n *node) values() *node {
	for n.children != nil {
		if !(n.isList() || n.repeated()) || len(n.children) != 1 {
			return nil
		}
		n = n.children[0]
	}
	return n
}

// child is the field of a name: exactly, or else in any case, and then the only one.
func (n *node) child(name string) (*node, error) {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		var found *node
		for _, c := range n.children {
			if !same(c.name, name) {
				continue
			}
			if found != nil {
				return nil, fmt.Errorf("has the column %s twice: give its number, from 1", wording.Excerpt(name))
			}
			found = c
		}
		if found != nil {
			return found, nil
		}
	}
	return nil, nil
}

// find is the field of a path, in which dots descend, or of a number from 1. Names in which there are dots are found,
// too. It is nil if there is none.
func (n *node) find(path string) (*node, error) {
	found, err := n.descend(path)
	if found != nil || err != nil {
		return found, err
	}
	if number, err := strconv.Atoi(path); err == nil && number >= 1 && number <= len(n.children) {
		return n.children[number-1], nil
	}
	return nil, nil
}

func (n *node) descend(path string) (*node, error) {
	if found, err := n.child(path); found != nil || err != nil {
		return found, err
	}
	for i := range len(path) {
		if path[i] != '.' {
			continue
		}
		child, err := n.child(path[:i])
		if err != nil {
			return nil, err
		}
		if child != nil {
			if found, err := child.descend(path[i+1:]); found != nil || err != nil {
				return found, err
			}
		}
	}
	return nil, nil
}

// names are the paths of the fields, those in groups behind dots.
func (n *node) names() (names []string) {
	for _, c := range n.children {
		if c.children == nil || c.values() != nil {
			names = append(names, c.name)
			continue
		}
		for _, below := range c.names() {
			names = append(names, c.name+"."+below)
		}
	}
	return names
}

// typeName says what a field holds, in the words of Parquet.
func (n *node) typeName() string {
	switch v := n.values(); {
	case v == nil:
		return "a group of " + wording.Excerpts(n.names())
	case v != n:
		return "a list of " + v.typeName()
	case n.element.LogicalType.Value != nil:
		return fmt.Sprintf("%s (%s)", n.element.Type.V, &n.element.LogicalType)
	case n.element.ConvertedType.Valid:
		return fmt.Sprintf("%s (converted type %d)", n.element.Type.V, n.element.ConvertedType.V)
	}
	return n.element.Type.V.String()
}
