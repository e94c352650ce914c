package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/seed-167f963f/nbsvm/internal/base/ordered"
	"github.com/seed-167f963f/nbsvm/internal/base/printable"
	"github.com/seed-167f963f/nbsvm/internal/base/process"
	"github.com/seed-167f963f/nbsvm/internal/cli/doubts"
	"github.com/seed-167f963f/nbsvm/internal/cli/progress"
	"github.com/seed-167f963f/nbsvm/kernels"
)

// streams are the standard streams of a command.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// cli is the grammar of the command line, in the order of the help.
type cli struct {
	Train    trainCmd    `cmd:"" group:"use" help:"Train a model on labelled documents."`
	Tune     tuneCmd     `cmd:"" group:"use" help:"Search for the best options, then train with them."`
	Score    scoreCmd    `cmd:"" group:"use" help:"Label new documents, or keep those that match a condition."`
	Merge    mergeCmd    `cmd:"" group:"use" help:"Join the outputs of score --shard, or packed corpora."`
	Serve    serveCmd    `cmd:"" group:"use" help:"Answer HTTP requests with predictions."`
	Health   healthCmd   `cmd:"" group:"use" help:"Ask a server whether it is ready."`
	Quantize quantizeCmd `cmd:"" group:"use" help:"Make a model smaller: 16 or 8 bits per weight."`

	Explain explainCmd `cmd:"" group:"look" help:"List a model's strongest n-grams, or explain single predictions."`
	Inspect inspectCmd `cmd:"" group:"look" help:"Show what a model or packed corpus holds and how it was made."`
	Verify  verifyCmd  `cmd:"" group:"look" help:"Check a model, packed corpus or output folder for damage."`
	Report  reportCmd  `cmd:"" group:"look" help:"Write an HTML page about a model and its errors."`
	Export  exportCmd  `cmd:"" group:"look" help:"Write weights or features as text, or for LIBLINEAR."`

	Pack  packCmd  `cmd:"" group:"corpora" help:"Hash documents once, to train on them many times."`
	Clean cleanCmd `cmd:"" group:"corpora" help:"Remove temporary files that killed runs left behind."`

	Import importCmd `cmd:"" group:"fasttext" help:"Convert a fastText model."`

	Tag tagCmd `cmd:"" group:"tagging" help:"Tag the words of sentences."`

	Eval  evalCmd  `cmd:"" group:"measuring" help:"Compare a model's predictions with the true labels."`
	CV    cvCmd    `cmd:"" name:"cv" group:"measuring" help:"Cross-validate, and compare models and options."`
	Bench benchCmd `cmd:"" group:"measuring" help:"Measure speed."`

	Version    versionCmd    `cmd:"" group:"other" help:"Print the version, the build and the processor."`
	Completion completionCmd `cmd:"" group:"other" help:"Print a completion script for bash, zsh or fish."`

	common
}

// common are the flags of every command.
type common struct {
	Threads  int    `values:"1 to 1024, or 0 for all processors" group:"run" placeholder:"N" help:"Threads to use; the number does not change results (default: all processors)."`
	Quiet    bool   `group:"run" short:"q" help:"Print no progress and no summary."`
	Progress string `group:"run" enum:"auto,json,none" default:"auto" placeholder:"HOW" help:"auto: a line on a terminal; json: one object per second on standard error; none (default: auto)."`
	JSON     bool   `name:"json" group:"run" help:"Print results as JSON."`
	profiles
}

// check refuses values that no command can take.
func (f *common) check() error {
	if f.Threads < 0 || f.Threads > ordered.MostThreads {
		return usageError{fmt.Errorf("--threads must be 1 to %d, or 0 for all processors, got %d", ordered.MostThreads, f.Threads)}
	}
	if err := kernels.Forced(); err != nil {
		return usageError{err}
	}
	return nil
}

// call is what a command gets to run with.
type call struct {
	ctx     context.Context
	streams // out is for what people read and for JSON: names that come from files are made printable
	data    io.Writer
	*common
	parsed *kong.Context
	given  map[string]bool // the names of the flags on the command line
	noted  doubts.Notes    // about files

	progress *progress.Display // cleared before results are printed, and at the end
}

// parserOptions are those of the whole grammar and of the grammar of one command.
func parserOptions() []kong.Option {
	return []kong.Option{kong.ExplicitGroups(groups), kong.PostBuild(fillIn), rawStrings()}
}

