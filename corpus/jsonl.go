package corpus

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/jsonscan"
)

// JSONL is one JSON object (RFC 8259) per line. Fields are text and label unless Input names others; dots descend into
// objects. If a name occurs twice, the last value counts.
const JSONL Format = "jsonl"

var jsonlFormat = format{
	name: JSONL, extensions: []string{".jsonl", ".ndjson", ".json"}, shape: "one JSON object a line", fields: true,
	sniff:     jsonObject,
	open:      openText,
	parse:     (*parser).jsonl,
	plausible: jsonObject,
	cutOff:    jsonscan.CutOff,
	empty:     onlyBlanks,
}

func jsonObject(line []byte, _ *Input) bool { return bytes.HasPrefix(trimBlanks(line), []byte("{")) }

// jsonl returns a record of JSON lines.
func (p *parser) jsonl(d *Document, record []byte) error {
	o := p.file.o
	if p.paths == nil {
		p.paths = append([]string{cmp.Or(o.TextField, "text"), cmp.Or(o.fields()[labelField], "label"), o.WeightField},
			p.file.keeps...)
		if o.scored() {
			p.paths[weightField] = ""
		}
		if o.class != "" || o.FieldsOnly {
			p.paths[labelField] = ""
		}
		if o.textless() {
			p.paths[textField] = ""
		}
		p.values = make([][]byte, len(p.paths))
	}
	clear(p.values)
	s := jsonscan.Scanner{Data: record}
	isJSON := s.Object(func(key, value []byte) {
		for k, path := range p.paths {
			if v := jsonscan.Member(path, key, value); v != nil {
				p.values[k] = v
			}
		}
	})
	d.Kept = p.keep(len(p.file.keeps))
	for i := range d.Kept {
		d.Kept[i].raw = p.values[fieldCount+i]
	}
	if !isJSON {
		if o.ID != "" && bytes.HasSuffix(record, d.Kept[0].raw) { // the id itself may be cut off
			d.Kept = nil
		}
		if s.Pos >= len(record) {
			return &fault{
				reason: notJSON, what: "no JSON: it ends where " + s.Want + " should be", near: record,
				hint: jsonLines,
			}
		}
		return &fault{
			reason: notJSON, what: fmt.Sprintf("no JSON: byte %d should be %s", s.Pos, s.Want), near: record[s.Pos:],
		}
	}
	missing := func(k int) error {
		of := k
		if of >= fieldCount { // of a rater
			of = labelField
		}
		return &fault{
			reason: missingReasons[of], what: "no field " + display.Excerpt(p.paths[k]), near: record,
			field: o.fieldName(of),
		}
	}
	text, label, weight := p.values[textField], p.values[labelField], p.values[weightField]
	switch {
	case o.textless():
		return p.file.checkID(d, record)
	case text == nil:
		return missing(textField)
	case text[0] != '"':
		reason := wrongText
		if text[0] == 'n' {
			reason = nullText
		}
		return &fault{
			reason: reason,
			what:   "field " + display.Excerpt(p.paths[textField]) + " must be a string, not " + display.Excerpt(text),
			near:   record, field: "text",
		}
	case weight == nil && p.paths[weightField] != "":
		return missing(weightField)
	case label == nil && !o.Unlabelled:
		return missing(labelField)
	}
	for k := len(p.paths) - p.file.raters; k < len(p.paths); k++ {
		if p.values[k] == nil {
			return missing(k)
		}
	}
	d.Text = p.unescape(text)
	if weight != nil {
		if err := p.weight(d, weight); err != nil {
			return err
		}
	}
	if err := p.file.checkID(d, record); err != nil {
		return err
	}
	return p.jsonLabels(d, label, record)
}

// missingReasons are those of records that lack the text, the label or the weight.
var missingReasons = [fieldCount]Reason{textField: noText, labelField: noLabel, weightField: wrongWeight}

