package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/facts"
	"github.com/seed-167f963f/nbsvm/internal/flags"
	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/par"
)

// streams are the standard streams of a command.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// runner is a command: a struct whose fields are its arguments and flags.
type runner interface{ Run(c *call) error }

// definition is a command, or a group of commands.
type definition struct {
	group, name, short string
	runner             runner
	commands           []definition
}

// definitions returns the commands of nbsvm, in the order of the help.
func definitions() []definition {
	return []definition{
		{group: "use", name: "train", short: "Train a model on labelled documents.", runner: new(trainCmd)},
		{group: "use", name: "tune", short: "Search for the best options, then train with them.", runner: new(tuneCmd)},
		{
			group: "use", name: "score", short: "Label new documents, or keep those that match a condition.",
			runner: new(scoreCmd),
		},
		{
			group: "use", name: "merge", short: "Join packed corpora.",
			runner: new(mergeCmd),
		},
		{group: "use", name: "serve", short: "Answer HTTP requests with predictions.", runner: new(serveCmd)},
		{group: "use", name: "quantize", short: "Make a model smaller: 8 bits per weight.", runner: new(quantizeCmd)},

		{
			group: "look", name: "explain", short: "List a model's strongest n-grams, or explain single predictions.",
			runner: new(explainCmd),
		},
		{
			group: "look", name: "inspect", short: "Show what a model or packed corpus holds and how it was made.",
			runner: new(inspectCmd),
		},
		{group: "look", name: "verify", short: "Check a model or packed corpus for damage.", runner: new(verifyCmd)},
		{
			group: "look", name: "report", short: "Write an HTML page about a model and its errors.",
			runner: new(reportCmd),
		},
		{
			group: "look", name: "export", short: "Write weights or features as text.",
			runner: new(exportCmd),
		},

		{
			group: "corpora", name: "pack", short: "Hash documents once, to train on them many times.",
			runner: new(packCmd),
		},

		{group: "tagging", name: "tag", short: "Tag the words of sentences.", commands: []definition{
			{name: "train", short: "Train a tagging model on tagged sentences.", runner: new(tagTrainCmd)},
			{name: "score", short: "Tag sentences.", runner: new(tagScoreCmd)},
			{name: "eval", short: "Compare predicted tags with the true tags.", runner: new(tagEvalCmd)},
		}},

		{
			group: "measuring", name: "eval", short: "Compare a model's predictions with the true labels.",
			runner: new(evalCmd),
		},
		{
			group: "measuring", name: "audit", short: "Show what a filter by scores keeps, and how scores drift.",
			runner: new(auditCmd),
		},
		{group: "measuring", name: "cv", short: "Cross-validate, and compare models and options.", runner: new(cvCmd)},
		{group: "measuring", name: "bench", short: "Measure speed.", commands: []definition{
			{name: "cpu", short: "Measure memory and caches.", runner: new(benchCPUCmd)},
			{name: "kernels", short: "Measure the inner loops.", runner: new(benchKernelsCmd)},
			{name: "text", short: "Measure reading, hashing and counting.", runner: new(benchTextCmd)},
			{name: "solve", short: "Measure the solver.", runner: new(benchSolveCmd)},
			{name: "score", short: "Measure scoring.", runner: new(benchScoreCmd)},
			{name: "gen", short: "Generate a corpus of any size.", runner: new(benchGenCmd)},
		}},

		{
			group: "other", name: "version", short: "Print the version, the build and the processor.",
			runner: new(versionCmd),
		},
	}
}

// common are the flags of every command.
type common struct {
	Threads  int    `values:"1 to 1024, or 0 for all processors" group:"run" placeholder:"N" help:"Threads to use; the number does not change results (default: all processors)."`
	Quiet    bool   `group:"run" short:"q" help:"Print no progress and no summary."`
	Progress string `group:"run" enum:"auto,json,none" default:"auto" placeholder:"HOW" help:"auto: a line on a terminal; json: one object per second at most, on standard error; none (default: auto)."`
	JSON     bool   `name:"json" group:"run" help:"Print results as JSON."`
	profiles
}

