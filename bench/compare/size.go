//go:build linux

package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-167f963f/nbsvm/bench"
)

// sized are flags of nbsvm, each for a larger model than the one before; "" are the defaults.
var sized = []string{
	"--max-model 12KB", "--max-model 25KB", "--max-model 50KB", "--max-model 100KB", "--max-model 200KB",
	"--max-model 400KB", "--max-model 800KB", "", "--min-df 2", "--min-df 1",
}

// sizePoint is what models of a size are worth: a point in both panels of the plot.
type sizePoint struct{ bytes, accuracy, speed float64 }

// compareSizes measures accuracy, and the speed of scoring a large file, by the size of nbsvm's model.
func (c *comparison) compareSizes(ctx context.Context) error {
	return c.timed(func(s *split) error {
		if _, err := s.enlarge(scoredBytes); err != nil {
			return err
		}
		text, err := os.Stat(s.path("large" + s.labelled()))
		if err != nil {
			return err
		}
		var cases []bench.Case
		points := make([]sizePoint, len(sized))
		for i, flags := range sized {
			p, point := c.nbsvmWith(s, 1, strings.Fields(flags)...), &points[i]
			if _, err := p.learn(ctx, s); err != nil {
				return err
			}
			if point.accuracy, err = p.accuracy(ctx, s); err != nil {
				return err
			}
			model, err := os.Stat(filepath.Join(s.folder, p.score[len(p.score)-1]))
			if err != nil {
				return err
			}
			point.bytes = float64(model.Size())
			cases = append(cases, c.caseOf(s, &p, func(ctx context.Context) ([]bench.Value, error) {
				took, err := p.predict(ctx, s, "large", nil)
				if err != nil {
					return nil, err
				}
				return []bench.Value{
					{Name: "model kB", Value: point.bytes / 1e3},
					{Name: "accuracy %", Value: point.accuracy},
					{Name: "MB/s", Value: float64(text.Size()) / 1e6 / took[0].Value},
				}, nil
			}))
		}
		results, err := c.measure(ctx, "size", c.runs, cases)
		if err != nil {
			return err
		}
		for i := range results {
			points[i].speed = results[i].Median("MB/s")
		}
		c.writePart("Size of the model", "Accuracy on the test part, and scoring in whole processes, loading of the model "+
			"included.\n"+c.samples(), results)
		if c.plot == "" {
			return nil
		}
		return os.WriteFile(c.plot, []byte(drawSizes(points)), 0o644)
	})
}

// drawSizes returns a picture (SVG) of accuracy and speed by size. Points are in the order of their sizes, two at least.
func drawSizes(points []sizePoint) string {
	const left, width, height = 40, 600, 120
	least, most := points[0].bytes, points[len(points)-1].bytes
	x := func(bytes float64) float64 { return left + width*math.Log(bytes/least)/math.Log(most/least) }
	var b strings.Builder
	b.WriteString(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 680 400" font-family="sans-serif" font-size="12">
<style>
text { fill: #444; text-anchor: middle } .title { text-anchor: start; font-weight: bold }
path, line { stroke: #999; fill: none } path { stroke: #1f6feb; stroke-width: 2 } circle { fill: #1f6feb }
@media (prefers-color-scheme: dark) { text { fill: #ccc } }
</style>
`)
	panel := func(title string, top, low, high float64, value func(p sizePoint) float64) {
		fmt.Fprintf(&b, "<text class=\"title\" x=\"%d\" y=\"%.0f\">%s</text>\n", left-25, top-25, title)
		var line, marks strings.Builder
		for i, p := range points {
			px, py := x(p.bytes), top+height-height*(value(p)-low)/(high-low)
			fmt.Fprintf(&line, "%c%.1f %.1f", "ML"[min(i, 1)], px, py)
			fmt.Fprintf(&marks, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/><text x=\"%.1[1]f\" y=\"%.1[3]f\">%s</text>\n",
				px, py, py-10, bench.Number(value(p)))
		}
		fmt.Fprintf(&b, "<path d=\"%s\"/>\n%s", line.String(), marks.String())
	}
	accuracy := func(p sizePoint) float64 { return p.accuracy }
	speed := func(p sizePoint) float64 { return p.speed }
	low, high, fastest := 100.0, 0.0, 0.0
	for _, p := range points {
		low, high, fastest = min(low, p.accuracy), max(high, p.accuracy), max(fastest, p.speed)
	}
	panel("accuracy, %", 45, low, high+1e-9, accuracy) // of models that are all the same, too
	panel("scoring, MB/s of text, one thread (from 0)", 235, 0, fastest, speed)
	const axis = 365
	fmt.Fprintf(&b, "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%[2]d\"/>\n", left-25, axis, left+width+25)
	for _, tick := range []struct {
		bytes float64
		name  string
	}{{1e4, "10 kB"}, {1e5, "100 kB"}, {1e6, "1 MB"}, {1e7, "10 MB"}} {
		if at := x(tick.bytes); at > left-25 && at < left+width+25 {
			fmt.Fprintf(&b, "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1[1]f\" y2=\"%[3]d\"/><text x=\"%.1[1]f\" y=\"%[4]d\">%s</text>\n",
				at, axis, axis+5, axis+20, tick.name)
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}
