package corpus

import (
	"bytes"

	"github.com/seed-167f963f/nbsvm/internal/base/wording"
)

// JSONL is one JSON object (RFC 8259) per line. Fields are text and label unless Input names others; dots descend into
// objects. If a name occurs twice, the last value counts.
const JSONL Format = "jsonl"

var jsonlFormat = format{
	name: JSONL, extensions: []string{".jsonl", ".ndjson", ".json"}, shape: "one JSON object a line", fields: true,
	sniff:     jsonObject,
	open:      openJSONL,
	parse:     (*parser).jsonl,
	plausible: jsonObject,
	empty:     onlyBlanks,
}

func jsonObject(line []byte, _ *Input) bool { return bytes.HasPrefix(trimBlanks(line), []byte("{")) }

const jsonArray = "is a JSON array, not one JSON object a line: make it lines, jq -c '.[]' "

// openJSONL refuses one array of objects.
func openJSONL(r *Reader, p *peeker) (contents, error) {
	if bytes.HasPrefix(trimBlanks(p.first), []byte("[")) {
		return nil, p.refuse(jsonArray + r.src.word())
	}
	return openText(r, p)
}

// jsonl is a record of JSON lines.
func (p *parser) jsonl(d *Document, record []byte) error {
	o := p.file.o
	var want wanted
	want.field(textField, o.TextField, "text")
	want.field(labelField, o.LabelField, "label")
	if !o.Unlabelled {
		want.field(weightField, o.WeightField, "")
	}
	s := jsonScanner{data: record, memory: p}
	if err := s.document(&want); err != nil {
		return err
	}
	text := s.found[textField]
	switch {
	case text == nil:
		return &fault{what: "no field " + wording.Excerpt(want.path[textField]), near: record, field: "text"}
	case text[0] != '"':
		return &fault{what: "field " + wording.Excerpt(want.path[textField]) + " must be a string, not " + wording.Excerpt(text), near: record, field: "text"}
	}
	d.Text = s.text
	if w := s.found[weightField]; w != nil {
		if err := p.weight(d, w); err != nil {
			return err
		}
	} else if want.path[weightField] != "" {
		return &fault{what: "no field " + wording.Excerpt(want.path[weightField]), near: record, field: "weight"}
	}
	if len(p.file.keeps) > 0 {
		if err := p.keepJSON(d, record); err != nil {
			return err
		}
	}
	return p.jsonLabels(d, s.found[labelField], s.escaped[labelField], &want, record)
}

// jsonLabels sets a document's labels from a label field's value.
func (p *parser) jsonLabels(d *Document, value []byte, escaped bool, want *wanted, record []byte) error {
	start := len(p.labels)
	switch {
	case value == nil:
		if !p.file.o.Unlabelled {
			return &fault{what: "no field " + wording.Excerpt(want.path[labelField]), near: record, field: "label"}
		}
	case value[0] == '"':
		return p.field(d, p.unescape(value, escaped), record)
	case value[0] == '[':
		s := jsonScanner{data: value, pos: 1}
		for s.more(']') {
			element, _ := s.value(0) // scanned before
			if element[0] == '{' || element[0] == '[' || element[0] == 'n' {
				return &fault{what: "a label must be a string, number or bool", near: element}
			}
			if label := p.scalar(element, escaped); len(label) > 0 {
				p.labels = append(p.labels, label)
			}
		}
	case value[0] == '{':
		return &fault{what: "a label must be a string, number, bool, or array of these", near: value}
	case value[0] != 'n':
		p.labels = append(p.labels, p.scalar(value, escaped))
	}
	return p.finish(d, start, record)
}

// scalar is a label of any type but object, array and null.
func (p *parser) scalar(value []byte, escaped bool) []byte {
	switch value[0] {
	case '"':
		return p.unescape(value, escaped)
	case 't', 'f':
		return value
	}
	return p.number(value)
}

// unescape is what a string value means: between its quotes, if nothing is
// escaped, or decoded. escaped may be true of others that were scanned with it.
func (p *parser) unescape(value []byte, escaped bool) []byte {
	raw := value[1 : len(value)-1 : len(value)-1]
	if !escaped || bytes.IndexByte(raw, '\\') < 0 {
		return raw
	}
	text := unescapeJSON(p.room(len(raw)), raw)
	return text[:len(text):len(text)]
}

// wanted are the paths of a document's fields below an object; empty paths are
// not wanted.
type wanted struct{ path [fieldCount]string }

func (w *wanted) field(k int, given, otherwise string) {
	if w.path[k] = given; given == "" {
		w.path[k] = otherwise
	}
}

// match tells which fields a member is, and which are below it: a bit each.
func (w *wanted) match(key []byte) (is, deeper uint8) {
	for k, path := range w.path {
		switch n := len(key); {
		case path == "" || len(path) < n || path[:n] != string(key):
		case len(path) == n:
			is |= 1 << k
		case path[n] == '.' && len(path) > n+1:
			deeper |= 1 << k
		}
	}
	return is, deeper
}

// below are those fields' paths below a member, whose name has n bytes.
func (w *wanted) below(deeper uint8, n int) (below wanted) {
	for k, path := range w.path {
		if deeper>>k&1 != 0 {
			below.path[k] = path[n+1:]
		}
	}
	return below
}

// Hints say how to mend a record, or how to read it otherwise.
const (
	noneHint     = "--on-bad skip leaves such records out; --label-sep says that documents may have no label, or several, and speak against every class that they lack"
	labelsFirst  = `put them first, awk '{a=b="";for(i=1;i<=NF;i++)if($i~/^__label__/)a=a$i" ";else b=b$i" ";print a b}' FILE`
	tsvColumns   = "--label-field, --delimiter and --format read other columns and files"
	columnCount  = "a field that holds the separator must be in quotes (CSV); --delimiter names another separator"
	tabCount     = "every line must have as many tabs; if tabs stand in fields in quotes, --format csv --delimiter tab"
	closedQuotes = "quotes in a field that is in quotes are written twice"
	openQuotes   = "quotes that are text are written twice, and their field is in quotes"
)

// jsonNames lists the names that a good record of JSON lines has, and says which option names the field to take.
func jsonNames(record []byte, field string) string {
	s := jsonScanner{data: record}
	if s.space(); s.peek() != '{' {
		return "every line must be an object"
	}
	var names []string
	for s.pos++; s.more('}'); {
		key, err := s.key()
		if err == nil {
			_, err = s.value(1)
		}
		if err != nil {
			break
		}
		names = append(names, string(key))
	}
	if len(names) == 0 {
		return "it has no fields"
	}
	return "it has " + wording.Excerpts(names) + "; --" + field + "-field names the field to take"
}

// jsonLines is the hint for what is JSON, but not of one line.
func jsonLines(record []byte) string {
	switch record = bytes.Trim(record, blanks); {
	case bytes.HasPrefix(record, []byte("[")):
		return "make an array lines, jq -c '.[]' FILE"
	case len(record) < 2 || record[len(record)-1] != '}':
		return "make objects of several lines one line each, jq -c . FILE"
	}
	return "every line must be an object of its own"
}