// check refuses values that no command can take.
func (f *common) check() error {
	if f.Threads < 0 || f.Threads > par.MostThreads {
		return usageError{fmt.Errorf("--threads must be 1 to %d, or 0 for all processors, got %d",
			par.MostThreads, f.Threads)}
	}
	if err := kernels.Forced(); err != nil {
		return usageError{err}
	}
	return nil
}

// parsed is a command with what the command line has for it.
type parsed struct {
	runner
	own, every []*flags.Field // its own arguments and flags, and the flags of every command
	common     *common
}

// fields returns all arguments and flags.
func (p *parsed) fields() []*flags.Field { return slices.Concat(p.own, p.every) }

// given reports whether the command line has a flag.
func (p *parsed) given(name string) bool {
	return slices.ContainsFunc(p.fields(), func(f *flags.Field) bool { return f.Name == name && f.Given() })
}

// anyGiven reports whether the command line has one of some flags.
func (p *parsed) anyGiven(names ...string) bool { return slices.ContainsFunc(names, p.given) }

// again returns the flags of some groups that were given, but for -o, to be typed again.
func (p *parsed) again(groups ...string) []string {
	return flags.Again(slices.DeleteFunc(slices.Clone(p.own), func(f *flags.Field) bool {
		return f.Short == "o" || !slices.Contains(groups, f.Group)
	}))
}

// grammar is the tree of commands, and what declares each of them.
type grammar struct {
	root     *cobra.Command
	commands map[*cobra.Command]*parsed
	every    []*flags.Field
}

// newGrammar returns the grammar, which prints help. Run is called with the command that a correct command line names.
func newGrammar(out, stderr io.Writer, run func(p *parsed) error) *grammar {
	common, g := new(common), &grammar{commands: map[*cobra.Command]*parsed{}}
	g.every = flags.Fields(common, fillIn)
	g.root = &cobra.Command{
		Use: "nbsvm", Long: description, SilenceErrors: true, SilenceUsage: true,
		DisableAutoGenTag: true,
	}
	g.root.SetOut(out)
	g.root.SetErr(stderr)
	cobra.EnableCommandSorting = false
	flags.Add(g.root.PersistentFlags(), g.every)
	for _, group := range groups {
		g.root.AddGroup(&cobra.Group{ID: group.id, Title: group.title})
	}
	g.root.SetCompletionCommandGroupID("other")
	g.root.SetHelpCommandGroupID("other")
	g.add(g.root, definitions(), common, run)
	g.root.SetHelpFunc(g.help)
	g.root.SetHelpCommand(&cobra.Command{
		Use: "help [COMMAND]", Short: "Print the help of a command.", Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			command, rest, err := g.root.Find(args)
			if err == nil && len(rest) > 0 {
				err = cobra.NoArgs(command, rest)
			}
			if err != nil {
				return err
			}
			return command.Help()
		},
	})
	g.root.InitDefaultCompletionCmd()
	for _, command := range g.root.Commands() {
		if command.Name() == "completion" {
			command.Short = "Print a completion script for bash, zsh, fish or PowerShell."
			command.Args, command.RunE = cobra.NoArgs, needsCommand
		}
	}
	g.root.SetFlagErrorFunc(flags.Wrong)
	return g
}

// needsCommand refuses a group of commands without the name of one.
func needsCommand(group *cobra.Command, _ []string) error {
	var names []string
	for _, command := range group.Commands() {
		names = append(names, command.Name())
	}
	return fmt.Errorf("%s needs a command: %s", group.Name(), strings.Join(names, ", "))
}

