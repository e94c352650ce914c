package main

import (
	"fmt"
	"slices"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
)

// inputFlags say how input is read.
type inputFlags struct {
	Format      corpus.Format `group:"input" placeholder:"FORMAT" default:"auto" help:"One of ${formats}; auto tells by name, then by content (default: auto). Compression (gzip, zstd) is always told by content."`
	TextField   string        `group:"input" placeholder:"NAME" help:"Field of the text: a column's name or number, or a JSON field; dots descend into objects."`
	LabelField  string        `group:"input" placeholder:"NAME" help:"Field of the label, likewise."`
	WeightField string        `group:"input" placeholder:"NAME" help:"Field of the document's weight, likewise."`
	LabelSep    string        `group:"input" placeholder:"SEP" help:"Documents have any number of labels, joined by SEP."`
	OnBad       corpus.OnBad  `file:"out" group:"input" placeholder:"WHAT" default:"fail" help:"What becomes of a bad record: fail, skip, or quarantine=FILE (default: fail)."`
	MaxRecord   int           `group:"input" placeholder:"BYTES" help:"Longest record; a longer one is bad (default: ${max_record})."`
}

// source is the library's view of the flags, but for bad records.
func (f *inputFlags) source(c *call, paths []string, unlabelled bool) (nbsvm.Input, error) {
	in := nbsvm.Input{Paths: paths, Stdin: c.in, Options: corpus.Options{
		Format: f.Format, TextField: f.TextField, LabelField: f.LabelField, WeightField: f.WeightField,
		LabelSep: f.LabelSep, MaxRecord: f.MaxRecord, Unlabelled: unlabelled,
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
	if usesStdin(paths) && !c.Quiet && terminal(c.in) {
		fmt.Fprintln(c.err, "nbsvm: reading documents from the keyboard; Ctrl-D ends them")
	}
	return in, nil
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
