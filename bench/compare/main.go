// Command compare measures nbsvm beside LIBLINEAR, fastText, Vowpal Wabbit and scikit-learn, where they are installed,
// all of them in one run: accuracy on many sets, raw text to model, the solvers alone on the same matrix, and scoring.
// It runs on Linux.
//
//	compare --data FOLDER --out FOLDER
//
// --data holds some of the sets of sets.go, plain or compressed; command fetch fetches some. Another set is made of the
// comments in Go's source tree. Speed is measured on IMDB. The results are compare.json, an array of reports as nbsvm
// bench writes them, compare.md, a page of them, and its charts.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/seed-167f963f/nbsvm/bench"
	"github.com/seed-167f963f/nbsvm/bench/compare/chart"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
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
	Data    string
	Out     string
	Nbsvm   string
	Python  string
	Runs    int
	Parts   []string
	Tune    string
	Quick   bool
	Publish string
}

var allParts = []string{"accuracy", "train", "solve", "score"}

func parseOptions(args []string, out io.Writer) (options, error) {
	var o options
	var parts string
	flags := flag.NewFlagSet("compare", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.StringVar(&o.Data, "data", "", "`FOLDER` of sets: imdb/train.tsv, imdb/test.tsv and so on, gzip or zstd welcome")
	flags.StringVar(&o.Out, "out", "", "folder to write compare.md, compare.json and charts to")
	flags.StringVar(&o.Nbsvm, "nbsvm", "nbsvm", "the nbsvm to measure")
	flags.StringVar(&o.Python, "python", "/usr/bin/python3", "the Python that has scikit-learn")
	flags.IntVar(&o.Runs, "runs", 5, "samples of every case that is timed")
	flags.StringVar(&o.Tune, "tune", "", "compare the accuracy of nbsvm tune, too, with this much `TIME` on each split")
	flags.StringVar(&o.Publish, "publish", "", "measure nothing; put the results in --out into the pages of this `CLONE` of nbsvm")
	flags.StringVar(&parts, "parts", strings.Join(allParts, ","), "what to compare; the results of the other parts are kept, if --out has them")
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
	case o.Out == "" || o.Data == "" && o.Publish == "":
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
	if o.Publish != "" {
		return publish(filepath.Join(o.Out, "compare.json"), o.Publish)
	}
	folder, err := os.MkdirTemp("", "nbsvm-compare-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	c := &comparison{options: o, folder: folder, made: filepath.Join(folder, "sets"), log: log}
	if err := c.findPeers(ctx); err != nil {
		return err
	}
	if err := os.WriteFile(c.temporary("scikit.py"), sklearnScript, 0o644); err != nil {
		return err
	}
	c.makeGodoc(ctx)
	reports, err := earlier(o)
	if err != nil {
		return err
	}
	for i, compare := range []func(context.Context) (*bench.Report, error){c.compareAccuracy, c.compareTraining, c.compareSolvers, c.compareScoring} {
		if !slices.Contains(o.Parts, allParts[i]) {
			continue
		}
		report, err := compare(ctx)
		if err != nil {
			return err
		}
		reports[i] = report
		// After every part, so that an interruption costs no more than one.
		if err := writeResults(o.Out, slices.DeleteFunc(slices.Clone(reports), func(r *bench.Report) bool { return r == nil })); err != nil {
			return err
		}
	}
	return nil
}

// earlier has a place for the report of each part, with that of an earlier run for those that are not measured now.
func earlier(o options) ([]*bench.Report, error) {
	found := make([]*bench.Report, len(allParts))
	path := filepath.Join(o.Out, "compare.json")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return found, nil
	}
	reports, err := chart.ReadFiles([]string{path})
	for _, r := range reports {
		part := strings.TrimPrefix(r.Workload, "compare-")
		if i := slices.Index(allParts, part); i >= 0 && !slices.Contains(o.Parts, part) {
			found[i] = r
		}
	}
	return found, err
}

// comparison is what all parts share.
type comparison struct {
	options
	folder   string // temporary
	made     string // folder of sets that were made here
	log      io.Writer
	machine  bench.Machine     // with the version of the nbsvm measured
	versions []version         // of the programs that are installed
	missing  map[string]string // how to get the others, by name
}

func (c *comparison) say(format string, args ...any) { fmt.Fprintf(c.log, format+"\n", args...) }

// progress tells of the samples taken.
func (c *comparison) progress(part string) func(done, total int) {
	return func(done, total int) { c.say("%s: sample %d of %d", part, done, total) }
}

// temporary is the path of a temporary file.
func (c *comparison) temporary(name string) string { return filepath.Join(c.folder, name) }

// writeResults writes the reports, the page of them and its charts.
func writeResults(folder string, reports []*bench.Report) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	charts, err := chart.Draw(reports, folder, "svg")
	if err != nil {
		return err
	}
	asJSON, err := json.MarshalIndent(reports, "", " ")
	if err != nil {
		return err
	}
	return errors.Join(
		write(filepath.Join(folder, "compare.json"), string(asJSON)+"\n"),
		write(filepath.Join(folder, "compare.md"), "# nbsvm beside other programs\n\n"+summary(reports)+"\n"+markdown(reports, charts)))
}

// write writes a file, whole or not at all.
func write(path, text string) error {
	return osfile.WriteFile(path, func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
}
