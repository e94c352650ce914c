//go:build linux

// Command compare measures nbsvm beside LIBLINEAR, fastText and scikit-learn, as far as they are installed: accuracy on
// many sets, raw text to model, the solvers alone on the same matrix, scoring, and nbsvm by the size of its model. It
// prints a page of tables in Markdown, a part as soon as it is measured, and runs at the top of a clone.
//
//	go run ./bench/compare --data FOLDER
//
// --data holds some of the sets of sets.go, plain or compressed; make data fetches and makes some. Speed is measured on
// the first one that is there.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

//go:embed scikit.py
var sklearnScript []byte

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	if ctx.Err() != nil {
		err = errors.New("interrupted")
	}
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(os.Stderr, "compare: %v\n", err)
		os.Exit(1)
	}
}

// comparison is the command's flags, and what all parts share.
type comparison struct {
	data, nbsvm, python, plot string
	runs                      int
	parts                     []string

	folder   string          // temporary
	out, log io.Writer       // of the page and of messages
	missing  map[string]bool // programs that are not installed
	commands []string        // those run in a part
}

// parts are what can be compared, by name, in the order of the page.
var (
	allParts = []string{"accuracy", "train", "solve", "score", "size"}
	compare  = map[string]func(c *comparison, ctx context.Context) error{
		"accuracy": (*comparison).compareAccuracy, "train": (*comparison).compareTraining,
		"solve": (*comparison).compareSolvers, "score": (*comparison).compareScoring,
		"size": (*comparison).compareSizes,
	}
)

func parseFlags(args []string, out, log io.Writer) (*comparison, error) {
	c := &comparison{out: out, log: log, missing: map[string]bool{}}
	var parts string
	flags := flag.NewFlagSet("compare", flag.ContinueOnError)
	flags.SetOutput(log)
	flags.StringVar(&c.data, "data", "",
		"`FOLDER` of sets: imdb/train.tsv, imdb/test.tsv and so on, gzip or zstd welcome")
	flags.StringVar(&c.nbsvm, "nbsvm", "nbsvm", "the nbsvm to measure")
	flags.StringVar(&c.python, "python", "/usr/bin/python3", "the Python that has scikit-learn")
	flags.IntVar(&c.runs, "runs", 5, "samples of every case that is timed")
	flags.StringVar(&c.plot, "plot", "", "`FILE` for the plot of part size; none by default")
	flags.StringVar(&parts, "parts", strings.Join(allParts, ","), "what to compare")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	c.parts = strings.Split(parts, ",")
	for _, part := range c.parts {
		if compare[part] == nil {
			return nil, fmt.Errorf("--parts %s: %q must be one of %s", parts, part, strings.Join(allParts, ", "))
		}
	}
	switch {
	case flags.NArg() > 0:
		return nil, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case c.data == "":
		return nil, errors.New("--data is needed; see --help")
	case c.runs < 1:
		return nil, fmt.Errorf("--runs must be 1 or more, got %d", c.runs)
	}
	return c, nil
}

func run(ctx context.Context, args []string, out, log io.Writer) (err error) {
	c, err := parseFlags(args, out, log)
	if err != nil {
		return err
	}
	if c.folder, err = os.MkdirTemp("", "nbsvm-compare-"); err != nil {
		return err
	}
	defer os.RemoveAll(c.folder)
	if err := os.WriteFile(filepath.Join(c.folder, "scikit.py"), sklearnScript, 0o644); err != nil {
		return err
	}
	if err := c.findPrograms(ctx); err != nil {
		return err
	}
	for _, part := range c.parts {
		c.commands = nil
		if err := compare[part](c, ctx); err != nil {
			return err
		}
		if len(c.commands) > 0 {
			fmt.Fprintf(c.out, "\nThe commands:\n\n```text\n%s\n```\n", strings.Join(c.commands, "\n"))
		}
	}
	return nil
}

func (c *comparison) say(format string, args ...any) { fmt.Fprintf(c.log, format+"\n", args...) }

// findPrograms finds out which programs are installed, and begins the page with them and the machine.
func (c *comparison) findPrograms(ctx context.Context) (err error) {
	if c.nbsvm, err = exec.LookPath(c.nbsvm); err == nil {
		c.nbsvm, err = filepath.Abs(c.nbsvm)
	}
	if err != nil {
		return fmt.Errorf("can't find the nbsvm to compare: %w", err)
	}
	own, err := exec.CommandContext(ctx, c.nbsvm, "version").Output()
	if err != nil {
		return fmt.Errorf("nbsvm version: %w", err)
	}
	fmt.Fprintf(c.out, "Measured on %s.\n\n- %s\n", time.Now().Format("2 January 2006"),
		strings.ReplaceAll(strings.TrimSpace(string(own)), "\n", "\n- "))
	versions := map[string]string{ // each the command that prints it last, for a shell
		liblinear:      `printf '#include <linear.h>\nLIBLINEAR_VERSION\n' | gcc -E -P -x c -`,
		liblinearTools: "command -v liblinear-train >/dev/null && dpkg-query -W -f '${Version} (Debian)' liblinear-tools",
		fastText:       "command -v fasttext >/dev/null && dpkg-query -W -f '${Version} (Debian)' fasttext",
		sklearn:        c.python + ` -c 'import sklearn; print(sklearn.__version__)'`,
	}
	for _, name := range slices.Sorted(maps.Keys(versions)) {
		printed, err := exec.CommandContext(ctx, "sh", "-c", versions[name]).Output()
		version := strings.TrimSpace(string(printed))
		version = version[strings.LastIndexByte(version, '\n')+1:]
		if c.missing[name] = err != nil; c.missing[name] {
			version = "is not installed"
		}
		fmt.Fprintf(c.out, "- %s %s\n", name, version)
	}
	return ctx.Err()
}
