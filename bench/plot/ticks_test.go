package main

import (
	"strings"
	"testing"

	"gonum.org/v1/plot"
)

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		ticker plot.Ticker
		lo, hi float64
		want   string
	}{
		{decades{secondsLabel}, 5e-10, 2e4, "10 ns|1 µs|100 µs|10 ms|1 s|100 s|10000 s"},
		{decades{secondsLabel}, 0.9e-3, 11, "1 ms|10 ms|0.1 s|1 s|10 s"},
		{decades{secondsLabel}, 0.02, 0.9, "30 ms|0.1 s|0.3 s"},
		{decades{secondsLabel}, 0.04, 0.3, "50 ms|0.1 s|0.2 s"},
		{decades{powerLabel}, 0.8e-3, 2.5e-3, "8e-4|9e-4|1e-3|2e-3"},
		{decades{nanosecondsLabel}, 0.09, 1100, "0.1 ns|1 ns|10 ns|100 ns|1 µs"},
		{decades{countLabel}, 90, 2e6, "100|1 k|10 k|100 k|1 M"},
		{octaves{12}, 30e3, 300 << 20, "32 KiB|256 KiB|2 MiB|16 MiB|128 MiB"},
		{octaves{4}, 30e3, 300 << 20, "32 KiB|512 KiB|8 MiB|128 MiB"},
		{octaves{12}, 900, 2 << 30, "4 KiB|32 KiB|256 KiB|2 MiB|16 MiB|128 MiB|1 GiB"},
		{evenly{6, threeDigits}, 0, 1234, "0|500|1000"},
		{evenly{6, threeDigits}, 0, 11, "0|2|4|6|8|10"},
	} {
		var labels []string
		for _, tick := range c.ticker.Ticks(c.lo, c.hi) {
			if tick.Value < c.lo || tick.Value > c.hi {
				t.Errorf("%T of %v to %v marks %v", c.ticker, c.lo, c.hi, tick.Value)
			}
			if tick.Label != "" {
				labels = append(labels, tick.Label)
			}
		}
		if got := strings.Join(labels, "|"); got != c.want {
			t.Errorf("%T of %v to %v: %s, want %s", c.ticker, c.lo, c.hi, got, c.want)
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

func TestLegendLines(t *testing.T) {
	style := textStyle(13, ink)
	var entries []legendEntry
	for range 9 {
		entries = append(entries, legendEntry{text: "a name of some length"})
	}
	lines := layLegend(style, entries, 760)
	if len(lines) != 3 || len(lines[2]) != 3 {
		t.Errorf("nine long entries take %d lines", len(lines))
	}
	for _, line := range lines {
		last := line[len(line)-1]
		if right := last.x + last.width(style); right > 760 {
			t.Errorf("a line of the legend ends at %v", right)
		}
	}
	if lines := layLegend(style, entries[:3], 760); len(lines) != 1 {
		t.Errorf("three entries take %d lines", len(lines))
	}
	if lines := layLegend(style, nil, 760); len(lines) != 0 {
		t.Errorf("no entries take %d lines", len(lines))
	}
}

func TestWrap(t *testing.T) {
	style := textStyle(12, ink)
	lines := wrap(style, strings.Repeat("words ", 40), 300)
	if len(lines) < 3 || strings.Join(lines, " ") != strings.TrimSpace(strings.Repeat("words ", 40)) {
		t.Errorf("wrapped to %q", lines)
	}
	for _, line := range lines {
		if w := style.Width(line); w > 300 {
			t.Errorf("%q is %v wide", line, w)
		}
	}
	if lines := wrap(style, "", 300); len(lines) != 0 {
		t.Errorf("no text wraps to %q", lines)
	}
}
