// Command nbsvm-beam scores corpora with Apache Beam. nbsvm-beam --help tells what it does; docs/how-to/beam.md tells how
// to run it on Dataflow, Flink and here.
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
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/dataflow"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"
	"github.com/spf13/cobra"

	"github.com/seed-167f963f/nbsvm/corpus"
	nbsvmbeam "github.com/seed-167f963f/nbsvm/distributed/beam"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/flags"
)

// Exit codes, those of nbsvm.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
	exitBad    = 3 // finished, but bad records were left out
	exitFiles  = 4 // finished, but whole files were left out
)

// usageError is a mistake in how the command was called.
type usageError struct{ error }

// command is the command line, without Beam's own flags.
type command struct {
	nbsvmbeam.ScoreOptions
	Paths []string `arg:"" optional:"" name:"input" help:"Files of documents, or patterns in quotes: 'gs://bucket/web/*.jsonl.zst'."`
}

const description = `Scores corpora with Apache Beam. Flags are those of nbsvm score, and so are the outputs, byte for byte. Flags of
Beam's runners, such as --runner, --endpoint and --project, go beside them. Paths may begin with gs:// or s3://.

A worker takes whole files. A job that has failed, or was stopped, is run again by the same command: files that are
there, of inputs that have not changed, are passed over. Of a file that can't be read nothing is made; the others are
finished, then the exit code is 1. It is 4 if bad files were skipped, and 3 if outputs lack bad records.

    nbsvm-beam --where 'p >= 0.9' --out-dir good web.nbm 'web/*.jsonl.zst'
    nbsvm-beam --runner flink --endpoint localhost:8099 --environment_type EXTERNAL \
        --environment_config localhost:50000 --out-dir gs://b/scores gs://b/web.nbm 'gs://b/web/*.jsonl.zst'`

func main() {
	// Runners start the program with flags of Beam's alone.
	if slices.ContainsFunc(os.Args, func(arg string) bool { return arg == "--worker" || strings.HasPrefix(arg, "--worker=") }) {
		flag.Parse()
		beam.Init() // does not return in a worker
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second one ends the program at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run scores and returns the exit code.
func run(ctx context.Context, args []string, out, stderr io.Writer) (code int) {
	own, beams := split(args)
	asked := new(command)
	fill := strings.NewReplacer("${formats}", strings.Join(corpus.Formats(false), ", "),
		"${max_record}", strconv.Itoa(corpus.DefaultMaxRecord)).Replace
	fields := flags.Fields(asked, fill)
	root := &cobra.Command{
		Use: flags.Usage("nbsvm-beam", fields), Long: description, SilenceErrors: true, SilenceUsage: true,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) (err error) {
			if err := cmp.Or(flags.Arguments(fields, args), flags.Check(fields)); err != nil {
				return usageError{err}
			}
			if err := flag.CommandLine.Parse(beams); err != nil {
				return usageError{err}
			}
			beam.Init()
			if err := stageSelf(); err != nil {
				return usageError{err}
			}
			code, err = asked.score(ctx, stderr)
			return err
		},
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return usageError{flags.Wrong(c, err)} })
	flags.Add(root.Flags(), fields)
	root.SetArgs(own)
	root.SetOut(out)
	root.SetErr(stderr)
	err := root.Execute()
	if err == nil {
		return code
	}
	fmt.Fprintf(stderr, "nbsvm-beam: %v\n", err)
	if _, usage := errors.AsType[usageError](err); usage {
		return exitUsage
	}
	return exitFailed
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

// score runs the pipeline to its end, and tells what it has made unless nobody waits for that.
func (c *command) score(ctx context.Context, stderr io.Writer) (code int, err error) {
	if len(c.Models) > 0 && c.Model != "" { // it is the first of the inputs
		c.Model, c.Paths = "", append([]string{c.Model}, c.Paths...)
	}
	if len(c.Paths) == 0 {
		return 0, usageError{errors.New("the input is missing: name files of documents, or a pattern in quotes")}
	}
	p, root := beam.NewPipelineWithRoot()
	if err := nbsvmbeam.Score(root, nbsvmbeam.Match(root, c.Paths...), c.ScoreOptions); err != nil {
		return 0, usageError{err}
	}
	start := time.Now()
	result, err := beam.Run(ctx, beamRunner(), p)
	switch {
	case ctx.Err() != nil && (beamRunner() != "prism" || *jobopts.Endpoint != ""):
		return 0, errors.New("interrupted; the runner may continue the job: cancel it there. The same command does the rest")
	case ctx.Err() != nil:
		return 0, fmt.Errorf("interrupted; the files in %s are complete, and the same command does the rest", c.OutDir)
	case err != nil:
		return 0, cause(err)
	case result == nil || *jobopts.Async: // nobody waits
		return exitDone, nil
	}
	counts := map[string]int64{}
	for _, counter := range result.Metrics().AllMetrics().Counters() {
		if counter.Key.Namespace == "nbsvm" {
			counts[counter.Key.Name] += cmp.Or(counter.Committed, counter.Attempted)
		}
	}
	failed, skipped, bad := counts[nbsvmbeam.Failed], counts[nbsvmbeam.Skipped], counts[nbsvmbeam.Bad]
	fmt.Fprintf(stderr, "%s written, %d already there, %d failed, %d skipped; %s, %d of them bad, in %.2f s\n",
		display.Some(counts[nbsvmbeam.Written], "file"), counts[nbsvmbeam.There], failed, skipped,
		display.Some(counts[nbsvmbeam.Records], "record"), bad, time.Since(start).Seconds())
	switch {
	case failed > 0:
		return 0, fmt.Errorf("%s could not be scored, as the log says; the others are done, and the same command tries again",
			display.Some(failed, "file"))
	case skipped > 0:
		return exitFiles, nil
	case bad > 0:
		return exitBad, nil
	}
	return exitDone, nil
}

// cause returns what is wrong, without the runner's words around it: the log has them.
func cause(err error) error {
	text := err.Error()
	if _, own, ok := strings.Cut(text, "DoFn["); ok {
		of, own, ok := strings.Cut(own, "failed:\n")
		if text = strings.TrimSpace(own); ok && (strings.Contains(of, "beginFn") || strings.Contains(of, "matchFn")) {
			return errors.New(text) // nothing was made yet
		}
	}
	return fmt.Errorf("%s; the same command does the rest", text)
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
