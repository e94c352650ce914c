// Command nbsvm-parquet reads and writes Parquet files for nbsvm; see nbsvm-parquet --help.
//
// It is a program of its own, so that a file that was made to do harm can't bring down nbsvm: its memory is limited,
// and so is the time in which it gets no further.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/seed-167f963f/nbsvm/internal/base/process"
)

// Exit codes.
const (
	exitFailed = 1
	exitUsage  = 2
)

type cli struct {
	Cat     catCmd     `cmd:"" help:"Write documents as JSON lines."`
	Columns columnsCmd `cmd:"" help:"List the columns of a file, with their types."`
	Records recordsCmd `cmd:"" hidden:"" help:"Write records to nbsvm."`
	Write   writeCmd   `cmd:"" hidden:"" help:"Write rows that nbsvm has scored."`
}

const description = `Reads and writes Parquet files for nbsvm, which starts this program where an input is Parquet.

$NBSVM_PARQUET_MEMORY is how much memory it may have (default: 4GiB).`

func main() {
	process.Prepare()
	os.Exit(run(os.Args[1:]))
}

func run(args []string) int {
	var c cli
	parser, err := kong.New(&c, kong.Name("nbsvm-parquet"), kong.Description(description), kong.UsageOnError())
	if err != nil {
		panic(err)
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintf(os.Stderr, "nbsvm-parquet: %v\n", err)
		return exitUsage
	}
	guard, err := newGuard()
	if err == nil {
		err = parsed.Run(guard)
	}
	switch {
	case err == nil || process.ReaderGone(err):
		return 0
	default:
		fmt.Fprintf(os.Stderr, "nbsvm-parquet: %v\n", err)
		return exitFailed
	}
}

// followParent ends the program when its standard input ends, which nbsvm keeps open as long as it lives.
func followParent() {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(exitFailed)
	}()
}

// byteRange is a range of a file's bytes, "from:to".
type byteRange struct{ from, to int64 }

func (b *byteRange) UnmarshalText(text []byte) error {
	from, to, ok := strings.Cut(string(text), ":")
	_, err1 := fmt.Sscan(from, &b.from)
	_, err2 := fmt.Sscan(to, &b.to)
	if !ok || errors.Join(err1, err2) != nil || b.from < 0 || b.to < b.from {
		return fmt.Errorf("%q is not a range of bytes", text)
	}
	return nil
}
