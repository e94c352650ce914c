// Command compare measures nbsvm against LIBLINEAR, fastText and scikit-learn on
// IMDB's reviews, all of them in one run and in turns: raw text to model, the
// solvers alone on the same matrix, and scoring. It runs on Linux and takes the
// peers as Debian packages them.
//
//	compare --data FOLDER --out FOLDER
//
// FOLDER/imdb holds train.tsv and test.tsv, plain or compressed. The results are
// compare.md and compare.json, an array of reports as nbsvm bench writes them.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/seed-167f963f/nbsvm/bench"
	"github.com/seed-167f963f/nbsvm/internal/file/atomicfile"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err := run(ctx, os.Args[1:], os.Stderr)
	if ctx.Err() != nil {
		err = errors.New("interrupted")
	}
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintf(os.Stderr, "compare: %v\n", err)
		os.Exit(1)
	}
}

// options are the command's flags.
type options struct {
	Data  string   `json:"-"`
	Out   string   `json:"-"`
	Nbsvm string   `json:"-"`
	Runs  int      `json:"runs"`
	Parts []string `json:"parts"`
	Quick bool     `json:"quick"`
}

var allParts = []string{"train", "solve", "score"}

func parseOptions(args []string, out io.Writer) (options, error) {
	var o options
	var parts string
	flags := flag.NewFlagSet("compare", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.StringVar(&o.Data, "data", "", "folder that holds imdb/train.tsv and imdb/test.tsv, gzip or zstd welcome")
	flags.StringVar(&o.Out, "out", "", "folder to write compare.md and compare.json to")
	flags.StringVar(&o.Nbsvm, "nbsvm", "nbsvm", "the nbsvm to measure")
	flags.IntVar(&o.Runs, "runs", 5, "samples of every case")
	flags.StringVar(&parts, "parts", strings.Join(allParts, ","), "what to compare")
	flags.BoolVar(&o.Quick, "quick", false, "one run, few cases and little text: to see that everything works")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	o.Parts = strings.Split(parts, ",")
	if o.Quick {
		o.Runs = 1
	}
	for _, part := range o.Parts {
		if !slices.Contains(allParts, part) {
			return o, fmt.Errorf("--parts %s: %q must be one of %s", parts, part, strings.Join(allParts, ", "))
		}
	}
	switch {
	case flags.NArg() > 0:
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case o.Data == "" || o.Out == "":
		return o, errors.New("--data and --out are needed; see --help")
	case o.Runs < 1:
		return o, fmt.Errorf("--runs must be 1 or more, got %d", o.Runs)
	}
	return o, nil
}

func run(ctx context.Context, args []string, log io.Writer) error {
	o, err := parseOptions(args, log)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "nbsvm-compare-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	c := &comparison{options: o, folder: folder, log: log}
	if err := c.findPeers(ctx); err != nil {
		return err
	}
	if err := c.prepareTexts(); err != nil {
		return err
	}
	var reports []*bench.Report
	for _, part := range []struct {
		name    string
		compare func(context.Context) (*bench.Report, error)
	}{{"train", c.compareTraining}, {"solve", c.compareSolvers}, {"score", c.compareScoring}} {
		if !slices.Contains(o.Parts, part.name) {
			continue
		}
		report, err := part.compare(ctx)
		if err != nil {
			return err
		}
		reports = append(reports, report)
		// After every part, so that an interruption costs no more than one.
		if err := writeResults(o.Out, c.versions, reports); err != nil {
			return err
		}
	}
	return nil
}

// comparison is what all parts share.
type comparison struct {
	options
	folder   string // temporary
	log      io.Writer
	machine  bench.Machine // with the version of the nbsvm measured
	versions []version     // of the peers that are installed
	train    text
	test     text
}

func (c *comparison) say(format string, args ...any) { fmt.Fprintf(c.log, format+"\n", args...) }

// progress tells of the samples taken.
func (c *comparison) progress(part string) func(done, total int) {
	return func(done, total int) { c.say("%s: sample %d of %d", part, done, total) }
}

// temporary is the path of a temporary file.
func (c *comparison) temporary(name string) string { return filepath.Join(c.folder, name) }

func writeResults(folder string, versions []version, reports []*bench.Report) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	asJSON, err := json.MarshalIndent(reports, "", "  ")
	if err != nil {
		return err
	}
	for name, text := range map[string][]byte{"compare.json": append(asJSON, '\n'), "compare.md": []byte(markdown(versions, reports))} {
		if err := atomicfile.WriteFile(filepath.Join(folder, name), func(w io.Writer) error { _, err := w.Write(text); return err }); err != nil {
			return err
		}
	}
	return nil
}
