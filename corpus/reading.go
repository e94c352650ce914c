package corpus

import (
	"cmp"
	"fmt"

	"github.com/seed-167f963f/nbsvm/internal/display"
)

// Reading records how files were read. Models and packed corpora store it, so that similar files can be read the same
// way; see Input.Like.
type Reading struct {
	Format      Format `json:"format,omitempty"`    // that was named
	FieldsOf    Format `json:"fields_of,omitempty"` // the files' format, if they had one and fields were named
	TextField   string `json:"text_field,omitempty"`
	LabelField  string `json:"label_field,omitempty"`
	WeightField string `json:"weight_field,omitempty"`
	LabelSep    string `json:"label_sep,omitempty"`
	Header      string `json:"header,omitempty"`    // "yes" or "no"
	Delimiter   string `json:"delimiter,omitempty"` // a character
}

// Reading returns how files of a format are read with this input. of is Auto if the files have several formats.
func (in Input) Reading(of Format) Reading {
	r := Reading{
		Format: in.Format, TextField: in.TextField, LabelField: in.LabelField, WeightField: in.WeightField,
		LabelSep: in.LabelSep,
	}
	if in.Delimiter != 0 {
		r.Delimiter = string(rune(in.Delimiter))
	}
	if in.Header != nil {
		r.Header = headers[*in.Header]
	}
	if r.hasFields() {
		r.FieldsOf = of
	}
	return r
}

var headers = map[bool]string{false: "no", true: "yes"}

// hasFields reports whether there is something about the fields of files.
func (r *Reading) hasFields() bool {
	return r.TextField != "" || r.LabelField != "" || r.WeightField != "" || r.Header != "" || r.Delimiter != ""
}

// Joined returns the reading of files that were read by one or the other. It is empty if these differ.
func (r Reading) Joined(s Reading) Reading {
	if r.FieldsOf != s.FieldsOf {
		r.FieldsOf, s.FieldsOf = Auto, Auto
	}
	if r != s {
		return Reading{}
	}
	return r
}

// Validate reports the first field that is out of range.
func (r Reading) Validate() error {
	if err := r.FieldsOf.validate(); err != nil {
		return err
	}
	switch {
	case r.Header != "" && r.Header != headers[true] && r.Header != headers[false]:
		return fmt.Errorf("corpus: header is %s, not yes or no", display.Excerpt(r.Header))
	case len(r.Delimiter) > 1:
		return fmt.Errorf("corpus: delimiter %s is no character of ASCII", display.Excerpt(r.Delimiter))
	}
	o := Input{Format: r.Format, WeightField: r.WeightField, LabelSep: r.LabelSep, Unlabelled: true}
	r.lend(&o)
	return o.Validate()
}

// formatOf returns the format of a file, as far as it can be told before it is read: that which is named, or
// which the file's name says, or that of files like it. nil asks the contents.
func (o *Input) formatOf(path string) *format {
	f := o.format()
	if f == nil && path != "-" {
		f = formatByName(path, o.Unlabelled)
	}
	// Names that end in .txt mean something only where labels are not needed, and so do lines.
	like := o.Like.Format.find()
	if like != nil && (f == nil || o.format() == nil && f == &linesFormat) && (o.Unlabelled || !like.noLabels) {
		f = like
	}
	return f
}

// of returns the options for files of a format: they have the fields of files like them, if those are of this
// format and others are not given.
func (o *Input) of(f *format) *Input {
	if !f.fields || o.Like.FieldsOf != Auto && o.Like.FieldsOf != f.name || !o.Like.hasFields() {
		return o
	}
	own := *o
	o.Like.lend(&own)
	return &own
}

// lend gives options what they don't say of fields. Weights are for training.
func (r *Reading) lend(o *Input) {
	o.TextField, o.LabelField = cmp.Or(o.TextField, r.TextField), cmp.Or(o.LabelField, r.LabelField)
	if o.Delimiter == 0 && r.Delimiter != "" {
		o.Delimiter = r.Delimiter[0]
	}
	if o.Header == nil && r.Header != "" {
		header := r.Header == headers[true]
		o.Header = &header
	}
}
