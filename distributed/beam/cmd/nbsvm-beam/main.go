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

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	"github.com/spf13/cobra"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/declare"

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

// runner is a command: a struct whose fields are its arguments and flags, without Beam's own.
type runner interface {
	Help() string
	Run(ctx context.Context, stderr io.Writer) error
}

// leftOut says that a command finished, but left something out, which it has told. It is the exit code.
type leftOut int

func (l leftOut) Error() string {
	return fmt.Sprintf("left something out, as exit code %d says", int(l))
}

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
	var asked runner
	root := grammar(func(r runner) { asked = r })
	root.SetArgs(own)
	root.SetOut(out)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	switch { // help was printed
	case len(own) == 0:
		return exitUsage
	case err == nil && asked == nil:
		return exitDone
	}
	if err == nil {
		err = flag.CommandLine.Parse(beams)
	}
	if err == nil {
		beam.Init()
		err = stageSelf()
	}
	if err != nil {
		fmt.Fprintf(stderr, "nbsvm-beam: %v\n", err)
		return exitUsage
	}
	return explain(asked.Run(ctx, stderr), stderr)
}

// grammar returns the tree of commands. Found is called with the one that a correct command line names.
func grammar(found func(r runner)) *cobra.Command {
	root := &cobra.Command{
		Use: "nbsvm-beam", SilenceErrors: true, SilenceUsage: true,
		Long: "Scores and packs corpora with Apache Beam. Flags of Beam's runners, such as --runner, --endpoint and --project, go\n" +
			"beside the others.",
	}
	root.SetFlagErrorFunc(declare.Wrong)
	fill := strings.NewReplacer("${formats}", strings.Join(corpus.Formats(false), ", "),
		"${max_record}", strconv.Itoa(corpus.DefaultMaxRecord), "${preset}", nbsvm.Presets()[0].Name).Replace
	for _, c := range []struct {
		name, short string
		runner
	}{
		{"score", "Score shards, each into a file of its own, as nbsvm score --out-dir does.", new(scoreCmd)},
		{"pack", "Pack shards into parts of a corpus.", new(packCmd)},
	} {
		fields := declare.Fields(c.runner, fill)
		command := &cobra.Command{
			Use: declare.Usage(c.name, fields), Short: c.short, Long: c.short + "\n\n" + c.Help(),
			Args: cobra.ArbitraryArgs,
			RunE: func(_ *cobra.Command, args []string) error {
				err := cmp.Or(declare.Arguments(fields, args), declare.Check(fields))
				if err == nil {
					found(c.runner)
				}
				return err
			},
		}
		declare.Add(command.Flags(), fields)
		root.AddCommand(command)
	}
	return root
}

// stageSelf has runners take this very program for their workers, which are Linux, instead of one that Beam compiles.
func stageSelf() (err error) {
	here := beamRunner() == "prism" && *jobopts.EnvironmentType == "" || jobopts.IsLoopback()
	if *jobopts.WorkerBinary != "" || here {
		return nil
	}
	if runtime.GOOS != "linux" {
		return errors.New("workers are Linux programs: name one with --worker_binary, made with GOOS=linux CGO_ENABLED=0 go build")
	}
	*jobopts.WorkerBinary, err = os.Executable()
	return err
}

// beamRunner is that of --runner.
func beamRunner() string { return cmp.Or(*runners.Runner, "prism") }

// explain prints an error and chooses the exit code.
func explain(err error, stderr io.Writer) int {
	if err == nil {
		return exitDone
	}
	if left, is := errors.AsType[leftOut](err); is {
		return int(left)
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

// beamFlag returns the flag of Beam's that an argument is, nil if it is none.
func beamFlag(arg string) *flag.Flag {
	if !strings.HasPrefix(arg, "--") {
		return nil
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
	return flag.CommandLine.Lookup(name)
}
