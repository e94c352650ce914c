package page

import (
	"fmt"
	"html"
	"io"
	"reflect"
	"text/template/parse"
)

// pageTemplate shows values in the markup of a page: fields, if, range, or, and templates in it. Every value is
// escaped, and stands between tags or in a quoted attribute.
//
// The package html/template would do, but it may call any method of any type, so that the linker keeps them all: the
// program has 4 MB more.
type pageTemplate struct{ trees map[string]*parse.Tree }

func parseTemplate(text string) (*pageTemplate, error) {
	trees, err := parse.Parse("page", text, "", "", map[string]any{"or": true})
	return &pageTemplate{trees}, err
}

// Execute writes the page of data.
func (t *pageTemplate) Execute(w io.Writer, data any) error {
	e := execution{pageTemplate: t, w: w}
	e.list(t.trees["page"].Root, reflect.ValueOf(data))
	return e.err
}

// execution is a page that is being written.
type execution struct {
	*pageTemplate
	w   io.Writer
	err error // the first one
}

func (e *execution) write(text string) {
	if e.err == nil {
		_, e.err = io.WriteString(e.w, text)
	}
}

func (e *execution) fail(node parse.Node) reflect.Value {
	if e.err == nil {
		e.err = fmt.Errorf("pages don't know %s", node)
	}
	return reflect.ValueOf("")
}

func (e *execution) list(nodes *parse.ListNode, dot reflect.Value) {
	for _, node := range nodes.Nodes {
		switch n := node.(type) {
		case *parse.TextNode:
			e.write(string(n.Text))
		case *parse.ActionNode:
			e.write(html.EscapeString(fmt.Sprint(e.pipe(n.Pipe, dot).Interface())))
		case *parse.IfNode:
			if !empty(e.pipe(n.Pipe, dot)) {
				e.list(n.List, dot)
			} else if n.ElseList != nil {
				e.list(n.ElseList, dot)
			}
		case *parse.RangeNode:
			all := e.pipe(n.Pipe, dot)
			for i := range all.Len() {
				e.list(n.List, all.Index(i))
			}
		case *parse.TemplateNode:
			e.list(e.trees[n.Name].Root, e.pipe(n.Pipe, dot))
		default:
			e.fail(n)
		}
	}
}

// pipe returns the value of a field, a string, or the first of several that is not empty.
func (e *execution) pipe(pipe *parse.PipeNode, dot reflect.Value) reflect.Value {
	args := pipe.Cmds[0].Args
	if len(args) > 1 { // or
		args = args[1:]
	}
	var v reflect.Value
	for _, arg := range args {
		if v = e.value(arg, dot); !empty(v) {
			break
		}
	}
	return v
}

func empty(v reflect.Value) bool { return v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0 }

func (e *execution) value(node parse.Node, dot reflect.Value) reflect.Value {
	switch n := node.(type) {
	case *parse.DotNode:
		return dot
	case *parse.StringNode:
		return reflect.ValueOf(n.Text)
	case *parse.FieldNode:
		for _, name := range n.Ident {
			if dot = reflect.Indirect(dot); dot.Kind() != reflect.Struct || !dot.FieldByName(name).IsValid() {
				return e.fail(n)
			}
			dot = dot.FieldByName(name)
		}
		return dot
	}
	return e.fail(node)
}
