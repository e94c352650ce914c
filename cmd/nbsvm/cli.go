package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/alecthomas/kong"

	"github.com/seed-167f963f/nbsvm/internal/base/ordered"
	"github.com/seed-167f963f/nbsvm/internal/base/printable"
	"github.com/seed-167f963f/nbsvm/internal/base/process"
	"github.com/seed-167f963f/nbsvm/kernels"
)

// streams are what a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// cli is the grammar of the command line.
type cli struct {
	Train      trainCmd      `cmd:"" help:"Train a model on labelled documents."`
	Score      scoreCmd      `cmd:"" help:"Score documents: one output row per input row, in order."`
	Pack       packCmd       `cmd:"" help:"Hash documents once, into a corpus to train on many times."`
	Merge      mergeCmd      `cmd:"" help:"Join the outputs of score --shard, or packed corpora."`
	Eval       evalCmd       `cmd:"" help:"Compare a model's predictions with the labels of documents."`
	CV         cvCmd         `cmd:"" name:"cv" help:"Cross-validate: train and evaluate on K folds in turn."`
	Tune       tuneCmd       `cmd:"" help:"Search for the settings that suit the documents best, and train with them."`
	Explain    explainCmd    `cmd:"" help:"List a model's strongest n-grams, or take scores apart."`
	Report     reportCmd     `cmd:"" help:"Write a page about a model, and how it does on documents, in HTML."`
	Inspect    inspectCmd    `cmd:"" help:"Tell what a model or a packed corpus holds and how it was made."`
	Verify     verifyCmd     `cmd:"" help:"Check every checksum and number of a model, a packed corpus, or a folder of outputs."`
	Export     exportCmd     `cmd:"" help:"Write a model's n-grams with their weights, or what LIBLINEAR reads."`
	Import     importCmd     `cmd:"" help:"Take a model that fastText has trained."`
	Quantize   quantizeCmd   `cmd:"" help:"Make a model smaller: 16 or 8 bits a weight."`
	Tag        tagCmd        `cmd:"" help:"Tag words of sentences: parts of speech, chunks, names."`
	Serve      serveCmd      `cmd:"" help:"Answer HTTP requests with predictions of a model."`
	Plan       planCmd       `cmd:"" help:"Tell what it will take to pack, train on and score so many documents."`
	Clean      cleanCmd      `cmd:"" help:"Remove temporary files that killed runs have left."`
	Bench      benchCmd      `cmd:"" help:"Measure this machine, the engine's parts, and whole jobs."`
	Version    versionCmd    `cmd:"" help:"Print version, build and processor."`
	Completion completionCmd `cmd:"" help:"Print a completion script for bash, zsh or fish."`

	common
}

// common are the flags of every command.
type common struct {
	Threads  int    `group:"run" placeholder:"N" help:"Threads to use; results are the same for any number (default: all processors)."`
	Quiet    bool   `group:"run" short:"q" help:"No progress and no summary."`
	Progress string `group:"run" enum:"auto,json,none" default:"auto" placeholder:"HOW" help:"auto: a line on a terminal; json: an object a second to standard error; none (default: auto)."`
	JSON     bool   `name:"json" group:"run" help:"Print results as JSON."`
	profiles
}

// call is what every command gets to run with.
type call struct {
	ctx context.Context
	streams
	*common
	noted sync.Map // kinds of what was told of files
}

// exited is how kong's --help asks to stop.
type exited int

// newParser reads command lines into c.
func newParser(c *cli, out, err io.Writer) (*kong.Kong, error) {
	return kong.New(c,
		kong.Name("nbsvm"),
		kong.Description(description),
		kong.Writers(out, err),
		kong.Exit(func(code int) { panic(exited(code)) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true, WrapUpperBound: 100}),
		kong.Help(printHelp),
		kong.ExplicitGroups(groups),
		kong.PostBuild(fillIn),
		numbers(),
		rawStrings(),
	)
}

// parseCommand reads a command line that begins with the name of its command and has
// nothing wrong with it: the grammar of one command takes a tenth of the time that all do
// to build. It returns nil for what the whole grammar has to answer, --help among it.
func parseCommand(c *cli, args []string) *kong.Context {
	command := c.command(args[0])
	if command == nil {
		return nil
	}
	parser, err := kong.New(&c.common, kong.DynamicCommand(args[0], "", "", command), kong.NoDefaultHelp(), kong.ExplicitGroups(groups), kong.PostBuild(fillIn), numbers(), rawStrings())
	if err != nil {
		return nil
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		return nil
	}
	return parsed
}

// command is where the arguments of the named command go, nil if there is none.
func (c *cli) command(name string) any {
	fields := reflect.ValueOf(c).Elem()
	for field, value := range fields.Fields() {
		if _, command := field.Tag.Lookup("cmd"); command && strings.ToLower(field.Name) == name {
			return value.Addr().Interface()
		}
	}
	return nil
}

