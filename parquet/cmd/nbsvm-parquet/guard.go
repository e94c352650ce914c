package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// A file may be made to take all memory, or time without end.
const (
	memoryVariable = "NBSVM_PARQUET_MEMORY"
	defaultMemory  = 4 << 30
	leastMemory    = 64 << 20
	// mostCPU is how long the process may compute without getting further. Waiting, for a slow disk or for who reads
	// the records, does not count.
	mostCPU    = 60 * time.Second
	watchEvery = 100 * time.Millisecond
)

// guard ends the process where it takes more than it may.
type guard struct {
	memory int64
	beats  atomic.Int64
}

func newGuard() (*guard, error) {
	g := &guard{memory: defaultMemory}
	if given := os.Getenv(memoryVariable); given != "" {
		n, err := parseBytes(given)
		if err != nil || n < leastMemory {
			return nil, fmt.Errorf("%s must be a size of 64MiB or more, such as 8GiB, got %q", memoryVariable, given)
		}
		g.memory = n
	}
	debug.SetMemoryLimit(g.memory / 4 * 3)
	limitMemory(g.memory)
	return g, nil
}

// beat says that the process has got further.
func (g *guard) beat() { g.beats.Add(1) }

// watch begins to look after the process.
func (g *guard) watch() {
	go func() {
		last, since := g.beats.Load(), cpuTime()
		for range time.Tick(watchEvery) {
			if used := memoryInUse(); used > g.memory {
				g.end(fmt.Sprintf("out of memory: it needs more than %d MiB", g.memory>>20))
			}
			switch now := g.beats.Load(); {
			case now != last:
				last, since = now, cpuTime()
			case cpuTime()-since > mostCPU:
				g.end(fmt.Sprintf("it computed for %v without progress", mostCPU))
			}
		}
	}()
}

func (g *guard) end(why string) {
	fmt.Fprintf(os.Stderr, "nbsvm-parquet: %s\n", why)
	os.Exit(exitFailed)
}

// memoryInUse is what the process has of the system.
func memoryInUse() int64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64() - samples[1].Value.Uint64())
}

// parseBytes reads a size as 8GiB, 512MiB, or bytes.
func parseBytes(text string) (int64, error) {
	number, shift := text, 0
	if of, is := strings.CutSuffix(text, "GiB"); is {
		number, shift = of, 30
	} else if of, is := strings.CutSuffix(text, "MiB"); is {
		number, shift = of, 20
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || n > 1<<62>>shift {
		return 0, fmt.Errorf("%q is not a size", text)
	}
	return n << shift, nil
}