func (g *grammar) add(to *cobra.Command, all []definition, common *common, run func(p *parsed) error) {
	for _, d := range all {
		command := &cobra.Command{Use: d.name, Short: d.short, GroupID: d.group, Args: cobra.ArbitraryArgs}
		to.AddCommand(command)
		if d.commands != nil {
			command.Args = cobra.NoArgs
			command.RunE = needsCommand
			g.add(command, d.commands, common, run)
			continue
		}
		p := &parsed{runner: d.runner, own: flags.Fields(d.runner, fillIn), every: g.every, common: common}
		g.commands[command] = p
		command.Use = flags.Usage(d.name, p.own)
		if about, has := d.runner.(interface{ Help() string }); has {
			command.Long = about.Help()
		}
		flags.Add(command.Flags(), p.own)
		command.RunE = func(command *cobra.Command, args []string) error {
			if err := cmp.Or(flags.Arguments(p.own, args), flags.Check(p.fields())); err != nil {
				return err
			}
			return run(p)
		}
	}
}

// parse reads a command line. It returns nil if the command line asks for help, completion or the like, which has been
// printed.
func parse(args []string, out, stderr io.Writer) (found *parsed, err error) {
	g := newGrammar(out, stderr, func(p *parsed) error { found = p; return nil })
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		g.offer()
	}
	g.root.SetArgs(args)
	at, err := g.root.ExecuteC()
	if err != nil {
		return nil, usageError{fmt.Errorf("%w\nTry %s --help", err, at.CommandPath())}
	}
	return found, nil
}

// offer makes the scripts of nbsvm completion offer the words that flags and arguments take. Other flags with a value
// are completed by names of files, which most of them are. Cobra keeps what is registered for ever, so nothing is
// unless a script asks.
func (g *grammar) offer() {
	offerOf(g.root, g.every)
	for command, p := range g.commands {
		offerOf(command, p.own)
	}
}

func offerOf(command *cobra.Command, fields []*flags.Field) {
	for _, f := range fields {
		if f.Choices == nil || f.Argument {
			continue
		}
		offered := cobra.FixedCompletions(f.Choices, cobra.ShellCompDirectiveNoFileComp)
		if err := command.RegisterFlagCompletionFunc(f.Name, offered); err != nil {
			panic(err) // the flag is declared twice
		}
	}
}

// call is what a command gets to run with.
type call struct {
	ctx     context.Context
	streams // out is for what people read and for JSON: names that come from files are made printable
	data    io.Writer
	*common
	parsed *parsed
	noted  facts.Notes // about files

	progress *progressDisplay // cleared before results are printed, and at the end
}

// run parses args, runs the command and returns the exit code.
func run(ctx context.Context, args []string, s streams) (code int) {
	ctx, stop := untilStopped(ctx) // before anything is created: what is must be removed
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
	switch {
	case len(args) == 0:
		_, _ = parse([]string{"--help"}, s.err, s.err)
		return exitUsage
	case len(args) == 1 && args[0] == "--version":
		args = []string{"version"}
	}
	p, err := parse(args, s.out, s.err)
	if err == nil && p != nil {
		err = cmp.Or(p.common.check(), checkNames(usedFiles(p, s)), expandPatterns(p), nameStandardOutput(p, s))
		if err == nil {
			err = checkFiles(p, s)
		}
	}
	if out.err != nil { // the help could not be written
		err = nil
	}
	if err != nil || p == nil {
		return explainExit(out.check(err), s.err)
	}
	err = p.common.profiles.around(func() error {
		call := &call{ctx: ctx, streams: s, data: out, common: p.common, parsed: p}
		call.progress = newProgress(call)
		defer call.progress.Clear()
		return out.check(p.Run(call))
	})
	return exitCode(ctx, explainExit(err, s.err))
}

// guard returns the streams as commands use them, and standard output for data, which only a terminal gets without
// control characters.
func guard(s streams, stop context.CancelFunc) (streams, *stdout) {
	out := &stdout{w: s.out, stop: stop}
	if terminal(s.out) {
		out.w = display.NewWriter(s.out)
	}
	return streams{s.in, display.NewWriter(out), display.NewWriter(s.err)}, out
}
