// Command nbsvm-beam scores and packs corpora with Apache Beam. nbsvm-beam score --help and nbsvm-beam pack --help tell
// what they do; docs/how-to/beam.md tells how to run them on Dataflow, Flink and here.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/base/wording"

	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/dataflow"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"
)

// Exit codes, those of nbsvm.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
	exitBad    = 3 // finished, but bad records were left out
	exitFiles  = 4 // finished, but whole files were left out
)

// cli is the command line, without Beam's own flags.
type cli struct {
	Score scoreCmd `cmd:"" help:"Score shards, each into a file of its own, as nbsvm score --out-dir does."`
	Pack  packCmd  `cmd:"" help:"Pack shards into parts of a corpus, and the parts into one corpus."`
	Pool  poolCmd  `cmd:"" help:"Start worker processes for a runner, with --environment_type EXTERNAL."`
}

// badRecords says that a command finished although some records were bad.
type badRecords int64

func (b badRecords) Error() string { return wording.Some(int64(b), "bad record") }

// badFiles says that a command finished, but left bad files out.
type badFiles int64

func (b badFiles) Error() string { return wording.Some(int64(b), "bad file") }

// usageError is a mistake in how the command was called.
type usageError struct{ error }

func main() {
	// Runners start the program with flags of Beam's alone, among them --worker.
	if len(os.Args) > 1 && beamFlag(os.Args[1]) != nil {
		flag.Parse()
		beam.Init()
		fmt.Fprintln(os.Stderr, "nbsvm-beam: name a command first: nbsvm-beam score or pack")
		os.Exit(exitUsage)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second one ends the program at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run runs a command and returns the exit code.
func run(ctx context.Context, args []string, out, stderr io.Writer) int {
	own, beams := split(args)
	var c cli
	code := -1
	parser, err := kong.New(&c,
		kong.Name("nbsvm-beam"),
		kong.Description("Scores and packs corpora with Apache Beam. Flags of Beam's runners, such as --runner, --endpoint and --project, go beside the others."),
		kong.Writers(out, stderr),
		kong.Exit(func(asked int) { code = asked }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true, WrapUpperBound: 100}),
		kong.Vars{
			"formats": strings.Join(corpus.Formats(false), ", "), "max_record": strconv.Itoa(corpus.DefaultMaxRecord),
			"preset": nbsvm.Presets()[0].Name,
		},
	)
	if err != nil {
		panic(err) // the grammar is wrong
	}
	parsed, err := parser.Parse(own)
	if code >= 0 {
		return code // help was printed
	}
	if err == nil {
		err = flag.CommandLine.Parse(beams)
	}
	if err != nil {
		fmt.Fprintf(stderr, "nbsvm-beam: %v\n", err)
		return exitUsage
	}
	beam.Init()
	if err := stageSelf(); err != nil {
		fmt.Fprintf(stderr, "nbsvm-beam: %v\n", err)
		return exitUsage
	}
	parsed.BindTo(ctx, (*context.Context)(nil))
	parsed.BindTo(stderr, (*io.Writer)(nil))
	return explain(parsed.Run(), stderr)
}

// stageSelf has runners take this very program for their workers, which are Linux, instead of one that Beam compiles.
func stageSelf() (err error) {
	here := runner() == "prism" && *jobopts.EnvironmentType == "" || jobopts.IsLoopback()
	if *jobopts.WorkerBinary != "" || here {
		return nil
	}
	if runtime.GOOS != "linux" {
		return errors.New("workers are Linux programs: name one with --worker_binary, made with GOOS=linux CGO_ENABLED=0 go build")
	}
	*jobopts.WorkerBinary, err = os.Executable()
	return err
}

// runner is that of --runner.
func runner() string { return cmp.Or(*runners.Runner, "prism") }

// explain prints an error and chooses the exit code.
func explain(err error, stderr io.Writer) int {
	if err == nil {
		return exitDone
	}
	if _, bad := errors.AsType[badRecords](err); bad {
		return exitBad // which was told
	}
	if _, files := errors.AsType[badFiles](err); files {
		return exitFiles // likewise
	}
	fmt.Fprintf(stderr, "nbsvm-beam: %v\n", err)
	if _, usage := errors.AsType[usageError](err); usage {
		return exitUsage
	}
	return exitFailed
}

// split takes Beam's own flags out of a command line.
func split(args []string) (own, beams []string) {
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			return append(own, args[i:]...), beams
		}
		of := beamFlag(args[i])
		if of == nil {
			own = append(own, args[i])
			continue
		}
		beams = append(beams, args[i])
		boolean, _ := of.Value.(interface{ IsBoolFlag() bool })
		if !strings.Contains(args[i], "=") && (boolean == nil || !boolean.IsBoolFlag()) && i+1 < len(args) {
			i++
			beams = append(beams, args[i])
		}
	}
	return own, beams
}

// beamFlag is the flag of Beam's that an argument is, nil if it is none.
func beamFlag(arg string) *flag.Flag {
	if !strings.HasPrefix(arg, "--") {
		return nil
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
	return flag.CommandLine.Lookup(name)
}
