package main

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// decades marks a logarithmic axis at powers of ten, and between them where there
// are few.
type decades struct {
	label func(float64) string
}

// Ticks implements plot.Ticker.
func (d decades) Ticks(lo, hi float64) []plot.Tick {
	span := math.Log10(hi / lo)
	labelled := map[int]bool{1: true}
	switch {
	case span < 0.5:
		labelled = map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true, 6: true, 7: true, 8: true, 9: true}
	case span < 1.2:
		labelled = map[int]bool{1: true, 2: true, 5: true}
	case span < 2:
		labelled = map[int]bool{1: true, 3: true}
	}
	every := max(1, int(math.Ceil(span/8)))
	var ticks []plot.Tick
	for e := int(math.Floor(math.Log10(lo))); e <= int(math.Ceil(math.Log10(hi))); e++ {
		for digit := 1; digit <= 9; digit++ {
			// Parsed rather than computed, so that 0.1 is written 0.1.
			value, _ := strconv.ParseFloat(fmt.Sprintf("%de%d", digit, e), 64)
			if value < lo || value > hi {
				continue
			}
			tick := plot.Tick{Value: value}
			if labelled[digit] && e%every == 0 {
				tick.Label = d.label(value)
			}
			ticks = append(ticks, tick)
		}
	}
	return ticks
}

// octaves marks a logarithmic axis of bytes at powers of two.
type octaves struct {
	labels int // how many there is room for
}

// Ticks implements plot.Ticker.
func (o octaves) Ticks(lo, hi float64) []plot.Tick {
	first, last := int(math.Ceil(math.Log2(lo))), int(math.Floor(math.Log2(hi)))
	every := max(1, (last-first+o.labels)/o.labels)
	if o.labels > 5 && every == 2 {
		every = 3 // 32 KiB, 256 KiB, 2 MiB, …: the usual sizes of caches
	}
	var ticks []plot.Tick
	for e := first; e <= last; e++ {
		tick := plot.Tick{Value: math.Exp2(float64(e))}
		if (e-15)%every == 0 {
			tick.Label = bytesLabel(tick.Value)
		}
		ticks = append(ticks, tick)
	}
	return ticks
}

// evenly marks a linear axis at round numbers.
type evenly struct {
	labels int // about how many
	label  func(float64) string
}

// Ticks implements plot.Ticker.
func (t evenly) Ticks(lo, hi float64) []plot.Tick {
	rough := (hi - lo) / float64(t.labels)
	unit := math.Pow(10, math.Floor(math.Log10(rough)))
	step := 10 * unit
	for _, m := range []float64{5, 2, 1} {
		if m*unit >= rough {
			step = m * unit
		}
	}
	var ticks []plot.Tick
	for k := math.Ceil(lo / step); k*step <= hi; k++ {
		ticks = append(ticks, plot.Tick{Value: k * step, Label: t.label(k * step)})
	}
	return ticks
}

// threeDigits writes at most three significant digits.
func threeDigits(x float64) string {
	if x >= 1000 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// secondsLabel writes 10 ms, but 0.1 s.
func secondsLabel(s float64) string {
	for _, unit := range []struct {
		name        string
		from, scale float64
	}{{"s", 0.1, 1}, {"ms", 1e-3, 1e3}, {"µs", 1e-6, 1e6}} {
		if s >= unit.from {
			return threeDigits(s*unit.scale) + " " + unit.name
		}
	}
	return threeDigits(s*1e9) + " ns"
}

func nanosecondsLabel(ns float64) string {
	if ns < 1000 {
		return threeDigits(ns) + " ns"
	}
	return threeDigits(ns/1000) + " µs"
}

func powerLabel(x float64) string {
	e := math.Floor(math.Log10(x) + 1e-9)
	return fmt.Sprintf("%.0fe%.0f", x/math.Pow(10, e), e)
}

func bytesLabel(bytes float64) string {
	for _, unit := range []struct {
		name string
		size float64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if bytes >= unit.size {
			return threeDigits(bytes/unit.size) + " " + unit.name
		}
	}
	return threeDigits(bytes) + " B"
}

// countLabel writes 20 k for 20,000.
func countLabel(n float64) string {
	for _, unit := range []struct {
		name string
		size float64
	}{{" G", 1e9}, {" M", 1e6}, {" k", 1e3}} {
		if n >= unit.size {
			return threeDigits(n/unit.size) + unit.name
		}
	}
	return threeDigits(n)
}
