package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"golang.org/x/term"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
	"github.com/seed-167f963f/nbsvm/internal/scoring"
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

// flush writes what is held back from a terminal.
func (o *stdout) flush() {
	if safe, is := o.w.(*display.Writer); is {
		safe.Flush()
	}
}

// terminal reports whether a stream is a terminal.
func terminal(stream any) bool {
	f, ok := underlying(stream).(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// underlying returns the stream that a command was given, below what this program has put around it.
func underlying(stream any) any {
	switch s := stream.(type) {
	case *stdout:
		return underlying(s.w)
	case *display.Writer:
		return underlying(s.Unwrap())
	}
	return stream
}

// writeOutput runs write on the named file, which appears whole or not at all, or
// on standard output if the name is empty or "-".
func (c *call) writeOutput(path string, write func(io.Writer) error) error {
	if standardOutput(path) {
		return write(c.data)
	}
	return osfile.WriteFile(path, write)
}

// writeModel writes a model like writeOutput, and returns its size.
func (c *call) writeModel(path string, m io.WriterTo) (size int64, err error) {
	err = c.writeOutput(path, func(w io.Writer) error {
		size, err = m.WriteTo(w)
		return err
	})
	return size, err
}

// writeOutputs returns writeOutput of files that belong together: none appears before the bytes of all are on the disk.
func (c *call) writeOutputs(paths []string, write func([]io.Writer) error) error {
	writers := make([]io.Writer, len(paths))
	var files []*osfile.File
	for i, path := range paths {
		if standardOutput(path) {
			writers[i] = c.data
			continue
		}
		f, err := osfile.Create(path)
		if err != nil {
			return err
		}
		defer f.Abort()
		writers[i], files = f, append(files, f)
	}
	if err := write(writers); err != nil {
		return err
	}
	return osfile.CommitAll(files...)
}

// compressFlag says how outputs of text are compressed.
type compressFlag struct{ scoring.Compress }

// check refuses what is compressed on a terminal, and names of what can't be written.
func (f *compressFlag) check(c *call, path string) error {
	if kind := f.Kind(path); kind != osfile.Uncompressed && standardOutput(path) && terminal(c.out) {
		return usageError{fmt.Errorf("--compress %s can't write to a terminal; redirect standard output, or name a file with -o", kind)}
	}
	if err := f.Check(path); err != nil {
		return usageError{err}
	}
	return nil
}

// writeText returns writeOutput of text, compressed as the flag or the name says.
func (c *call) writeText(path string, how compressFlag, write func(io.Writer) error) error {
	if err := how.check(c, path); err != nil {
		return err
	}
	return c.writeOutput(path,
		func(w io.Writer) error { return osfile.WriteCompressed(how.Kind(path), c.Threads, w, write) })
}

// standardOutput reports whether an output of this name goes there.
func standardOutput(path string) bool { return path == "" || path == "-" }

// writerFunc is a function that writes.
type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// summaryFor returns where the summary goes beside an output: not into it.
func (c *call) summaryFor(output string) io.Writer {
	if output == "-" {
		return c.err
	}
	return c.out
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

// scoreOptions returns the library's, with the flags of every command.
func (c *call) scoreOptions() nbsvm.ScoreOptions {
	return nbsvm.ScoreOptions{Threads: c.Threads, Progress: c.progress.Show}
}
