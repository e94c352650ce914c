package chart

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm/bench"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// Draw draws all that the reports have data for into a folder, which is made if it is missing, once for each format,
// png or svg, and returns the paths of the files; none if there is nothing to draw.
func Draw(reports []*bench.Report, folder string, formats ...string) (paths []string, err error) {
	var pictures []picture
	for _, r := range reports {
		for _, c := range charts {
			if slices.Contains(c.workloads, r.Workload) {
				pictures = append(pictures, c.pictures(r)...)
			}
		}
	}
	if len(pictures) == 0 {
		return nil, nil
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, err
	}
	used := map[string]int{}
	for _, p := range pictures {
		name := fileName(p.name)
		if used[name]++; used[name] > 1 {
			name = fmt.Sprintf("%s--%d", name, used[name]) // fileName never doubles a dash
		}
		for _, format := range formats {
			path := filepath.Join(folder, name+"."+format)
			if err := osfile.WriteFile(path, func(w io.Writer) error { return p.write(w, format) }); err != nil {
				return nil, err
			}
			paths = append(paths, path)
		}
	}
	return paths, nil
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
