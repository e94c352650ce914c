// Package flags has the flags that several programs take, with the words that tell of them.
package flags

import (
	"fmt"
	"strconv"

	"github.com/seed-167f963f/nbsvm/corpus"
)

// Input says how input is read.
type Input struct {
	Format      corpus.Format `group:"input" placeholder:"FORMAT" default:"auto" help:"One of ${formats}; auto tells by name, then by content (default: auto). Compression (gzip, zstd) is always told by content."`
	TextField   string        `group:"input" placeholder:"NAME" help:"Field of the text: a column's name or number, or a JSON field; dots descend into objects."`
	LabelField  string        `group:"input" placeholder:"NAME" help:"Field of the label, likewise."`
	WeightField string        `group:"input" placeholder:"NAME" help:"Field of the document's weight, likewise."`
	Header      *bool         `group:"input" negatable:"" help:"The first line of TSV and CSV names the columns, or does not (default: as it looks)."`
	Delimiter   Delimiter     `group:"input" placeholder:"CHAR" help:"Separates the columns of CSV: a character, or tab (default: as the header has it, else a comma)."`
	LabelSep    string        `group:"input" placeholder:"SEP" help:"Documents have any number of labels, joined by SEP."`
	OnBad       corpus.OnBad  `file:"out" group:"input" placeholder:"WHAT" default:"fail" help:"What becomes of a bad record: fail, skip, or quarantine=FILE (default: fail)."`
	MaxRecord   int           `group:"input" placeholder:"BYTES" help:"Longest record; a longer one is bad (default: ${max_record})."`
}

// Words are the flags as they are given on a command line.
func (f *Input) Words() (words []string) {
	add := func(name, value string) {
		if value != "" {
			words = append(words, "--"+name+"="+value)
		}
	}
	if f.Format != "auto" {
		add("format", string(f.Format))
	}
	add("text-field", f.TextField)
	add("label-field", f.LabelField)
	add("weight-field", f.WeightField)
	add("label-sep", f.LabelSep)
	if f.Header != nil {
		words = append(words, map[bool]string{true: "--header", false: "--no-header"}[*f.Header])
	}
	if f.Delimiter != 0 {
		add("delimiter", f.Delimiter.String())
	}
	if f.OnBad != "fail" {
		add("on-bad", string(f.OnBad))
	}
	if f.MaxRecord != 0 {
		add("max-record", strconv.Itoa(f.MaxRecord))
	}
	return words
}

// Recorded are the flags on which depends what is read of files, but for weights, as they are given.
func (f *Input) Recorded() map[string]string {
	all := map[string]string{"format": f.Format.String()}
	add := func(name, value string) {
		if value != "" {
			all[name] = value
		}
	}
	add("text-field", f.TextField)
	add("label-field", f.LabelField)
	add("label-sep", f.LabelSep)
	if f.Header != nil {
		add("header", strconv.FormatBool(*f.Header))
	}
	if f.Delimiter != 0 {
		add("delimiter", string(rune(f.Delimiter)))
	}
	if f.MaxRecord != 0 {
		add("max-record", strconv.Itoa(f.MaxRecord))
	}
	return all
}

// From is an input of the library from paths, read as the flags say, but for bad records.
func (f *Input) From(paths []string, unlabelled bool) corpus.Input {
	return corpus.Input{
		Paths: paths, Format: f.Format, TextField: f.TextField, LabelField: f.LabelField, WeightField: f.WeightField,
		Header: f.Header, Delimiter: byte(f.Delimiter), LabelSep: f.LabelSep, MaxRecord: f.MaxRecord, Unlabelled: unlabelled,
	}
}

// Delimiter is between columns.
type Delimiter byte

func (d *Delimiter) UnmarshalText(text []byte) error {
	switch given := string(text); {
	case given == "tab" || given == `\t`:
		*d = '\t'
	case len(given) == 1:
		*d = Delimiter(given[0])
	default:
		return fmt.Errorf("%q is no delimiter: take one character, as ';', or tab", given)
	}
	return nil
}

// MarshalText is String.
func (d Delimiter) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// String is the delimiter as UnmarshalText reads it.
func (d Delimiter) String() string {
	if d == '\t' {
		return "tab"
	}
	return string(rune(d))
}
