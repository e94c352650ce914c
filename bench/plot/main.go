// Command plot draws charts, as PNG and SVG, from the JSON reports of nbsvm bench and of
// bench/compare. The table charts lists what it draws.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm/bench"
	"github.com/seed-167f963f/nbsvm/internal/file/atomicfile"
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
	if err := drawFiles(flags.Args(), *folder, stdout); err != nil {
		fmt.Fprintln(stderr, "plot:", err)
		return 1
	}
	return 0
}

// drawFiles draws all that the named files have data for.
func drawFiles(paths []string, folder string, stdout io.Writer) error {
	reports, err := readFiles(paths)
	if err != nil {
		return err
	}
	var pictures []picture
	for _, r := range reports {
		for _, c := range charts {
			if slices.Contains(c.workloads, r.Workload) {
				pictures = append(pictures, c.pictures(r)...)
			}
		}
	}
	if len(pictures) == 0 {
		return errors.New("nothing to draw in these reports")
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	used := map[string]int{}
	for _, p := range pictures {
		name := fileName(p.name)
		if used[name]++; used[name] > 1 {
			name = fmt.Sprintf("%s--%d", name, used[name]) // fileName never doubles a dash
		}
		for _, format := range []string{"png", "svg"} {
			path := filepath.Join(folder, name+"."+format)
			if err := atomicfile.WriteFile(path, func(w io.Writer) error { return p.write(w, format) }); err != nil {
				return err
			}
			fmt.Fprintln(stdout, path)
		}
	}
	return nil
}

// fileName keeps of a text what is safe in the name of a file.
func fileName(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_')
	})
	return strings.Join(words, "-")
}

// picture is a chart of some cases of a report.
type picture struct {
	*chart
	name    string // of the files, and what the cases have in common
	machine bench.Machine
	lines   []line
}

// line is points with a name, and what stands below them on the axis.
type line struct {
	name   string
	points []point
}

type point struct {
	x, y  float64
	label string // of x; "" where it is a measurement
}
