package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/alecthomas/kong"
	"golang.org/x/term"

	"github.com/seed-167f963f/nbsvm/internal/atomicfile"
)

// stdout is standard output. It remembers that it could not be written, so that
// no command has to look at the error of every line that it prints, and ends the
// command, which may be waiting for input.
type stdout struct {
	w    io.Writer
	stop context.CancelFunc
	err  error
}

func (o *stdout) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(p)
	if err != nil {
		if path, ok := errors.AsType[*fs.PathError](err); ok {
			err = path.Err
		}
		o.err = fmt.Errorf("cannot write to standard output: %w", err)
		o.stop()
	}
	return n, o.err
}

// check adds to a command's error that of its output. That the reader has gone
// away (nbsvm score ... | head) is none: it has what it wanted.
func (o *stdout) check(err error) error {
	switch {
	case o.err == nil:
		return err
	case !readerGone(o.err):
		return o.err
	case err == nil || errors.Is(err, o.err) || errors.Is(err, context.Canceled):
		return nil
	}
	return err
}

// errClosed is the error of a standard stream that the shell has closed.
var errClosed = errors.New("it is closed; redirect it, to or from /dev/null if need be")

// hasOutput tells whether a command can write its results to a file, so that it may have
// nothing to print.
func hasOutput(parsed *kong.Context) bool {
	return slices.ContainsFunc(parsed.Selected().Flags, func(f *kong.Flag) bool { return f.Short == 'o' })
}

// terminal tells whether a stream is one.
func terminal(stream any) bool {
	f, ok := underlying(stream).(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// underlying is the stream that a command was given, below what this program has put around it.
func underlying(stream any) any {
	switch s := stream.(type) {
	case *stdout:
		return underlying(s.w)
	case *printableWriter:
		return underlying(s.w)
	}
	return stream
}

// writeOutput runs write on the named file, which appears whole or not at all, or
// on standard output if the name is empty or "-".
func (c *call) writeOutput(path string, write func(io.Writer) error) error {
	if standardOutput(path) {
		return write(c.out)
	}
	return atomicfile.WriteFile(path, write)
}

// standardOutput says whether an output of this name goes there.
func standardOutput(path string) bool { return path == "" || path == "-" }

// buffered is the writer that rows go to. With --line-buffered it hands on at once what is
// written to a file, which may be a pipe.
func (s *scoreCmd) buffered(w io.Writer) io.Writer {
	file, ok := w.(*atomicfile.File)
	if !ok || !s.LineBuffered {
		return w
	}
	return writerFunc(func(p []byte) (int, error) {
		n, err := file.Write(p)
		if err == nil {
			err = file.Flush()
		}
		return n, err
	})
}

// writerFunc is a function that writes.
type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// summaryFor is where the summary goes beside an output: not into it.
func (c *call) summaryFor(output string) io.Writer {
	if output == "-" {
		return c.err
	}
	return c.out
}

// checkBinary is checkOutput of what is not for a terminal.
func (c *call) checkBinary(what, path string) error {
	switch {
	case path != "-":
		return checkOutput(path)
	case terminal(c.out):
		return usageError{fmt.Errorf("%s is not for a terminal; redirect standard output, or name a file with -o", what)}
	}
	return nil
}

// checkOutput finds out whether a file could be written, before hours are spent
// on what should go into it. Nothing is left behind.
func checkOutput(path string) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil // a pipe's reader would notice
	}
	f, err := atomicfile.Create(path)
	if err == nil {
		f.Abort()
	}
	return err
}

// printJSON writes a value as indented JSON, printJSONLine in one line.
func printJSON(w io.Writer, value any) error     { return encodeJSON(w, "  ", value) }
func printJSONLine(w io.Writer, value any) error { return encodeJSON(w, "", value) }

func encodeJSON(w io.Writer, indent string, value any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	return e.Encode(value)
}

// printReport writes a report as JSON or text, as is asked for.
func (c *call) printReport(report interface{ WriteText(w io.Writer) error }) error {
	if c.JSON {
		return printJSON(c.out, report)
	}
	return report.WriteText(c.out)
}
