// Command plot draws charts, as PNG and SVG, from the JSON reports of nbsvm bench and of bench/compare.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/seed-167f963f/nbsvm/bench/compare/chart"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

const usage = `Usage: plot [-o FOLDER] REPORT...

Draws charts, as PNG and SVG, from the JSON reports of nbsvm bench --json and of
bench/compare. Prints the paths of the files it wrote.

`

// run is the command; it returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("plot", flag.ContinueOnError)
	flags.SetOutput(stderr)
	folder := flags.String("o", ".", "write the charts into this `FOLDER`, made if it is missing")
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
	if err := draw(flags.Args(), *folder, stdout); err != nil {
		fmt.Fprintln(stderr, "plot:", err)
		return 1
	}
	return 0
}

// draw draws all that the named files have data for.
func draw(files []string, folder string, stdout io.Writer) error {
	reports, err := chart.ReadFiles(files)
	if err != nil {
		return err
	}
	paths, err := chart.Draw(reports, folder, "png", "svg")
	if err == nil && len(paths) == 0 {
		err = errors.New("nothing to draw in these reports")
	}
	for _, path := range paths {
		fmt.Fprintln(stdout, path)
	}
	return err
}
