package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/display"
)

// maxColumns is beyond what a header within the sniffing window can have.
const maxColumns = 1 << 20

// The fields of a document, in arrays of them.
const (
	textField = iota
	labelField
	weightField
	fieldCount
)

var fieldNames = [fieldCount]string{"text", "label", "weight"}

// targetName is what messages call a label that is a number to predict.
const targetName = "target"

// fieldName returns what messages call a document's field.
func (o *Input) fieldName(k int) string {
	if k == labelField && o.Numbers {
		return targetName
	}
	return fieldNames[k]
}

// columns are where a file of columns has the fields of a document.
type columns struct {
	header    bool            // the first record names the columns
	otherwise [fieldCount]int // where fields that are not given are without a header; -1 for nowhere
	quoted    bool            // fields may be in quotes, as in CSV
	delimiter byte

	at    [fieldCount]int // from 0; -1 for nowhere
	kept  []int           // of Input.ID and Keep
	names []string        // what the first record has; every record must have as many columns
}

// field is one column of a record.
type field struct {
	value   []byte // between the quotes, if it has any
	escaped bool   // holds doubled quotes
	end     int    // of the field in the record: at a separator, or the record's length
}

// fields returns the options that name or number a document's fields.
func (o *Input) fields() [fieldCount]string {
	label, _, _ := strings.Cut(o.LabelField, ",") // the other raters' are among the kept ones
	return [fieldCount]string{o.TextField, label, o.WeightField}
}

// fieldsGiven reports whether any is given, fieldsNamed whether one is by name.
func (o *Input) fieldsGiven() bool { return o.fields() != [fieldCount]string{} || len(o.keeps()) > 0 }

func (o *Input) fieldsNamed() bool {
	fields := o.fields()
	return slices.ContainsFunc(append(o.keeps(), fields[:]...), func(given string) bool {
		_, isNumber := columnNumber(given)
		return given != "" && !isNumber
	})
}

// columnNumber returns the column, from 0, if the field is given by number.
func columnNumber(field string) (int, bool) {
	n, err := strconv.Atoi(field)
	return n - 1, err == nil
}

// resolve finds the fields by a file's first record: its header, or, if it has
// none, any record.
func (c *columns) resolve(record []byte, o *Input) error {
	c.names = nil
	for i := 0; i <= len(record); {
		f, ok := fieldAt(record, i, c.delimiter, c.quoted)
		if !ok {
			c.names = nil // so that the error with another delimiter is preferred
			return errors.New("the header has text behind a closing quote")
		}
		name := string(f.value)
		if f.escaped {
			name = strings.ReplaceAll(name, `""`, `"`)
		}
		c.names = append(c.names, name)
		i = f.end + 1
	}
	var missing error
	for k, given := range o.fields() {
		var err error
		if c.at[k], err = c.find(k, given, o); err == nil {
			continue
		}
		needed := k == textField && !o.textless() || k == labelField && !o.Unlabelled || k == weightField && given != "" && !o.scored()
		if needed && (missing == nil || given != "") { // what is given is to blame first
			missing = err
		}
	}
	if missing != nil {
		return missing
	}
	c.kept = c.kept[:0]
	for _, given := range o.keeps() {
		at, err := findColumn(given, c.names)
		if err != nil && !o.FieldsOnly {
			return err
		}
		c.kept = append(c.kept, at)
	}
	if o.FieldsOnly && len(c.kept) > 0 && slices.Max(c.kept) < 0 {
		return fmt.Errorf("its first line names none of the fields that are looked for, but %s: take fields that it has with Input.Keep, or if it is no header, the numbers of columns, from 1",
			display.Excerpts(c.names))
	}
	if c.at[labelField] == c.at[textField] {
		if !o.Unlabelled {
			return fmt.Errorf("column %d is both text and %s: name their fields", c.at[textField]+1, o.fieldName(labelField))
		}
		c.at[labelField] = -1
	}
	return nil
}