// newParser returns the parser of the whole grammar, which prints help.
func newParser(c *cli, out, err io.Writer) (*kong.Kong, error) {
	return kong.New(c, append(parserOptions(),
		kong.Name("nbsvm"),
		kong.Description(description),
		kong.Writers(out, err),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true, WrapUpperBound: 100}),
		kong.Help(printHelp),
	)...)
}

// parseCommand reads a correct command line that begins with the name of its command. It saves 10 ms, because the
// grammar of one command takes a tenth of the time to build. It returns nil for everything else, such as --help.
func parseCommand(c *cli, args []string) *kong.Context {
	command := c.command(args[0])
	if command == nil {
		return nil
	}
	parser, err := kong.New(&c.common, append(parserOptions(), kong.DynamicCommand(args[0], "", "", command), kong.NoDefaultHelp())...)
	if err != nil {
		return nil
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		return nil
	}
	return parsed
}

// command returns where the arguments of the named command go, or nil.
func (c *cli) command(name string) any {
	for field, value := range reflect.ValueOf(c).Elem().Fields() {
		if _, command := field.Tag.Lookup("cmd"); command && strings.ToLower(field.Name) == name {
			return value.Addr().Interface()
		}
	}
	return nil
}

// parse reads a command line. It returns nil if the command line only asked for help, which has been printed.
func (c *cli) parse(args []string, out, stderr io.Writer) (*kong.Context, error) {
	if parsed := parseCommand(c, args); parsed != nil {
		return parsed, nil
	}
	*c = cli{}
	parser, err := newParser(c, out, stderr)
	if err != nil {
		return nil, err
	}
	helped := false
	parser.Exit = func(int) { helped = true } // the parser has printed help, and goes on
	parsed, err := parser.Parse(args)
	switch {
	case helped:
		return nil, nil
	case err != nil:
		return nil, wrongUsage(err)
	}
	return parsed, nil
}

// run parses args, runs the command and returns the exit code.
func run(ctx context.Context, args []string, s streams) (code int) {
	ctx, stop := process.UntilStopped(ctx) // before anything is created: what is must be removed
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s, out := guard(s, cancel)
	defer out.flush()
	defer func() {
		if fault := recover(); fault != nil {
			code = crashed(fault, s.err)
		}
	}()
	if len(args) == 0 {
		(&cli{}).parse([]string{"--help"}, s.err, s.err)
		return exitUsage
	}
	if args[0] == completeCommand {
		return explainExit(out.check(complete(s.out, args[1:])), s.err)
	}
	if len(args) == 2 && args[0] == manualCommand {
		return explainExit(writeManual(args[1]), s.err)
	}
	var c cli
	parsed, err := c.parse(rewriteHelp(args), s.out, s.err)
	if err == nil && parsed != nil {
		err = cmp.Or(c.common.check(), checkFlags(parsed), checkNames(usedFiles(parsed, s)), expandPatterns(parsed), nameStandardOutput(parsed, s))
		if err == nil {
			err = checkFiles(parsed, s)
		}
	}
	if out.err != nil { // the help could not be written
		err = nil
	}
	if err != nil || parsed == nil {
		return explainExit(out.check(err), s.err)
	}
	err = c.profiles.around(s.err, func() error {
		call := &call{ctx: ctx, streams: s, data: out, common: &c.common, parsed: parsed, given: givenFlags(parsed)}
		call.progress = newProgress(call)
		defer call.progress.Clear()
		return out.check(parsed.Run(call))
	})
	return process.ExitCode(ctx, explainExit(err, s.err))
}

// guard returns the streams as commands use them, and standard output for data, which only a terminal gets without
// control characters.
func guard(s streams, stop context.CancelFunc) (streams, *stdout) {
	out := &stdout{w: s.out, stop: stop}
	if terminal(s.out) {
		out.w = printable.NewWriter(s.out)
	}
	return streams{s.in, printable.NewWriter(out), printable.NewWriter(s.err)}, out
}

// rewriteHelp turns "nbsvm help", "nbsvm help COMMAND" and "nbsvm --version" into what the parser understands.
func rewriteHelp(args []string) []string {
	switch {
	case len(args) == 1 && args[0] == "--version":
		return []string{"version"}
	case args[0] == "help":
		return append(args[1:len(args):len(args)], "--help")
	}
	return args
}
