package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/seed-167f963f/nbsvm"
)

// Exit codes.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
	exitBad    = 3 // finished, but some records were bad
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
	Eval       evalCmd       `cmd:"" help:"Compare a model's predictions with the labels of documents."`
	CV         cvCmd         `cmd:"" name:"cv" help:"Cross-validate: train and evaluate on K folds in turn."`
	Explain    explainCmd    `cmd:"" help:"List a model's strongest n-grams, or take the score of texts apart."`
	Inspect    inspectCmd    `cmd:"" help:"Tell what a model file holds and how it was made."`
	Verify     verifyCmd     `cmd:"" help:"Check every checksum and number of a model file."`
	Export     exportCmd     `cmd:"" help:"Write the solver's matrix, or a model for LIBLINEAR."`
	Version    versionCmd    `cmd:"" help:"Print version, build and processor."`
	Completion completionCmd `cmd:"" help:"Print a completion script for bash, zsh or fish."`

	common
}

// badRecords says that a command finished although some records were bad.
type badRecords struct{ n int64 }

func (b badRecords) Error() string { return fmt.Sprintf("%d bad records", b.n) }

// usageError is a mistake in how the command was called.
type usageError struct{ error }

func (u usageError) Unwrap() error { return u.error }

// exited is how kong's --help asks to stop.
type exited int

// run parses args, runs the command and returns the exit code.
func run(ctx context.Context, args []string, s streams) (code int) {
	var c cli
	parser, err := kong.New(&c,
		kong.Name("nbsvm"),
		kong.Description(description),
		kong.Writers(s.out, s.err),
		kong.Exit(func(code int) { panic(exited(code)) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.ExplicitGroups(groups),
		helpVars(),
	)
	if err != nil {
		fmt.Fprintln(s.err, "nbsvm:", err)
		return exitFailed
	}
	defer func() {
		if e, ok := recover().(exited); ok {
			code = int(e)
		}
	}()
	parsed, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintf(s.err, "nbsvm: %v\nTry nbsvm --help, or nbsvm COMMAND --help.\n", err)
		return exitUsage
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once

	s.in = interruptible(ctx, s.in)
	profile, err := c.profiles.start(s.err)
	if err != nil {
		fmt.Fprintln(s.err, err)
		return exitFailed
	}
	err = parsed.Run(&call{ctx: ctx, streams: s, common: &c.common, parser: parser})
	if stopErr := profile.stop(); err == nil {
		err = stopErr
	}
	return explainExit(err, s.err)
}

// call is what every command gets to run with.
type call struct {
	ctx context.Context
	streams
	*common
	parser *kong.Kong
}

// explainExit prints an error and chooses the exit code.
func explainExit(err error, stderr io.Writer) int {
	var bad badRecords
	var usage usageError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &bad):
		return exitBad
	case errors.As(err, &usage):
		fmt.Fprintln(stderr, err)
		return exitUsage
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "nbsvm: interrupted; nothing was written")
		return exitFailed
	}
	fmt.Fprintln(stderr, err)
	return exitFailed
}

const description = `Train and run text classifiers on a CPU: NBSVM (Wang and Manning 2012), linear SVM, logistic
regression and naive Bayes over hashed n-grams.

  nbsvm train reviews.tsv -o reviews.nbm     # label<TAB>text, one document a line
  nbsvm score reviews.nbm new.txt            # label and score of every line
  nbsvm eval reviews.nbm test.tsv            # accuracy, F1, confusions`

var groups = []kong.Group{
	{Key: "input", Title: "Input:"},
	{Key: "text", Title: "Text to features:"},
	{Key: "model", Title: "Model:"},
	{Key: "output", Title: "Output:"},
	{Key: "run", Title: "Running:"},
	{Key: "profile", Title: "Profiling:"},
}

// helpVars puts the library's defaults into help texts.
func helpVars() kong.Vars {
	o := nbsvm.DefaultOptions()
	vars := kong.Vars{
		"model": string(o.Kind), "tokenizer": o.Text.Tokenizer.String(), "values": string(o.Values),
		"ngrams":    fmt.Sprintf("%d-%d", o.Text.NgramLo, o.Text.NgramHi),
		"lowercase": onOff(o.Text.Lowercase), "punctuation": onOff(o.Text.Punctuation), "strip_html": onOff(o.Text.StripHTML),
		"normalize": onOff(o.Normalize), "prenormalize": onOff(o.Prenormalize),
	}
	for name, value := range map[string]float64{
		"bits": float64(o.Text.Bits), "min_df": float64(o.MinDF), "max_df": o.MaxDF, "alpha": o.Alpha, "beta": o.Beta,
		"C": o.C, "tol": o.Tol, "max_epochs": float64(o.MaxEpochs), "bias": o.Bias, "seed": float64(o.Seed), "names": float64(o.NamesLimit),
	} {
		vars[name] = strconv.FormatFloat(value, 'g', -1, 64)
	}
	presets := ""
	for i, p := range nbsvm.Presets() {
		if i > 0 {
			presets += "; "
		}
		presets += p.Name + ": " + p.About
	}
	vars["presets"] = presets
	return vars
}

func onOff(b bool) string {
	if b {
		return "on"
	}
	return "off"
}