// find returns the column of the k-th field; -1 if there is none, with an error unless it is a weight that nobody asked
// for.
func (c *columns) find(k int, given string, o *Input) (int, error) {
	flags := inputField(o.fieldName(labelField)) + " N and Input.TextField N"
	if o.Unlabelled {
		flags = "Input.TextField N"
	}
	switch {
	case given == "" && (k == weightField || o.FieldsOnly):
		return -1, nil
	case given == "" && !c.header && c.otherwise[k] < 0:
		return -1, errors.New("has no header: say which columns to take, " + flags)
	case given == "" && !c.header:
		given = strconv.Itoa(c.otherwise[k] + 1)
	case given == "":
		given = fieldNames[k]
	}
	at, err := findColumn(given, c.names)
	if err != nil {
		err = fmt.Errorf("%w: name the field of the %s with %s, or if it is no header, take columns by number, %s",
			err, o.fieldName(k), inputField(o.fieldName(k)), flags)
	}
	return at, err
}

// findColumn returns the column that is given by its number or its name; -1 and an error if there is none.
func findColumn(given string, names []string) (int, error) {
	at, isNumber := columnNumber(given)
	if !isNumber {
		return findName(given, names)
	}
	if at >= len(names) {
		return -1, fmt.Errorf("there is no column %s: there are only %d", given, len(names))
	}
	return at, nil
}

// findName returns the column of a name in a header, exactly or else in any case.
func findName(given string, names []string) (int, error) {
	for _, same := range []func(name string) bool{
		func(name string) bool { return name == given },
		func(name string) bool { return strings.EqualFold(strings.TrimSpace(name), given) },
	} {
		at := slices.IndexFunc(names, same)
		if at >= 0 && slices.ContainsFunc(names[at+1:], same) {
			return -1, fmt.Errorf("the header has the column %s twice: give its number", display.Excerpt(given))
		}
		if at >= 0 {
			return at, nil
		}
	}
	return -1, fmt.Errorf("the header has no column %s (it has %s)", display.Excerpt(given), display.Excerpts(names))
}

// columnar fills in a document from a record of columns.
func (p *parser) columnar(d *Document, record []byte) error {
	c := p.file.columns
	var fields [fieldCount][]byte
	d.Kept = p.keep(len(c.kept))
	n := 0
	for i := 0; i <= len(record); n++ {
		f, ok := fieldAt(record, i, c.delimiter, c.quoted)
		if !ok {
			return &fault{
				reason: wrongColumns, what: "text behind a closing quote", near: record[i:],
				hint: closedQuotes,
			}
		}
		i = f.end + 1
		if !slices.Contains(c.at[:], n) && !slices.Contains(c.kept, n) {
			continue
		}
		if f.escaped {
			f.value = p.unquote(f.value)
		}
		for k, at := range c.at {
			if at == n {
				fields[k] = f.value
			}
		}
		for i, at := range c.kept {
			if at == n {
				d.Kept[i] = Value{slices.Clip(f.value), true}
			}
		}
	}
	if n != len(c.names) {
		if len(c.kept) > 0 && c.kept[0] > 0 { // which field is missing or torn is unknown: the first is the first
			d.Kept = nil
		}
		wrong := &fault{
			reason: wrongColumns, what: fmt.Sprintf("%d columns instead of %d", n, len(c.names)),
			near: record, hint: columnCount,
		}
		if !p.file.format.quoted {
			wrong.hint = tabCount
		}
		return wrong
	}
	if err := p.file.checkID(d, record); err != nil {
		return err
	}
	d.Text = fields[textField]
	if !p.file.o.scored() && c.at[weightField] >= 0 {
		if err := p.weight(d, fields[weightField]); err != nil {
			return err
		}
	}
	return p.field(d, fields[labelField], record)
}

// unquote halves doubled quotes.
func (p *parser) unquote(value []byte) []byte {
	dst := p.room(len(value))
	for {
		q := bytes.IndexByte(value, '"')
		if q < 0 {
			dst = append(dst, value...)
			return slices.Clip(dst)
		}
		dst = append(dst, value[:q+1]...)
		value = value[q+2:]
	}
}
