// Command plot draws figures from the JSON reports of nbsvm bench and of
// bench/compare, as PNG and SVG:
//
//   - gap: the relative duality gap of solvers over time (workloads solve and
//     compare-solve)
//   - throughput: of scoring, by threads (score and compare-score)
//   - roofline: the kernels' time per non-zero by table size, against the CPU's
//     limit of random reads (kernels)
//   - growth: what a document costs, by their number (pack)
//
// A figure whose workloads are missing is skipped with a sentence.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm/bench"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// options are what a user may choose of a figure.
type options struct {
	row int // non-zeros of the kernels' rows
}

const usage = `Usage: plot [-o FOLDER] [-row N] REPORT...

Draws figures, as PNG and SVG, from the JSON reports of nbsvm bench --json and of
bench/compare. Prints the paths of the files it wrote.

`

// run is the command; it returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("plot", flag.ContinueOnError)
	flags.SetOutput(stderr)
	folder := flags.String("o", ".", "write the figures into this `FOLDER`, made if it is missing")
	row := flags.Int("row", 256, "draw the kernels on rows of `N` non-zeros")
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), usage)
		flags.PrintDefaults()
	}
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case flags.NArg() == 0:
		fmt.Fprintln(stderr, "plot: no reports named\nTry plot --help")
		return 2
	}
	if err := drawFiles(flags.Args(), *folder, options{row: *row}, stdout, stderr); err != nil {
		fmt.Fprintln(stderr, "plot:", err)
		return 1
	}
	return 0
}

// drawFiles draws all that the named files have data for.
func drawFiles(paths []string, folder string, o options, stdout, stderr io.Writer) error {
	reports, err := readFiles(paths)
	if err != nil {
		return err
	}
	figures, remarks := drawAll(reports, o)
	for _, remark := range remarks {
		fmt.Fprintln(stderr, remark)
	}
	if len(figures) == 0 {
		return errors.New("nothing to draw in these reports")
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	for _, f := range figures {
		written, err := f.write(folder)
		if err != nil {
			return err
		}
		fmt.Fprintln(stdout, strings.Join(written, "\n"))
	}
	return nil
}

// skipped is the remark that a figure is not drawn, and why.
func skipped(why string, of ...any) []string { return []string{"skipped: " + fmt.Sprintf(why, of...)} }

// drawAll makes every figure there is data for, each of a name of its own, and
// says what it left out.
func drawAll(reports []*bench.Report, o options) (figures []*figure, remarks []string) {
	for _, kind := range []struct {
		name      string
		workloads []string
		draw      func(r *bench.Report, o options) (figures []*figure, remarks []string)
	}{
		{"gap", []string{"compare-solve", "solve"}, drawGaps},
		{"threads", []string{"score", "compare-score"}, drawThreads},
		{"roofline", []string{"kernels"}, drawRoofline},
		{"growth", []string{"pack"}, drawGrowth},
	} {
		found := false
		var left []string
		for _, r := range reports {
			if slices.Contains(kind.workloads, r.Workload) {
				found = true
				f, more := kind.draw(r, o)
				figures, left = append(figures, f...), append(left, more...)
			}
		}
		if !found {
			left = skipped("no report of %s", strings.Join(kind.workloads, " or "))
		}
		for _, remark := range left {
			remarks = append(remarks, kind.name+": "+remark)
		}
	}
	used := map[string]int{}
	for _, f := range figures {
		used[f.name]++
		if n := used[f.name]; n > 1 {
			f.name = fmt.Sprintf("%s--%d", f.name, n) // fileName never doubles a dash
		}
	}
	return figures, remarks
}
