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

// classFlags say what labels are good for training.
type classFlags struct {
	AllowManyClasses bool `group:"input" help:"Allow nearly as many classes as documents."`
}

// source returns the library's view of the flags, but for bad records.
func (f *inputFlags) source(c *call, paths []string, unlabelled bool) (corpus.Input, error) {
	in := f.From(paths, unlabelled)
	in.Stdin, in.RecordReading, in.Note = c.in, true, c.note
	if err := in.Validate(); err != nil {
		return in, usageError{err}
	}
	return in, nil
}

// input returns the library's view of the flags.
func (f *inputFlags) input(c *call, paths []string, unlabelled bool) (corpus.Input, error) {
	in, err := f.source(c, paths, unlabelled)
	if err != nil {
		return in, err
	}
	if in.Bad, err = corpus.NewBadRecords(f.OnBad, messages(c.err)); err != nil {
		return in, err
	}
	c.tellTwice(paths)
	if usesStdin(paths) && !c.Quiet && terminal(c.in) {
		fmt.Fprintln(c.err, "nbsvm: reading documents from the keyboard; Ctrl-D ends the input")
	}
	return in, nil
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

func usesStdin(paths []string) bool { return len(paths) == 0 || slices.Contains(paths, "-") }

// withInput runs a command on its input. The command's own error comes first, then that of
// the quarantine file, then the fact that there were bad records.
func (f *inputFlags) withInput(c *call, paths []string, unlabelled bool, run func(in corpus.Input) error) error {
	in, err := f.input(c, paths, unlabelled)
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
