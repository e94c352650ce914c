package page

import (
	"fmt"
	"html"
	"io"
	"reflect"
	"text/template/parse"
)

// pageTemplate shows values in the markup of a page: fields, if, range, and templates in it. Every value is
// escaped, and stands between tags or in a quoted attribute.
//
// The package html/template would do, but it may call any method of any type, so that the linker keeps them all: the
// program has 7 MB more.
type pageTemplate struct{ trees map[string]*parse.Tree }

func parseTemplate(text string) (*pageTemplate, error) {
	trees, err := parse.Parse("page", text, "", "")
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

// pipe returns the value of a field or a string.
func (e *execution) pipe(pipe *parse.PipeNode, dot reflect.Value) reflect.Value {
	switch n := pipe.Cmds[0].Args[0].(type) {
	case *parse.DotNode:
		return dot
	case *parse.StringNode:
		return reflect.ValueOf(n.Text)
	case *parse.FieldNode:
		value := dot
		for _, name := range n.Ident {
			if value = reflect.Indirect(value); value.Kind() != reflect.Struct || !value.FieldByName(name).IsValid() {
				return e.fail(n)
			}
			value = value.FieldByName(name)
		}
		return value
	}
	return e.fail(pipe)
}

func empty(v reflect.Value) bool { return v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0 }
