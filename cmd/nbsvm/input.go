package main

import (
	"fmt"
	"slices"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/facts"
	"github.com/seed-167f963f/nbsvm/internal/scoring"
)

// inputFlags say how input is read.
type inputFlags struct{ scoring.Input }

// labelledFlags say how labelled documents are read, and which files hold those of one class.
type labelledFlags struct {
	Class  namedFiles `file:"in" sep:"none" group:"input" placeholder:"LABEL=FILE" help:"A file whose documents all have this label, whatever their records say; without labels, any format will do. Repeat the flag for other files and classes, or quote a pattern: --class good='a/*.jsonl'."`
	Target string     `not:"label-field" group:"input" placeholder:"NAME" help:"Field of a number to predict in place of a label, or a,b,c of the numbers of several raters: models are nbsvr (the default), svr, ridge or ordinal."`
	inputFlags
}

// labelled returns the library's view of the flags and arguments, but for bad records: the arguments, whose documents
// have labels of their own, then the files of classes.
func (f *labelledFlags) labelled(arguments []string) corpus.Input {
	in := f.From(slices.Concat(arguments, f.Class.paths()), false)
	if f.Target != "" {
		in.LabelField, in.Numbers = f.Target, true
	}
	if len(f.Class) > 0 {
		in.Classes = make([]string, len(arguments), len(in.Paths))
		for _, of := range f.Class {
			for range of.paths {
				in.Classes = append(in.Classes, of.name)
			}
		}
	}
	return in
}

// classFlags say what labels are good for training.
type classFlags struct {
	AllowManyClasses bool `group:"input" help:"Allow nearly as many classes as documents."`
}

// source completes an input, but for bad records.
func (c *call) source(in corpus.Input) (corpus.Input, error) {
	in.Stdin, in.RecordReading, in.Note = c.in, true, c.note
	if err := in.Validate(); err != nil {
		return in, usageError{err}
	}
	return in, nil
}

// input completes an input.
func (f *inputFlags) input(c *call, in corpus.Input) (corpus.Input, error) {
	return c.input(in, f.OnBad)
}

func (c *call) input(in corpus.Input, onBad corpus.OnBad) (corpus.Input, error) {
	in, err := c.source(in)
	if err != nil {
		return in, err
	}
	if in.Bad, err = corpus.NewBadRecords(onBad, messages(c.err)); err != nil {
		return in, err
	}
	c.tellTwice(in.Paths)
	if in.ReadsStdin() && !c.Quiet && terminal(c.in) {
		fmt.Fprintln(c.err, "nbsvm: reading documents from the keyboard; Ctrl-D ends the input")
	}
	return in, nil
}

// firstOf returns the first of some files that is of a kind; "" if none is.
func firstOf(paths []string, is func(path string) (bool, error)) (string, error) {
	for _, path := range paths {
		if found, err := is(path); found || err != nil {
			return path, err
		}
	}
	return "", nil
}

// tellTwice warns about a file that is given twice.
func (c *call) tellTwice(paths []string) {
	if what := facts.Twice(paths); what != "" && !c.Quiet {
		fmt.Fprintf(c.err, "nbsvm: %s\n", what)
	}
}

// note prints what was concluded from the content of a file, once for each kind of conclusion.
func (c *call) note(path, what string) {
	if c.noted.Untold(what) && !c.Quiet && c.Progress != "json" {
		fmt.Fprintf(c.err, "nbsvm: %s: %s\n", path, facts.Plain(what))
	}
}

// withInput runs a command on its input.
func (f *inputFlags) withInput(c *call, in corpus.Input, run func(in corpus.Input) error) error {
	return c.withInput(in, f.OnBad, run)
}

// withInput runs a command on its input. The command's own error comes first, then that of
// the quarantine file, then the fact that there were bad records.
func (c *call) withInput(in corpus.Input, onBad corpus.OnBad, run func(in corpus.Input) error) error {
	in, err := c.input(in, onBad)
	if err != nil {
		return err
	}
	err = run(in)
	c.progress.Clear()
	if closeErr := in.Bad.Close(err == nil); err == nil {
		err = closeErr
	}
	if n := in.Bad.Count(); err == nil && n > 0 {
		err = badRecords{n}
	}
	return err
}
