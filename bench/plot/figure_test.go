package main

import (
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
)

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		ticker plot.Ticker
		lo, hi float64
		want   string
	}{
		{powersOfTen(7, secondsLabel), 1e-9, 1e3, "1 ns|100 ns|10 µs|1 ms|100 ms|10 s|1e+03 s"},
		{powersOfTen(6, gapLabel), 1e-3, 1, "1e-03|1e-02|1e-01|1e+00"},
		{powersOfTen(6, nanosecondsLabel), 0.1, 1000, "0.1 ns|1 ns|10 ns|100 ns|1 µs"},
		{powersOfTen(6, countLabel), 100, 1e6, "100|1 k|10 k|100 k|1 M"},
		{plot.TickerFunc(sizes), 1e4, 1e9, "32 KiB|256 KiB|2 MiB|16 MiB|128 MiB"},
	} {
		var labels []string
		for _, tick := range c.ticker.Ticks(c.lo, c.hi) {
			if tick.Label != "" {
				labels = append(labels, tick.Label)
			}
		}
		if got := strings.Join(labels, "|"); got != c.want {
			t.Errorf("%v to %v: %s, want %s", c.lo, c.hi, got, c.want)
		}
	}
}

func TestParseBytes(t *testing.T) {
	for text, want := range map[string]float64{"32768": 32768, "32768 B": 32768, "256KiB": 256 << 10, "256 KiB": 256 << 10, "1.5MiB": 3 << 19, "2 GiB": 2 << 30} {
		if got, err := parseBytes(text); err != nil || got != want {
			t.Errorf("parseBytes(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "KiB", "0", "-1", "1 KB", "1 kiB", "big", "NaN", "Inf"} {
		if got, err := parseBytes(text); err == nil {
			t.Errorf("parseBytes(%q) = %v", text, got)
		}
	}
}

func TestWrap(t *testing.T) {
	style := text.Style{Font: font.From(plot.DefaultFont, 12), Handler: plot.DefaultTextHandler}
	lines := wrap(style, strings.Repeat("words ", 80))
	if len(lines) < 3 || strings.Join(lines, " ") != strings.TrimSpace(strings.Repeat("words ", 80)) {
		t.Errorf("wrapped to %q", lines)
	}
	for _, line := range lines {
		if w := style.Width(line); w > figureWidth-2*margin {
			t.Errorf("%q is %v wide", line, w)
		}
	}
	if lines := wrap(style, ""); len(lines) != 0 {
		t.Errorf("no text wraps to %q", lines)
	}
}
