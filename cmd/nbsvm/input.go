package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
)

// inputFlags say how input is read.
type inputFlags struct {
	Format      corpus.Format `group:"input" placeholder:"FORMAT" default:"auto" help:"One of ${formats}; auto tells by name, then by content (default: auto). Compression (gzip, zstd) is always told by content."`
	TextField   string        `group:"input" placeholder:"NAME" help:"Field of the text: a column's name or number, or a JSON field; dots descend into objects."`
	LabelField  string        `group:"input" placeholder:"NAME" help:"Field of the label, likewise."`
	WeightField string        `group:"input" placeholder:"NAME" help:"Field of the document's weight, likewise."`
	Header      *bool         `group:"input" negatable:"" help:"The first line of TSV and CSV names the columns, or does not (default: as it looks)."`
	Delimiter   delimiter     `group:"input" placeholder:"CHAR" help:"Separates the columns of CSV: a character, or tab (default: as the header has it, else a comma)."`
	LabelSep    string        `group:"input" placeholder:"SEP" help:"Documents have any number of labels, joined by SEP."`
	OnBad       corpus.OnBad  `file:"out" group:"input" placeholder:"WHAT" default:"fail" help:"What becomes of a bad record: fail, skip, or quarantine=FILE (default: fail)."`
	MaxRecord   int           `group:"input" placeholder:"BYTES" help:"Longest record; a longer one is bad (default: ${max_record})."`
}

// classFlags say what labels are good for training.
type classFlags struct {
	AllowManyClasses bool `group:"input" help:"Train although there are nearly as many classes as documents."`
}

// words are the flags as they are given on a command line.
func (f *inputFlags) words() (words []string) {
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

// source is the library's view of the flags, but for bad records.
func (f *inputFlags) source(c *call, paths []string, unlabelled bool) (nbsvm.Input, error) {
	in := nbsvm.Input{Paths: paths, Stdin: c.in, RecordReading: true, Options: corpus.Options{
		Format: f.Format, TextField: f.TextField, LabelField: f.LabelField, WeightField: f.WeightField,
		Header: f.Header, Delimiter: byte(f.Delimiter), LabelSep: f.LabelSep, MaxRecord: f.MaxRecord, Unlabelled: unlabelled,
		Note: c.note,
	}}
	if err := in.Options.Validate(); err != nil {
		return in, usageError{err}
	}
	return in, nil
}

// input is the library's view of the flags.
func (f *inputFlags) input(c *call, paths []string, unlabelled bool) (nbsvm.Input, error) {
	in, err := f.source(c, paths, unlabelled)
	if err != nil {
		return in, err
	}
	if in.Bad, err = corpus.NewBadRecords(f.OnBad, messages(c.err)); err != nil {
		return in, err
	}
	if twice := givenTwice(paths); twice != "" && !c.Quiet {
		fmt.Fprintf(c.err, "nbsvm: %s is given twice, and its documents are taken twice\n", twice)
	}
	if usesStdin(paths) && !c.Quiet && terminal(c.in) {
		fmt.Fprintln(c.err, "nbsvm: reading documents from the keyboard; Ctrl-D ends them")
	}
	return in, nil
}

// givenTwice is the first path that is there twice; empty if none is.
func givenTwice(paths []string) string {
	given := make(map[string]bool, len(paths))
	for _, path := range paths {
		clean := filepath.Clean(path)
		if given[clean] {
			return path
		}
		given[clean] = true
	}
	return ""
}

// note tells what was taken of a file from its content; of many files that are alike, only of the first.
func (c *call) note(path, what string) {
	kind, _, _ := strings.Cut(what, ":")
	if _, told := c.noted.LoadOrStore(kind, true); !told && !c.Quiet && c.Progress != "json" {
		fmt.Fprintf(c.err, "nbsvm: %s: %s\n", path, what)
	}
}

// delimiter is between columns.
type delimiter byte

func (d *delimiter) UnmarshalText(text []byte) error {
	switch given := string(text); {
	case given == "tab" || given == `\t`:
		*d = '\t'
	case len(given) == 1:
		*d = delimiter(given[0])
	default:
		return fmt.Errorf("%q is no delimiter: take one character, as ';', or tab", given)
	}
	return nil
}

// String is the delimiter as UnmarshalText reads it.
func (d delimiter) String() string {
	if d == '\t' {
		return "tab"
	}
	return string(rune(d))
}

func usesStdin(paths []string) bool { return len(paths) == 0 || slices.Contains(paths, "-") }

// withInput runs a command on its input. The command's own error comes first, then that of
// the quarantine file, then the fact that there were bad records.
func (f *inputFlags) withInput(c *call, paths []string, unlabelled bool, run func(in nbsvm.Input) error) error {
	in, err := f.input(c, paths, unlabelled)
	if err != nil {
		return err
	}
	err = run(in)
	if closeErr := in.Bad.Close(err == nil); err == nil {
		err = closeErr
	}
	if n := in.Bad.Count(); err == nil && n > 0 {
		err = badRecords{n}
	}
	return err
}

// readerFunc is a function that reads.
type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