// run parses args, runs the command and returns the exit code.
func run(ctx context.Context, args []string, s streams) (code int) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out := &stdout{w: s.out, stop: cancel}
	closed := process.StartedClosed(s.out)
	switch {
	case closed:
		out.w = writerFunc(func([]byte) (int, error) { return 0, errClosed })
	case terminal(s.out):
		safe := printable.NewWriter(s.out)
		defer safe.Flush()
		out.w = safe
	}
	below := s.in
	if process.StartedClosed(s.in) {
		below = readerFunc(func([]byte) (int, error) { return 0, errClosed })
	}
	s.out, s.err = out, printable.NewWriter(s.err)
	helpTo := s.out
	if len(args) == 0 {
		args, helpTo = []string{"--help"}, s.err
		defer func() { code = exitUsage }()
	}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case exited:
			code = explainExit(out.check(nil), s.err)
		default:
			code = crashed(e, s.err)
		}
	}()
	if len(args) == 2 && args[0] == "help" && printTopic(s.out, args[1]) {
		return explainExit(out.check(nil), s.err)
	}
	var c cli
	args = joinNegative(rewriteHelp(args))
	if slices.Contains(args, "-output") { // the parser takes it for -o utput
		return explainExit(wrongUsage(nil, args), s.err)
	}
	if advice := otherWords(args); advice != "" {
		return explainExit(usageError{errors.New(advice)}, s.err)
	}
	parsed := parseCommand(&c, args)
	if parsed == nil {
		c = cli{}
		parser, err := newParser(&c, helpTo, s.err)
		if err != nil {
			return explainExit(err, s.err)
		}
		parsed, err = parser.Parse(args)
		if out.err != nil { // the help could not be written
			return explainExit(out.check(nil), s.err)
		}
		if err != nil {
			return explainExit(wrongUsage(err, args), s.err)
		}
	}
	if c.Threads < 0 || c.Threads > ordered.MostThreads {
		return explainExit(usageError{fmt.Errorf("--threads is %d, want 1 to %d, or 0 for all processors", c.Threads, ordered.MostThreads)}, s.err)
	}
	if err := cmp.Or(refuseEmpty(parsed), refuseTwice(parsed), refuseUnquoted(parsed)); err != nil {
		return explainExit(err, s.err)
	}
	expandPatterns(parsed)
	if err := kernels.Forced(); err != nil {
		return explainExit(usageError{err}, s.err)
	}
	if err := checkKinds(parsed); err != nil {
		return explainExit(err, s.err)
	}
	if err := checkFiles(parsed, s); err != nil {
		return explainExit(err, s.err)
	}
	if !c.Quiet {
		tellNoEffect(parsed, s.err)
	}
	if closed && !hasOutput(parsed) {
		_, err := out.Write(nil)
		return explainExit(err, s.err)
	}
	ctx, stop := process.UntilStopped(ctx)
	defer stop()

	s.in = below
	profile, err := c.profiles.start(s.err)
	if err == nil {
		err = parsed.Run(&call{ctx: ctx, streams: s, common: &c.common})
		err = out.check(err)
		if stopErr := profile.stop(); stopErr != nil {
			if isBadRecords(err) {
				err = nil
			}
			err = errors.Join(err, stopErr)
		}
	}
	return process.ExitCode(ctx, explainExit(err, s.err))
}

// refuseEmpty refuses flags whose value is empty, mostly a variable of the shell that is not set; they would be
// taken as not given. Labels may be empty.
func refuseEmpty(parsed *kong.Context) error {
	for _, part := range parsed.Path {
		flag := part.Flag
		if flag == nil || flag.Name == "label" || flag.Name == "class" || flag.Target.Kind() != reflect.String || flag.Target.String() != "" {
			continue
		}
		return usageError{fmt.Errorf("--%s is empty; want %s, or leave it out", flag.Name, flag.FormatPlaceHolder())}
	}
	return nil
}

// once are flags of which a user who gives them twice means both.
var once = []string{"where", "add-field", "id-field"}

// refuseTwice refuses conditions, fields and outputs that are given twice, of which the parser would take the last.
func refuseTwice(parsed *kong.Context) error {
	given := map[string]bool{}
	for _, part := range parsed.Path {
		flag := part.Flag
		if flag == nil || flag.Target.Kind() != reflect.String || !slices.Contains(once, flag.Name) && !flag.Tag.Has("file") {
			continue
		}
		if given[flag.Name] {
			return usageError{fmt.Errorf("--%s is given twice, and takes one %s", flag.Name, flag.FormatPlaceHolder())}
		}
		given[flag.Name] = true
	}
	return nil
}

// rewriteHelp makes of "nbsvm help", "nbsvm help COMMAND" and "nbsvm --version",
// which people type, what the parser understands.
func rewriteHelp(args []string) []string {
	switch {
	case len(args) == 1 && args[0] == "--version":
		return []string{"version"}
	case len(args) > 0 && args[0] == "help":
		return append(args[1:len(args):len(args)], "--help")
	}
	return args
}
