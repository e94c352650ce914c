package corpus

import (
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/jsonscan"
)

// Value is the value of a field of a record.
type Value struct {
	raw    []byte // JSON, or what a column holds; nil where there is none
	column bool
}

// There reports whether the record has the field, even if it is null or empty.
func (v Value) There() bool { return v.raw != nil || v.column }

// AppendText appends the value as text: a string without quotes and escapes, other values as they are written, nothing
// for null and for a field that the record lacks.
func (v Value) AppendText(dst []byte) []byte {
	switch {
	case v.raw == nil || v.column:
		return append(dst, v.raw...)
	case v.raw[0] == '"':
		return jsonscan.Unescape(dst, v.raw[1:len(v.raw)-1])
	case v.raw[0] == 'n':
		return dst
	}
	return append(dst, v.raw...)
}

// JSON returns the value as it is written, so that numbers keep all their digits; null for a field that the record
// lacks. is reports whether that is JSON, and not the text of a column.
func (v Value) JSON() (raw []byte, is bool) {
	if v.raw == nil {
		return []byte("null"), true
	}
	return v.raw, !v.column
}

// keeps returns the fields whose values documents have in Kept, those of all raters but the first among them until
// labels are made of these.
func (o *Input) keeps() []string {
	keeps := o.Keep
	if raters := o.raters(); raters != nil {
		keeps = slices.Concat(keeps, raters)
	}
	if o.ID == "" {
		return keeps
	}
	return append([]string{o.ID}, keeps...)
}

// raters returns the label fields behind the first.
func (o *Input) raters() []string {
	if o.Unlabelled || strings.IndexByte(o.LabelField, ',') < 0 {
		return nil
	}
	return strings.Split(o.LabelField, ",")[1:]
}

// keepID leaves a bad record its id, if that could be read.
func (f *file) keepID(d *Document) {
	if f.o.ID != "" && len(d.Kept) > 0 && f.checkID(d, nil) == nil {
		d.Kept = d.Kept[:1:1]
	} else {
		d.Kept = nil
	}
}

// checkID makes records without an id bad.
func (f *file) checkID(d *Document, record []byte) error {
	o := f.o
	if o.ID == "" {
		return nil
	}
	id := d.Kept[0]
	switch {
	case id.raw == nil:
		return &fault{
			reason: noID, what: "no id: there is no field " + display.Excerpt(o.ID), near: record,
			field: "id",
		}
	case !id.column && id.raw[0] == 'n':
		return &fault{reason: noID, what: "no id: field " + display.Excerpt(o.ID) + " is null", near: record}
	case len(id.raw) == 0, !id.column && string(id.raw) == `""`:
		return &fault{reason: noID, what: "no id: field " + display.Excerpt(o.ID) + " is empty", near: record}
	case !id.column && (id.raw[0] == '{' || id.raw[0] == '['):
		return &fault{reason: noID, what: "an id must be a string, number or bool", near: id.raw}
	}
	return nil
}

// keep returns room for the kept values of a document.
func (p *parser) keep(n int) []Value {
	const most = 1 << 12
	if cap(p.kept)-len(p.kept) < n { // what has been handed out stays where it is
		p.kept = make([]Value, 0, max(8*n, min(2*cap(p.kept), most)))
	}
	start := len(p.kept)
	p.kept = p.kept[:start+n]
	return p.kept[start : start+n : start+n]
}
