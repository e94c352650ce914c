package main

import (
	"context"
	"encoding/json"
	"io"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/atomicfile"
)

// common are the flags of every command.
type common struct {
	Threads int  `group:"run" placeholder:"N" help:"Threads to use; results are the same for any number (default: all processors)."`
	Quiet   bool `group:"run" short:"q" help:"No progress and no summary."`
	JSON    bool `name:"json" group:"run" help:"Print results as JSON."`
	profiles
}

// inputFlags say how input is read.
type inputFlags struct {
	Format      corpus.Format `group:"input" placeholder:"FORMAT" default:"auto" help:"tsv, csv, jsonl, fasttext, lines or svmlight; auto goes by name, then by content. Compression (gzip, zstd) is told by content."`
	TextField   string        `group:"input" placeholder:"NAME" help:"Field of the text: a column's name or number (tsv, csv), or a JSON field; dots descend into objects."`
	LabelField  string        `group:"input" placeholder:"NAME" help:"Field of the label, likewise."`
	WeightField string        `group:"input" placeholder:"NAME" help:"Field of the document's weight, likewise."`
	LabelSep    string        `group:"input" placeholder:"SEP" help:"Documents have any number of labels, joined by SEP."`
	OnBad       string        `group:"input" placeholder:"WHAT" default:"fail" help:"What becomes of a bad record: fail, skip, or quarantine=FILE."`
	MaxRecord   int           `group:"input" placeholder:"BYTES" help:"Longest record (default: 16777216)."`
}

// input is the library's view of the flags.
func (f *inputFlags) input(c *call, paths []string, unlabelled bool) (nbsvm.Input, error) {
	in := nbsvm.Input{Paths: paths, Stdin: c.in, Options: corpus.DefaultOptions()}
	in.Format, in.TextField, in.LabelField, in.WeightField = f.Format, f.TextField, f.LabelField, f.WeightField
	in.LabelSep, in.Unlabelled = f.LabelSep, unlabelled
	if f.MaxRecord != 0 {
		in.MaxRecord = f.MaxRecord
	}
	if err := in.Options.Validate(); err != nil {
		return in, usageError{err}
	}
	policy, err := corpus.ParseOnBad(f.OnBad)
	if err != nil {
		return in, usageError{err}
	}
	in.Bad, err = corpus.NewBadRecords(policy, c.err)
	return in, err
}

// finishBad closes the count of bad records: an error of the command's own comes
// first, then that of the quarantine file, then the fact that there were some.
func finishBad(in nbsvm.Input, err error) error {
	if closeErr := in.Bad.Close(err == nil); err == nil {
		err = closeErr
	}
	if n := in.Bad.Count(); err == nil && n > 0 {
		err = badRecords{n}
	}
	return err
}

// writeOutput runs write on the named file, which appears whole or not at all, or
// on standard output if the name is empty or "-".
func (c *call) writeOutput(path string, write func(io.Writer) error) error {
	if path == "" || path == "-" {
		return write(c.out)
	}
	return atomicfile.WriteFile(path, write)
}

// printJSON writes a value as indented JSON.
func printJSON(w io.Writer, value any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(value)
}

// interruptible is a reader whose reads return when ctx is done, even while the
// one below is waiting for input.
func interruptible(ctx context.Context, r io.Reader) io.Reader {
	return &interruptibleReader{ctx: ctx, r: r}
}

type interruptibleReader struct {
	ctx   context.Context
	r     io.Reader
	reads chan read
	rest  []byte
	err   error
}

type read struct {
	data []byte
	err  error
}

func (i *interruptibleReader) Read(p []byte) (int, error) {
	if i.reads == nil {
		i.reads = make(chan read)
		go i.pump()
	}
	for len(i.rest) == 0 {
		if i.err != nil {
			return 0, i.err
		}
		select {
		case next, ok := <-i.reads:
			if !ok {
				return 0, io.EOF
			}
			i.rest, i.err = next.data, next.err
		case <-i.ctx.Done():
			return 0, i.ctx.Err()
		}
	}
	n := copy(p, i.rest)
	i.rest = i.rest[n:]
	return n, nil
}

// pump reads on until the end, an error, or the context's end.
func (i *interruptibleReader) pump() {
	defer close(i.reads)
	for {
		buffer := make([]byte, 256<<10)
		n, err := i.r.Read(buffer)
		select {
		case i.reads <- read{buffer[:n], err}:
		case <-i.ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}