// jsonLabels sets a document's labels from a label field's value, if there is one.
func (p *parser) jsonLabels(d *Document, value, record []byte) (err error) {
	start := len(p.labels)
	switch {
	case value == nil || value[0] == 'n':
	case !p.file.o.Unlabelled && jsonscan.HasHalfPair(value): // which would become U+FFFD, as any other
		return &fault{reason: wrongLabel, what: "a label has half of a surrogate pair", near: value, hint: halfHint}
	case value[0] == '"':
		return p.field(d, p.unescape(value), record)
	case value[0] == '{' && p.file.o.Unlabelled:
	case value[0] == '{' && (p.file.o.LabelSep != "" || p.file.raters > 0):
		err = &fault{
			reason: wrongLabel, near: value,
			what: "an object of labels and their shares is for documents of one label field, and without Input.LabelSep",
		}
	case value[0] == '{':
		err = p.shares(d, value)
	case value[0] == '[' && p.file.raters > 0:
		err = &fault{
			reason: wrongLabel, near: value,
			what: "field " + display.Excerpt(p.paths[labelField]) + " must be one label, as several fields have labels",
		}
	case value[0] != '[':
		p.labels = append(p.labels, p.scalar(value))
	default:
		s := jsonscan.Scanner{Data: value}
		s.Elements(1, func(_, element []byte) {
			if element[0] == '{' || element[0] == '[' || element[0] == 'n' {
				err = &fault{reason: wrongLabel, what: "a label must be a string, number or bool", near: element}
			} else if label := p.scalar(element); len(bytes.Trim(label, blanks)) > 0 {
				p.labels = append(p.labels, label)
			}
		})
	}
	if err != nil {
		return err
	}
	return p.finish(d, start, record)
}

// scalar returns a label of any type but object, array and null.
func (p *parser) scalar(value []byte) []byte {
	if value[0] == '"' {
		return p.unescape(value)
	}
	return p.number(value) // or true or false
}

// unescape returns what a string means: the bytes between its quotes, or a copy if some are escaped.
func (p *parser) unescape(value []byte) []byte {
	raw := value[1 : len(value)-1 : len(value)-1]
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw
	}
	return slices.Clip(jsonscan.Unescape(p.room(len(raw)), raw))
}

// Hints say how to mend a record, or how to read it otherwise.
const (
	labelsFirst  = `put them first, awk '{a=b="";for(i=1;i<=NF;i++)if($i~/^__label__/)a=a$i" ";else b=b$i" ";print a b}' FILE`
	jsonLines    = "every line must hold a whole object, as jq -c . FILE writes them, and of an array jq -c '.[]' FILE"
	tsvColumns   = "Input.LabelField, Input.Delimiter and Input.Format read other columns and files"
	columnCount  = "a field that holds the separator must be in quotes (CSV); Input.Delimiter names another separator"
	tabCount     = "every line must have as many tabs; if tabs stand in fields in quotes, give Input.Format csv and Input.Delimiter tab"
	closedQuotes = "quotes in a field that is in quotes are written twice"
	halfHint     = "in Python, read the file that it comes from in its own encoding, without errors='surrogateescape'"
	vectorHint   = "list the classes that are set: jq -c '.label |= [to_entries[] | select(.value == true or .value >= 0.5) | .key]' FILE, or in Python numpy.flatnonzero(row)"
	openQuotes   = "quotes that are text are written twice, and their field is in quotes"
)

// noneHints say what to do about records without a label or a target.
var noneHints = map[string]string{
	"label":    "Input.Bad skip leaves such records out; if documents may have no label or several, give Input.LabelSep; each is then a negative example of the classes that it lacks",
	targetName: "Input.Bad skip leaves such records out",
}

// inputField names the field of [Input] that says where the text, the label, the target, the weight or the id is.
func inputField(of string) string {
	switch of {
	case "id":
		return "Input.ID"
	case targetName:
		return "Input.Numbers"
	}
	return "Input." + strings.ToUpper(of[:1]) + of[1:] + "Field"
}

// jsonNames lists the names that a good record of JSON lines has, and says which option names the field to take.
func jsonNames(record []byte, field string) string {
	var names []string
	s := jsonscan.Scanner{Data: record}
	if !s.Object(func(key, _ []byte) { names = append(names, string(key)) }) {
		return "every line must be an object"
	}
	if len(names) == 0 {
		return "it has no fields"
	}
	return "it has " + display.Excerpts(names) + "; " + inputField(field) + " names the field to take"
}
